"""One HTTP exchange over ASGI, and how a streamed answer is passed on while it comes."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, MutableMapping
from typing import Any, Final, TypeVar

from knowhub_cli.local.http_events import SEPARATOR, Answer, MalformedAnswer, prelude_of
from knowhub_cli.local.invocation import StreamBody

MAX_PRELUDE: Final = 16 * 1024
"""Bytes within which API Gateway wants to see the end of the prelude."""

_NO_BODY: Final = frozenset({204, 304})
_REMAPPED: Final = {"www-authenticate": "x-amzn-remapped-www-authenticate"}

T = TypeVar("T")


class ClientGone(Exception):
    """The client went away before its request was whole; there is nobody to answer."""


class Exchange:
    """One request and its response; `rename` imitates API Gateway's renaming of headers."""

    def __init__(
        self,
        receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
        send: Callable[[MutableMapping[str, Any]], Awaitable[None]],
        *,
        rename: bool = False,
    ) -> None:
        self._receive = receive
        self._send = send
        self._rename = rename
        self.begun = False

    async def body(self, limit: int) -> bytes | None:
        """Read the request's body; None where it is over the limit. Raises `ClientGone` where it ends too early."""
        parts: list[bytes] = []
        size, more = 0, True
        while more:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            part: bytes = message.get("body", b"")
            more = message.get("more_body", False)
            size += len(part)
            # The rest is read and dropped: many clients look for an answer only when they have sent everything.
            if size <= limit:
                parts.append(part)
        return b"".join(parts) if size <= limit else None

    async def answer(self, answer: Answer) -> None:
        """Send a whole response."""
        body = b"" if answer.status in _NO_BODY else answer.body
        length = () if answer.status in _NO_BODY else (("content-length", str(len(body))),)
        await self.head(Answer(answer.status, (*answer.headers, *length)))
        await self.part(body, last=True)

    async def head(self, answer: Answer) -> None:
        """Send the status and the headers."""
        self.begun = True
        headers = [
            ((_REMAPPED.get(name, name) if self._rename else name).encode("latin-1"), value.encode("latin-1"))
            for name, value in answer.headers
        ]
        await self._send({"type": "http.response.start", "status": answer.status, "headers": headers})

    async def part(self, data: bytes, *, last: bool = False) -> None:
        """Send a part of the body."""
        await self._send({"type": "http.response.body", "body": data, "more_body": not last})

    async def unless_gone(self, work: Coroutine[Any, Any, T]) -> T | None:
        """Do the work, but cancel it, and give None, when the client goes away before it is done."""
        task = asyncio.ensure_future(work)
        gone = asyncio.ensure_future(self._gone())
        try:
            await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
            return await task if task.done() else None
        finally:
            for each in (task, gone):
                each.cancel()
            await asyncio.gather(task, gone, return_exceptions=True)

    async def _gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass


class PassOn:
    """A streamed answer on its way from the worker to the client."""

    def __init__(self, body: StreamBody, exchange: Exchange) -> None:
        self._body = body
        self._exchange = exchange

    async def run(self) -> None:
        """Pass on the head and each part as it comes; whoever stops this stops the worker's generator, too.

        Raises `MalformedAnswer` for a bad prelude and `FunctionError` where the function fails, at whatever point.
        """
        complete = False
        try:
            complete = bool(await self._exchange.unless_gone(self._parts()))
        finally:
            if not complete:
                self._body.abandon()

    async def _parts(self) -> bool:
        parts = aiter(self._body)
        head, rest = await _prelude(parts)
        await self._exchange.head(head)
        if rest:
            await self._exchange.part(rest)
        async for part in parts:
            await self._exchange.part(part)
        await self._exchange.part(b"", last=True)
        return True


async def _prelude(parts: AsyncIterator[bytes]) -> tuple[Answer, bytes]:
    """Read up to the separator; gives the head and what had come of the body by then."""
    seen = b""
    async for part in parts:
        seen += part
        prelude, separator, rest = seen.partition(SEPARATOR)
        if separator:
            return prelude_of(prelude), rest
        if len(seen) > MAX_PRELUDE:
            break
    raise MalformedAnswer("the stream does not begin with a prelude")
