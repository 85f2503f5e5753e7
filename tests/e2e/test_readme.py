"""What README.md tells a reader to type works on a fresh hub, in the order in which it stands there."""

import re
import shlex
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.e2e.test_local_hub import COMMAND, ENVIRONMENT, ROOT, wait_for

LAUNCHER = ".venv/bin/knowhub"
LINE = re.compile(rf"^{re.escape(LAUNCHER)} .*$", re.MULTILINE)


def commands(page: Path) -> list[list[str]]:
    """Find the command lines of a page, each cut as a shell does."""
    return [shlex.split(line, comments=True) for line in LINE.findall(page.read_text(encoding="utf-8"))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder that looks like a fresh checkout to the commands."""
    shutil.copytree(ROOT / "docs", tmp_path / "checkout" / "docs")
    return tmp_path / "checkout"


def run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {**ENVIRONMENT, "HOME": str(folder.parent / "home")}
    for name in ("KNOWHUB_URL", "KNOWHUB_API_KEY", "XDG_CONFIG_HOME"):
        environment.pop(name, None)
    return subprocess.run(
        [*COMMAND, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=200, check=False
    )


def test_the_commands_of_the_readme_work_on_a_fresh_hub_as_it_is_started_first(folder: Path) -> None:
    with (folder.parent / "log").open("wb") as log:
        process = subprocess.Popen(
            [*COMMAND, "up", "--port", "0"], cwd=folder, env=ENVIRONMENT, stdout=log, stderr=log, start_new_session=True
        )
        try:
            wait_for(lambda: _announced(folder, process))
            done = {shlex.join(each): run(folder, *each[1:]) for each in commands(ROOT / "README.md")}
            again = run(folder, "ingest", "docs", "--kb", "handbook")
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
    assert len(done) >= 4
    assert {line: ran.stderr for line, ran in done.items() if ran.returncode != 0} == {}
    assert "created the knowledge base mine" in next(iter(done.values())).stderr
    # The sample KB holds these same pages: sending them changes nothing and doubles nothing.
    assert re.fullmatch(r"(\d+ ready, )?\d+ unchanged\n", again.stdout), again.stdout + again.stderr
    pages = len(list((folder / "docs").rglob("*.md")))
    assert f"{pages} unchanged" in again.stdout
    assert (folder.parent / "log").read_text().splitlines()[-1] == "stopped"


def _announced(folder: Path, process: "subprocess.Popen[bytes]") -> bool | None:
    text = (folder.parent / "log").read_text()
    assert process.poll() is None, text
    return True if "agent card" in text else None
