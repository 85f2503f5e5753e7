"""Reading a model's answer in a thread of its own, so that who waits for it can leave at any moment."""

import threading
import time
from collections.abc import Callable
from collections.abc import Generator as Stream
from contextlib import closing, suppress
from queue import Empty, Full, Queue

from knowhub.errors import Unavailable
from knowhub.ports.generator import Piece

_LOOK_SECONDS = 0.1
"""How long it takes at most to see that nobody waits any more."""

_AHEAD = 256
"""Parts that may wait for a slow reader."""


class Left(Exception):
    """Nobody waits for the answer any more."""


class Reading:
    """What the two sides share: whether the answer is still wanted, and how to break off what the reader waits for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._break_off: Callable[[], None] | None = None
        self.left = False

    def waits_for(self, break_off: Callable[[], None]) -> None:
        """Say how a wait that comes now is broken off from outside; raises `Left` where nobody wants the answer."""
        with self._lock:
            if self.left:
                raise Left
            self._break_off = break_off

    def leave(self) -> None:
        """Break off."""
        with self._lock:
            self.left = True
            break_off, self._break_off = self._break_off, None
        if break_off is not None:
            break_off()


Read = Callable[[Reading], Stream[Piece, None, None]]


def pumped(
    read: Read, *, seconds: float, stopped: Callable[[], bool], clock: Callable[[], float] = time.monotonic
) -> Stream[Piece, None, None]:
    """Give what `read` gives, as the port promises it: within `seconds`, and only as long as it is wanted."""
    reading = Reading()
    pieces: Queue[Piece | BaseException | None] = Queue(_AHEAD)
    end = clock() + seconds
    reader = threading.Thread(target=_read_all, args=(read, reading, pieces), daemon=True, name="generator")
    reader.start()
    try:
        while not stopped():
            left = end - clock()
            if left <= 0:
                raise Unavailable("The model takes too long")
            with suppress(Empty):
                piece = pieces.get(timeout=min(left, _LOOK_SECONDS))
                if piece is None:
                    return
                if isinstance(piece, BaseException):
                    raise piece
                yield piece
    finally:
        reading.leave()
        reader.join(timeout=1)


def _read_all(read: Read, reading: Reading, pieces: "Queue[Piece | BaseException | None]") -> None:
    try:
        with closing(read(reading)) as told:
            for piece in told:
                _offer(pieces, piece, reading)
        _offer(pieces, None, reading)
    except Left:
        return
    except BaseException as error:  # noqa: BLE001 - raised again where the answer is read
        with suppress(Left):
            _offer(pieces, error, reading)


def _offer(
    pieces: "Queue[Piece | BaseException | None]", piece: Piece | BaseException | None, reading: Reading
) -> None:
    while not reading.left:
        with suppress(Full):
            pieces.put(piece, timeout=_LOOK_SECONDS)
            return
    raise Left
