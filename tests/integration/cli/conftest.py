"""A hub to talk to, and a command line that knows it."""

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from knowhub_cli.main import main
from tests.integration.cli import stub_hub


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def hub() -> Iterator[stub_hub.StubHub]:
    with stub_hub.running() as running:
        yield running


@pytest.fixture
def surroundings(hub: stub_hub.StubHub, tmp_path: Path) -> dict[str, str]:
    """Describe an environment in which nothing but the stub hub is known."""
    paths = os.pathsep.join(path for path in sys.path if path)
    home = str(tmp_path / "home")
    return {"HOME": home, "KNOWHUB_URL": hub.url, "KNOWHUB_API_KEY": stub_hub.KEY, "PYTHONPATH": paths}


@pytest.fixture
def knowhub(surroundings: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run commands in this process, in an empty folder and that environment."""
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path / "folder")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for name, value in surroundings.items():
        monkeypatch.setenv(name, value)

    def run(*arguments: str) -> Ran:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main(arguments)
        return Ran(code, out.getvalue(), err.getvalue())

    return run
