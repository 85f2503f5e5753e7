"""Files that survive a power cut: synced replacement, and a lock that dies with its process."""

import fcntl
import os
import time
from pathlib import Path
from typing import IO

from knowhub.errors import SearchUnavailable

_POLL_SECONDS = 0.05


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, content: bytes) -> None:
    """Put a file in place, durably: a reader sees the old content or the new, whole."""
    draft = path.with_name(f"{path.name}.draft")
    with draft.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    sync_folder(path.parent)


class FileLock:
    """An exclusive lock on a file, between processes; the operating system frees it when its process dies."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] | None = None

    def acquire(self, wait_seconds: float) -> None:
        """Take the lock unless it is ours; raises `SearchUnavailable` where another has it for longer than that."""
        if self._file is not None:
            return
        file = self._path.open("ab")
        deadline = time.monotonic() + wait_seconds
        while not _locked(file):
            if time.monotonic() >= deadline:
                file.close()
                raise SearchUnavailable("Another process is writing to the chunk index: try again when it is done")
            time.sleep(_POLL_SECONDS)
        self._file = file

    def release(self) -> None:
        """Give the lock back; without it, do nothing."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _locked(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
