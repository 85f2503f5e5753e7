"""`sam build` makes what Lambda gets: for the target's interpreter and processor, small, and nothing else."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environments import ROOT
from tests.infra import sam
from tests.infra.stack import FUNCTIONS

pytestmark = pytest.mark.sam

BUDGET_MB = 45
"""What the layers of a function may have, unzipped."""
AARCH64 = b"\xb7\x00"
"""The processor in an ELF file's header, which holds it at bytes 18 and 19."""
READER_BUDGET_MB = 120
"""What the reader's layers may have, which has the format libraries beside."""


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


@pytest.mark.parametrize(("layer", "folder"), [("DependenciesLayer", "dependencies"), ("ReadingLayer", "reading")])
def test_the_libraries_are_those_that_are_pinned(built: Path, layer: str, folder: str) -> None:
    assert _installed(built / layer) == _pinned(f"layers/{folder}/requirements.txt")


@pytest.mark.parametrize("layer", ["DependenciesLayer", "ReadingLayer"])
def test_compiled_modules_fit_the_deployment_target_not_this_machine(built: Path, layer: str) -> None:
    compiled = list((built / layer).rglob("*.so"))
    assert compiled
    # PDFium is no module of Python's, and bound to no version of it.
    modules = [path.name for path in compiled if path.name != "libpdfium.so"]
    assert [name for name in modules if "cpython-313-aarch64-linux-gnu" not in name] == []
    assert {path.read_bytes()[18:20] for path in compiled} == {AARCH64}


def test_the_layers_of_a_function_stay_within_their_budget(built: Path) -> None:
    every = _megabytes(built / "CoreLayer", built / "DependenciesLayer")
    assert every <= BUDGET_MB
    assert every + _megabytes(built / "ReadingLayer") <= READER_BUDGET_MB


def test_what_no_function_reads_is_left_out(built: Path) -> None:
    shipped = _files(built / "DependenciesLayer") | _files(built / "ReadingLayer")
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


def test_the_embedded_index_has_the_version_that_the_laptop_runs() -> None:
    local = set((ROOT / "requirements" / "local.txt").read_text(encoding="utf-8").splitlines())
    embedded = (ROOT / "layers" / "dependencies" / "embedded.txt").read_text(encoding="utf-8").splitlines()
    assert {line for line in embedded if not line.startswith("#")} <= local


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
