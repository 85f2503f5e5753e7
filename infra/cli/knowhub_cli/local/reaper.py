"""Kills what is left when the host has died: run as a program of its own, told the process groups over its input.

A worker that computes would not notice its host's death, and a system call that ties it to its parent exists on Linux
only and would miss what the worker itself has started. So the host tells this process which groups are alive (`+<id>`,
`-<id>`, one a line). Its input ends with the host, however the host ends; what is still alive then is killed.

Imports nothing but the standard library: it is started with the interpreter's isolated mode.
"""

import os
import signal
import sys
from contextlib import suppress
from subprocess import DEVNULL, PIPE, Popen
from typing import Final

KILL: Final = signal.SIGKILL


class Reaper:
    """The host's end: keeps the list of process groups that must not outlive the host."""

    def __init__(self) -> None:
        self._groups: set[int] = set()
        self._process = self._launch()

    def guard(self, group: int) -> None:
        """Have the group killed when this process ends without `release`."""
        self._groups.add(group)
        self._tell(f"+{group}\n")

    def release(self, group: int) -> None:
        """Forget a group whose leader has been waited for: its number may belong to others from now on."""
        self._groups.discard(group)
        self._tell(f"-{group}\n")

    def stay(self) -> None:
        """Start another watch where somebody has killed it."""
        self._tell("")

    def close(self) -> None:
        """End the watch; groups that are still guarded are killed."""
        self._process.communicate()

    def _launch(self) -> Popen[bytes]:
        # Its own session: Ctrl-C in the terminal must not end the watch before the host has ended.
        return Popen(  # noqa: S603  the running interpreter and this file
            [sys.executable, "-I", "-S", __file__],
            stdin=PIPE,
            stdout=DEVNULL,
            stderr=DEVNULL,
            start_new_session=True,
            cwd="/",
        )

    def _tell(self, line: str) -> None:
        try:
            if self._process.poll() is None:
                self._write(line.encode())
                return
        except BrokenPipeError:
            self._process.wait()
        # Somebody has killed the watch: start another, which has to hear of everything.
        with suppress(BrokenPipeError):
            self._process.communicate()
        self._process = self._launch()
        self._write("".join(f"+{group}\n" for group in sorted(self._groups)).encode())

    def _write(self, data: bytes) -> None:
        if self._process.stdin is not None:
            self._process.stdin.write(data)
            self._process.stdin.flush()


def kill_group(group: int, number: int = KILL) -> None:
    """Signal every process of the group; none left is no error."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def watch() -> None:
    """Keep the list until the input ends, then kill what is on it."""
    groups: set[int] = set()
    for line in sys.stdin:
        group = int(line[1:])
        if line[0] == "+":
            groups.add(group)
        else:
            groups.discard(group)
    for group in groups:
        kill_group(group)


if __name__ == "__main__":
    watch()
