"""The exec wrapper `knowhub-stream`, run as Lambda runs it."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runtime_api import PATIENCE, RuntimeApiStandIn

LAYER = Path(__file__).parents[3] / "layers" / "core"
WRAPPER = LAYER / "knowhub-stream"

# Prints what it was started with; stands in for Python.
FAKE = '#!/bin/sh\necho "$0"\necho "$$"\necho "$PYTHONPATH"\nfor a in "$@"; do echo "$a"; done\n'


@pytest.fixture
def opt(tmp_path: Path) -> Path:
    """Lay out a layer as Lambda unpacks it, in a folder whose name needs quoting."""
    folder = tmp_path / "o p't"
    (folder / "python").mkdir(parents=True)
    shutil.copy(WRAPPER, folder / "knowhub-stream")
    return folder


def fake_interpreter(folder: Path, name: str = "python3.13") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(FAKE)
    path.chmod(0o755)
    return path


def run(wrapper: Path, *argv: str, path: str = "/usr/bin:/bin", **environ: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [wrapper, *argv], env={"PATH": path, **environ}, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def test_it_is_executable() -> None:
    assert WRAPPER.stat().st_mode & stat.S_IXUSR
    assert WRAPPER.stat().st_mode & stat.S_IXOTH


def test_it_starts_the_given_interpreter_with_the_runtime_in_the_bootstraps_place(opt: Path, tmp_path: Path) -> None:
    python = fake_interpreter(tmp_path / "var lang")
    program, _, path, *argv = run(opt / "knowhub-stream", str(python), "/var/runtime/bootstrap.py").stdout.splitlines()
    assert program == str(python)
    assert path == f"{opt}/python:/var/runtime"
    assert argv == ["-m", "knowhub.runtime.streaming"]


def test_it_replaces_itself(opt: Path, tmp_path: Path) -> None:
    python = fake_interpreter(tmp_path / "bin")
    with subprocess.Popen([opt / "knowhub-stream", python], stdout=subprocess.PIPE, text=True) as process:
        out, _ = process.communicate(timeout=PATIENCE)
    assert out.splitlines()[1] == str(process.pid)


def test_it_keeps_what_was_on_the_path(opt: Path, tmp_path: Path) -> None:
    python = fake_interpreter(tmp_path / "bin")
    out = run(opt / "knowhub-stream", str(python), PYTHONPATH="/mine:/yours", LAMBDA_RUNTIME_DIR="/var/other").stdout
    assert out.splitlines()[2] == f"{opt}/python:/var/other:/mine:/yours"


def test_an_empty_python_path_adds_no_working_directory(opt: Path, tmp_path: Path) -> None:
    python = fake_interpreter(tmp_path / "bin")
    assert (
        run(opt / "knowhub-stream", str(python), PYTHONPATH="").stdout.splitlines()[2] == f"{opt}/python:/var/runtime"
    )


@pytest.mark.parametrize(
    "argv",
    [
        [],
        [""],
        ["/var/runtime/bootstrap"],
        ["/no/such/python3.13", "/var/runtime/bootstrap.py"],
        ["sh", "-c", "exit 3"],
        ["--", "x"],
    ],
)
def test_odd_commands_give_way_to_the_python_in_the_path(opt: Path, tmp_path: Path, argv: list[str]) -> None:
    python = fake_interpreter(tmp_path / "bin", "python3")
    out = run(opt / "knowhub-stream", *argv, path=f"{python.parent}:/usr/bin:/bin").stdout.splitlines()
    assert out[0] == str(python)
    assert out[3:] == ["-m", "knowhub.runtime.streaming"]


def test_an_interpreter_may_be_a_name_in_the_path(opt: Path, tmp_path: Path) -> None:
    python = fake_interpreter(tmp_path / "bin", "python3.13")
    out = run(opt / "knowhub-stream", "python3.13", path=f"{python.parent}:/usr/bin:/bin").stdout.splitlines()
    assert out[0] == str(python)


def test_without_any_python_it_says_so(opt: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "sh").symlink_to("/bin/sh")
    result = run(opt / "knowhub-stream", path=str(tools))
    assert result.returncode == 127
    assert "no python3 in PATH" in result.stderr


def test_called_by_bare_name_it_takes_the_layer_for_opt(opt: Path, tmp_path: Path) -> None:
    python = fake_interpreter(tmp_path / "bin")
    out = subprocess.run(
        ["sh", "knowhub-stream", python], cwd=opt, capture_output=True, text=True, timeout=PATIENCE, check=True
    ).stdout
    assert out.splitlines()[2].split(":")[0] == "/opt/python"


def test_a_function_streams_through_the_wrapper_with_the_runtimes_own_packages(tmp_path: Path) -> None:
    """The real interpreter, the real layer, a stand-in for `/var/runtime`, and a task folder, as on Lambda."""
    runtime, task = tmp_path / "runtime", tmp_path / "task"
    runtime.mkdir()
    task.mkdir()
    (runtime / "vendored.py").write_text("name = b'from the runtime'")
    (task / "app.py").write_text(
        "import sys, vendored\ndef handler(e, c):\n    yield vendored.name\n    yield sys.executable.encode()\n"
    )
    with RuntimeApiStandIn() as api:
        process = subprocess.Popen(
            [WRAPPER, sys.executable, runtime / "bootstrap.py"],
            env={
                "PATH": os.environ["PATH"],
                "AWS_LAMBDA_RUNTIME_API": api.address,
                "_HANDLER": "app.handler",
                "LAMBDA_TASK_ROOT": str(task),
                "LAMBDA_RUNTIME_DIR": str(runtime),
            },
            cwd=task,
            stdout=subprocess.PIPE,
            text=True,
        )
        chunks = api.invoke().wait().response.chunks
    process.communicate(timeout=PATIENCE)
    assert chunks == [b"from the runtime", sys.executable.encode()]
