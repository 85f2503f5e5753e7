"""One call of a function, from the side that asks and from the side that answers."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from knowhub_cli.local.failures import FunctionError

_PARTS_AHEAD = 16
"""Parts of a stream that wait for a slow client before the worker has to wait, too."""


class Abandoned(Exception):
    """Nobody reads the stream any more."""


class StreamBody:
    """The parts of a streamed response as they arrive; iterating raises `FunctionError` where the worker failed."""

    def __init__(self, cut: Callable[[], None]) -> None:
        """Keep `cut`, which closes the connection that the parts come from."""
        self._parts: asyncio.Queue[bytes | FunctionError | None] = asyncio.Queue()
        self._room = asyncio.Semaphore(_PARTS_AHEAD)
        self._cut = cut
        self._abandoned = False

    async def put(self, part: bytes) -> None:
        """Hand on one part, waiting for a slow reader; raises `Abandoned`."""
        await self._room.acquire()
        if self._abandoned:
            raise Abandoned
        self._parts.put_nowait(part)

    def finish(self, failure: FunctionError | None = None) -> None:
        """End the stream, well or not."""
        self._parts.put_nowait(failure)

    def abandon(self) -> None:
        """Stop reading: the worker's connection is cut, so that its generator stops."""
        self._abandoned = True
        self._room.release()
        self._cut()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Give the parts in order."""
        while (part := await self._parts.get()) is not None:
            if isinstance(part, FunctionError):
                raise part
            self._room.release()
            yield part


@dataclass(frozen=True, slots=True)
class BufferedReply:
    """What the handler returned, as JSON."""

    body: bytes


@dataclass(frozen=True, slots=True)
class StreamedReply:
    """What the handler yields."""

    body: StreamBody


Reply = BufferedReply | StreamedReply


@dataclass(slots=True, eq=False)
class Invocation:
    """An event on its way; `reply` is answered once, and cancelled when nobody waits for it any more."""

    payload: bytes
    reply: "asyncio.Future[Reply]"
    request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    stream: StreamBody | None = None

    def answer(self, reply: Reply) -> bool:
        """Hand the reply over; False where nobody waits for it."""
        if self.reply.done():
            return False
        self.reply.set_result(reply)
        return True

    def give_up(self) -> None:
        """Stop waiting: nobody will look at the reply, not even at one that has just come."""
        if not self.reply.done():
            self.reply.cancel()
        elif not self.reply.cancelled() and self.reply.exception() is None:
            reply = self.reply.result()
            if isinstance(reply, StreamedReply):
                reply.body.abandon()

    def fail(self, failure: FunctionError) -> None:
        """Tell whoever waits, at the head or in mid-stream, that nothing more will come."""
        if self.stream is not None:
            self.stream.finish(failure)
        elif not self.reply.done():
            self.reply.set_exception(failure)
