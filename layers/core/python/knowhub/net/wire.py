"""Reading a connection under caps: every byte is counted and every wait has an end."""

import io
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from knowhub.net.failures import too_large, too_slow
from knowhub.net.policy import Policy

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Monotonic = Callable[[], float]


class Deadline:
    """A moment that all waits of one call share."""

    def __init__(self, clock: Monotonic, seconds: float) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def left(self, at_most: float) -> float:
        """Give the seconds that the next wait may take; raises `SourceFailed` (`TOO_SLOW`) when none are left."""
        remaining = min(self.remaining(), at_most)
        if remaining <= 0:
            raise too_slow()
        return remaining

    def remaining(self) -> float:
        """Give the seconds that are left, less than 0 when it is over."""
        return self._end - self._clock()


class Wire(io.RawIOBase):
    """The raw bytes that come from one connection, headers and framing included.

    A peer that sends now and then a byte, so that no single wait is long, is ended by the deadline and by the minimum
    speed. Raises `SourceFailed`; the connection is not closed here.
    """

    def __init__(self, connection: socket.socket, policy: Policy, deadline: Deadline, clock: Monotonic) -> None:
        super().__init__()
        self._connection = connection
        self._policy = policy
        self._deadline = deadline
        self._clock = clock
        self._first_wait = Deadline(clock, policy.first_byte_seconds)
        self._began: float | None = None
        self.received = 0
        self.ended = False

    def readable(self) -> bool:
        """Say that bytes can be read from here."""
        return True

    def makefile(self, mode: str) -> io.BufferedReader:  # noqa: ARG002 - http.client asks a socket so, always for "rb"
        """Give what `http.client` reads an answer from."""
        return io.BufferedReader(self)

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Wait for the next bytes."""
        self._connection.settimeout(self._patience())
        try:
            count = self._connection.recv_into(buffer)
        except TimeoutError:
            raise too_slow() from None
        self.ended = count == 0
        self._count(count)
        return count

    def _patience(self) -> float:
        first = self._first_wait.left(self._policy.first_byte_seconds) if self._began is None else float("inf")
        return self._deadline.left(min(first, self._policy.total_seconds))

    def _count(self, count: int) -> None:
        now = self._clock()
        if self._began is None:
            self._began = now
        self.received += count
        if self.received > self._policy.max_wire_bytes:
            raise too_large(self._policy.max_wire_bytes)
        elapsed = now - self._began
        due = elapsed * self._policy.min_bytes_per_second
        if count and elapsed > self._policy.speed_grace_seconds and self.received < due:
            raise too_slow()
