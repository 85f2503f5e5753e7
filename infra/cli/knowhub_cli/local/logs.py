"""What workers print: one file a function, bounded in size, and the terminal where somebody wants to see it."""

from pathlib import Path
from typing import BinaryIO, Final

LIMIT: Final = 5_000_000
"""Bytes of a log before it becomes `<name>.log.1`, replacing the one before; a function keeps at most twice this."""


class LogFile:
    """The log of one function, which all its workers share; `echo`, where given, gets each line with its name too."""

    def __init__(self, path: Path, *, limit: int = LIMIT, echo: BinaryIO | None = None) -> None:
        self.path = path
        self._limit = limit
        self._echo = echo
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = path.open("ab")
        path.chmod(0o600)

    def write(self, lines: bytes) -> None:
        """Append whole lines; a full disk must not stop the work, so what can't be written is lost."""
        try:
            if self._file.tell() + len(lines) > self._limit:
                self._turn()
            self._file.write(lines)
            self._file.flush()
        except OSError:
            return
        finally:
            self._show(lines)

    def close(self) -> None:
        """Close the file; the host has stopped."""
        self._file.close()

    def _turn(self) -> None:
        self._file.close()
        self.path.replace(self.path.with_name(f"{self.path.name}.1"))
        self._file = self.path.open("ab")
        self.path.chmod(0o600)

    def _show(self, lines: bytes) -> None:
        if self._echo is None:
            return
        name = self.path.stem.encode()
        for line in lines.splitlines():
            self._echo.write(b"[" + name + b"] " + line + b"\n")
        self._echo.flush()


class LineBuffer:
    """Joins what arrives from one worker to whole lines, so that the lines of several workers never mix."""

    def __init__(self, log: LogFile) -> None:
        self._log = log
        self._rest = b""

    def feed(self, data: bytes) -> None:
        """Pass on the whole lines of what has arrived; a line over 64 KB is cut where it stands."""
        whole, newline, rest = (self._rest + data).rpartition(b"\n")
        self._rest = rest
        if newline:
            self._log.write(whole + newline)
        if len(self._rest) > 1 << 16:
            self.finish()

    def finish(self) -> None:
        """Write what is left as a line of its own."""
        if self._rest:
            self._log.write(self._rest + b"\n")
            self._rest = b""
