"""`sam build` makes what Lambda gets: for the target's interpreter and processor, small, and nothing else."""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from knowhub.embedders import offline
from tests.environments import ROOT
from tests.infra import sam
from tests.infra.stack import FUNCTIONS, stack

pytestmark = pytest.mark.sam

BUDGET_MB = 45
"""What the layers of a function may have, unzipped."""
AARCH64 = b"\xb7\x00"
"""The processor in an ELF file's header, which holds it at bytes 18 and 19."""
OFFLINE_BUDGET_MB = 100
"""What they may have together with the offline embedder, where that was chosen."""
READER_BUDGET_MB = 120
"""What the reader's layers may have, which has the format libraries beside, with the offline embedder too."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    sam.run("sam", "build", "--build-dir", str(folder))
    return folder


def _files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def _megabytes(*folders: Path) -> float:
    return sum(path.stat().st_size for folder in folders for path in folder.rglob("*") if path.is_file()) / 1e6


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_ships_its_entry_point_alone(built: Path, function: str) -> None:
    source = ROOT / "functions" / function.removesuffix("Function").lower() / "app.py"
    assert _files(built / function) == {"app.py"}
    assert (built / function / "app.py").read_bytes() == source.read_bytes()


def test_the_core_layer_ships_every_module_and_the_wrapper(built: Path) -> None:
    source = ROOT / "layers" / "core"
    modules = {f"python/knowhub/{path}" for path in _files(source / "python" / "knowhub") if "__pycache__" not in path}
    assert _files(built / "CoreLayer") == {*modules, "knowhub-stream"}
    assert os.access(built / "CoreLayer" / "knowhub-stream", os.X_OK)


@pytest.mark.parametrize(
    ("layer", "files"),
    [
        ("DependenciesLayer", ["dependencies/requirements.txt"]),
        ("ReadingLayer", ["reading/requirements.txt"]),
        ("SignedTokensLayer", ["signed-tokens/requirements.txt"]),
        ("OfflineEmbedderLayer", ["offline-embedder/model.txt", "offline-embedder/requirements.txt"]),
    ],
)
def test_the_libraries_are_those_that_are_pinned(built: Path, layer: str, files: list[str]) -> None:
    assert _installed(built / layer) == set().union(*(_pinned(f"layers/{file}") for file in files))


@pytest.mark.parametrize("layer", ["DependenciesLayer", "ReadingLayer", "SignedTokensLayer", "OfflineEmbedderLayer"])
def test_compiled_modules_fit_the_deployment_target_not_this_machine(built: Path, layer: str) -> None:
    compiled = list((built / layer).rglob("*.so"))
    assert compiled
    # PDFium and OpenBLAS are no modules of Python's, and bound to no version of it.
    modules = [path.name for path in compiled if not path.name.startswith(("libpdfium", "libscipy_openblas"))]
    # The stable interface fits every version.
    assert [name for name in modules if "cpython-313-aarch64-linux-gnu" not in name and ".abi3." not in name] == []
    assert {path.read_bytes()[18:20] for path in compiled} == {AARCH64}


def test_the_layers_of_a_function_stay_within_their_budget(built: Path) -> None:
    every = _megabytes(built / "CoreLayer", built / "DependenciesLayer")
    assert every + _megabytes(built / "SignedTokensLayer") <= BUDGET_MB
    embedding = every + _megabytes(built / "OfflineEmbedderLayer")
    assert embedding <= OFFLINE_BUDGET_MB
    assert embedding + _megabytes(built / "ReadingLayer") <= READER_BUDGET_MB


def test_what_no_function_reads_is_left_out(built: Path) -> None:
    layers = ("DependenciesLayer", "ReadingLayer", "SignedTokensLayer", "OfflineEmbedderLayer")
    shipped = set().union(*(_files(built / layer) for layer in layers))
    assert [name for name in shipped if re.search(r"__pycache__|\.pyi?c$|(^|/)tests/|/RECORD$", name)] == []


def test_the_embedded_index_is_added_on_request_for_another_target(tmp_path: Path) -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    extra = {
        "KNOWHUB_EMBEDDED": "1",
        "KNOWHUB_PYTHON_VERSION": version,
        "KNOWHUB_PYTHON_PLATFORM": "x86_64-manylinux_2_28",
    }
    sam.run("sam", "build", "DependenciesLayer", "--build-dir", str(tmp_path / "built"), extra=extra)
    layer = tmp_path / "built" / "DependenciesLayer"
    assert _installed(layer) >= {"numpy", "tantivy"}
    assert [path.name for path in layer.rglob("*.so") if "aarch64" in path.name] == []


@pytest.mark.parametrize("file", ["dependencies/embedded.txt", "offline-embedder/requirements.txt"])
def test_what_both_homes_load_has_the_version_that_the_laptop_runs(file: str) -> None:
    local = set((ROOT / "requirements" / "local.txt").read_text(encoding="utf-8").splitlines())
    shipped = (ROOT / "layers" / file).read_text(encoding="utf-8").splitlines()
    assert {line for line in shipped if not line.startswith("#")} <= local


def test_the_offline_embedder_is_pinned_by_one_hash_to_the_version_that_the_hub_expects() -> None:
    text = (ROOT / "layers" / "offline-embedder" / "model.txt").read_text(encoding="utf-8")
    lines = " ".join(line.rstrip("\\") for line in text.splitlines() if not line.startswith("#"))
    assert re.fullmatch(
        rf"{offline.PACKAGE}=={re.escape(offline.VERSION)} +--hash=sha256:[0-9a-f]{{64}}", lines.strip()
    )


def test_the_offline_embedder_runs_from_its_layer_and_the_core_layer_alone(tmp_path: Path) -> None:
    extra = {
        "KNOWHUB_PYTHON_VERSION": f"{sys.version_info.major}.{sys.version_info.minor}",
        "KNOWHUB_PYTHON_PLATFORM": f"{platform.machine()}-manylinux2014",
    }
    sam.run("sam", "build", "OfflineEmbedderLayer", "--build-dir", str(tmp_path), extra=extra)
    folders = [str(tmp_path / "OfflineEmbedderLayer" / "python"), str(ROOT / "layers" / "core" / "python")]
    script = (
        f"import sys; sys.path[:0] = {folders!r}; from knowhub.embedders.offline import OfflineEmbedder;"
        "print(len(OfflineEmbedder().embed_query('a question'))); import numpy; print(numpy.__file__)"
    )
    # Isolated and without this environment's packages.
    run = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    length, origin = run.stdout.split()
    assert (length, Path(origin).is_relative_to(tmp_path)) == ("512", True)


@pytest.mark.parametrize(("embedder", "functions"), [("none", set()), ("offline", set(FUNCTIONS) - {"SyncFunction"})])
def test_the_offline_embedder_is_attached_where_it_was_chosen(embedder: str, functions: set[str]) -> None:
    made = stack(Embedder=embedder)
    layers = {name: made.properties(name)["Layers"] for name in FUNCTIONS}
    attached = {name for name, listed in layers.items() if any("OfflineEmbedder" in str(layer) for layer in listed)}
    assert attached == functions
    assert all(len(listed) == 2 + (name == "ReaderFunction") + (name in functions) for name, listed in layers.items())
    assert sum("OfflineEmbedder" in name for name in made.of_type("AWS::Lambda::LayerVersion")) == bool(functions)


@pytest.mark.parametrize("trusted", [False, True])
def test_what_checks_tokens_is_attached_where_an_issuer_is_trusted(trusted: bool) -> None:
    made = stack(**({"OidcIssuer": "https://id.example.org"} if trusted else {}))
    attached = {name for name in FUNCTIONS if "SignedTokens" in str(made.properties(name)["Layers"])}
    assert attached == ({"HttpFunction", "McpFunction", "A2aFunction"} if trusted else set())
    assert sum("SignedTokens" in name for name in made.of_type("AWS::Lambda::LayerVersion")) == trusted


def test_a_build_that_fails_says_so(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_bytes((ROOT / "functions" / "http" / "Makefile").read_bytes())
    done = subprocess.run(
        ["make", "build-HttpFunction", f"ARTIFACTS_DIR={tmp_path / 'out'}"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode != 0


def _installed(layer: Path) -> set[str]:
    return {path.name.split("-")[0].lower().replace("_", "-") for path in layer.glob("python/*.dist-info")}


def _pinned(path: str) -> set[str]:
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    return {line.split("==")[0].lower() for line in lines if "==" in line and not line.lstrip().startswith("#")}
