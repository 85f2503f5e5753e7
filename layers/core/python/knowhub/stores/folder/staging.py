"""Where a file is written before it gets its name: a crash leaves only rubbish here, never half a blob."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Staging:
    """A folder of unfinished files, each locked by the process that writes it.

    The lock dies with its process: what can be locked by somebody else is left over from a crash.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def sweep(self) -> int:
        """Remove what dead processes have left; returns how many files that were."""
        swept = 0
        for path in self._folder.iterdir():
            try:
                descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink(missing_ok=True)
                swept += 1
            except BlockingIOError:
                continue
            finally:
                os.close(descriptor)
        return swept

    def write(self, content: Callable[[BinaryIO], object], place: Callable[[Path], object], *, modified: float) -> None:
        """Write a new file, make it durable, and have it placed under its name.

        Raises `FileNotFoundError` where a sweep met the file in the moment before it was locked, or `place` raises it:
        then nothing was placed, and the same call may succeed.
        """
        path = self._folder / uuid4().hex
        descriptor = os.open(path, _NEW, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                content(file)
                file.flush()
                os.utime(file.fileno(), (modified, modified))
                os.fsync(file.fileno())
                place(path)
        finally:
            path.unlink(missing_ok=True)
