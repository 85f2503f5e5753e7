"""Keeps one node for a test run, and ends it when the run's process is gone, however that went.

`python -m tests.opensearch.keeper PID FOLDER` returns at once; a process of its own stays, which writes either
`FOLDER/url` (two lines: the node's address, its own process id) or `FOLDER/failed` (the reason).
"""

import os
import sys
import time
import traceback
from pathlib import Path

from tests.opensearch.node import node

_LOOK_SECONDS = 0.5


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and waits for its parent does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    status = Path(f"/proc/{pid}/stat")
    try:
        return not status.exists() or status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def keep(watched: int, folder: Path) -> None:
    """Run a node for as long as the watched process runs."""
    try:
        with node() as running:
            _say(folder / "url", f"{running.url}\n{os.getpid()}\n")
            while alive(watched) and running.process.poll() is None:
                time.sleep(_LOOK_SECONDS)
            (folder / "url").unlink()
    except Exception:
        _say(folder / "failed", traceback.format_exc())
        raise


def _say(path: Path, text: str) -> None:
    draft = path.with_name(f"{path.name}.draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def main() -> None:
    """Leave a keeper behind."""
    watched, folder = int(sys.argv[1]), Path(sys.argv[2])
    if os.fork():
        return
    os.setsid()
    keep(watched, folder)


if __name__ == "__main__":
    main()
