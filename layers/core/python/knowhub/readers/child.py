"""The warm process that reads binary and archive formats, seen from the function that needs their text.

It has an empty environment, so no credentials, and limits on memory, processor and wall time. Whatever happens in it
fails the document at hand and no other: the next one gets a new process.
"""

import json
import os
import select
import signal
import subprocess
import sys
import sysconfig
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from knowhub.errors import Internal, Unreadable, UnsupportedMediaType
from knowhub.model.extraction import ReadDocument
from knowhub.readers.child_frames import (
    HEAD,
    LOCKED,
    MOST_BYTES,
    BrokenFrame,
    Failure,
    attachment_count,
    decode_answer,
    decode_document,
    frame,
    frame_length,
)

_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from knowhub.readers import child_main as child; "
_SERVE = "child.main(sys.argv[2])"
_PIPE_BYTES = 64 * 1024
_START_SECONDS = 60.0
_STOP_SECONDS = 5.0
_OUT_OF_TIME = frozenset({-signal.SIGPROF, -signal.SIGXCPU})


@dataclass(frozen=True, slots=True)
class Limits:
    """What one process may use: bytes of address space in all, and for each document seconds of processor and of time.

    It is replaced after so many `documents`, since libraries in C keep what they lose.
    """

    memory_bytes: int = 1280 * 1024 * 1024
    cpu_seconds: int = 100
    wall_seconds: float = 120.0
    documents: int = 200


class Child:
    """Reads documents in a process of its own, which starts with the first of them and stays warm."""

    def __init__(self, limits: Limits | None = None, *, serve: str = _SERVE) -> None:
        """Keep the limits; `serve` is the Python statement that runs the process, where `child` is its module."""
        self._limits = limits or Limits()
        self._serve = serve
        self._process: subprocess.Popen[bytes] | None = None
        self._stop: Callable[[], object] = _nothing
        self._read = 0
        self._locked = False
        self._turn = threading.Lock()

    def read(self, reader: str, data: bytes, name: str) -> ReadDocument:
        """Read a document's bytes with the reader of this name.

        Raises `Unreadable` with the reason, also where the process dies or runs over a limit (`CRASHED`, `TIME`),
        `UnsupportedMediaType` where the reader's library is missing, and `Internal` where the process does not start,
        which no document is to blame for.
        """
        with self._turn:
            process = self._running()
            try:
                answer = self._ask(process, reader, data, name)
            except TimeoutError as error:
                self.close()
                raise _out_of_time() from error
            except (BrokenFrame, OSError) as error:
                raise self._crashed() from error
            self._read += 1
            if self._read >= self._limits.documents or (isinstance(answer, Failure) and answer.spent):
                self.close()
        if isinstance(answer, Failure):
            kind = UnsupportedMediaType if answer.kind == "unsupported" else Unreadable
            raise kind(answer.message, answer.detail)
        return answer

    def close(self) -> None:
        """End the process, if there is one; the next document starts another."""
        self._stop()
        self._process, self._stop, self._read = None, _nothing, 0

    @property
    def pid(self) -> int | None:
        """The process that waits for the next document; None before the first and after one that ended it."""
        return None if self._process is None else self._process.pid

    @property
    def locked(self) -> bool:
        """Whether the kernel refuses sockets, files and programs to the process that was started last."""
        return self._locked

    def _ask(self, process: subprocess.Popen[bytes], reader: str, data: bytes, name: str) -> ReadDocument | Failure:
        wire = _Wire(process, self._limits.wall_seconds)
        request = json.dumps({"reader": reader, "name": name}).encode()
        wire.send(frame(request))
        wire.send(HEAD.pack(len(data)))
        wire.send(data)
        answer = decode_answer(wire.receive())
        if isinstance(answer, Failure):
            return answer
        return decode_document(answer, [wire.receive() for _ in range(attachment_count(answer))])

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = _start(self._limits, self._serve)
            self._stop = weakref.finalize(self, _end, self._process)
            try:
                self._locked = _Wire(self._process, _START_SECONDS).receive() == LOCKED
            except (TimeoutError, BrokenFrame, OSError) as error:
                self.close()
                raise Internal("the process that reads documents does not start") from error
        return self._process

    def _crashed(self) -> Unreadable:
        """Describe the death of the process by what it died of, which a signal's number tells."""
        process = self._process
        self.close()
        status = process.returncode if process is not None else None
        if status in _OUT_OF_TIME:
            return _out_of_time()
        return Unreadable("the document made its reader crash", {"reason": "CRASHED", "exit_status": status})


class _Wire:
    """Whole frames over a process's pipes until a deadline; the pipes are switched to return at once."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        assert process.stdin is not None  # noqa: S101 - both pipes were asked for
        assert process.stdout is not None  # noqa: S101 - as above
        self._into, self._out_of = process.stdin.fileno(), process.stdout.fileno()
        self._deadline = time.monotonic() + seconds
        self._left = MOST_BYTES

    def send(self, data: bytes) -> None:
        """Write all of it; raises `TimeoutError` and `OSError`."""
        rest = memoryview(data)
        while rest:
            self._wait(self._into, select.POLLOUT)
            rest = rest[os.write(self._into, rest[:_PIPE_BYTES]) :]

    def receive(self) -> bytes:
        """Read one frame; raises `TimeoutError`, `OSError` and `BrokenFrame`."""
        length = frame_length(self._exactly(HEAD.size))
        self._left -= length
        if self._left < 0:
            raise BrokenFrame("an answer without measure")
        return self._exactly(length)

    def _exactly(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            self._wait(self._out_of, select.POLLIN)
            part = os.read(self._out_of, min(count - len(data), 16 * _PIPE_BYTES))
            if not part:
                raise BrokenFrame("the process ended")
            data += part
        return bytes(data)

    def _wait(self, descriptor: int, event: int) -> None:
        poll = select.poll()
        poll.register(descriptor, event)
        if not poll.poll(max(0.0, self._deadline - time.monotonic()) * 1000):
            raise TimeoutError


def _start(limits: Limits, serve: str) -> subprocess.Popen[bytes]:
    """Start the process with nothing of ours but the import path and where the interpreter's own library is."""
    paths = [path for path in sys.path if Path(path).is_absolute()]
    figures = {"memory_bytes": limits.memory_bytes, "cpu_seconds": limits.cpu_seconds, "documents": limits.documents}
    command = [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-c", _START + serve]
    process = subprocess.Popen(  # noqa: S603 - our own interpreter and code; nothing of the document is in the command
        [*command, json.dumps(paths), json.dumps(figures)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        env={"LD_LIBRARY_PATH": str(sysconfig.get_config_var("LIBDIR") or "")},
        cwd="/",
    )
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            os.set_blocking(pipe.fileno(), False)
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait(_STOP_SECONDS)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def _out_of_time() -> Unreadable:
    return Unreadable("reading the document takes longer than a reader may take", {"reason": "TIME"})


def _nothing() -> None:
    """There is no process to end."""
