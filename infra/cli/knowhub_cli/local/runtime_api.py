"""The Lambda Runtime API (2018-06-01) for one worker, on a loopback port of its own.

Written on h11 and not as an ASGI application, because a streamed response reports its failure in HTTP trailers.
"""

import asyncio
import base64
import binascii
import json
import os
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import h11

from knowhub_cli.local.blueprint import FunctionSpec
from knowhub_cli.local.failures import FunctionFailed
from knowhub_cli.local.invocation import Abandoned, BufferedReply, Invocation, StreamBody, StreamedReply

MAX_RESPONSE: Final = 6 * 1024 * 1024
"""Bytes of a buffered response: Lambda's own limit, kept here so that a laptop does not promise more."""

_PREFIX: Final = "/2018-06-01/runtime/"
_LONGEST_HEAD: Final = 128 * 1024
"""Bytes of a head or of trailers: the report of a failure in mid-stream is one long trailer."""

_CUT: Final = "the worker broke its streamed response off"


class _Answer(NamedTuple):
    status: int
    body: bytes = b'{"status":"OK"}'
    headers: Sequence[tuple[str, str]] = ()


class RuntimeEndpoint:
    """Hands one worker its invocations and takes its answers.

    `on_next` is called whenever the worker asks for work: the invocation before that, if any, is over then.
    `untaken` is one that the worker has died without having read.
    """

    def __init__(self, spec: FunctionSpec, on_next: Callable[[], None]) -> None:
        self._spec = spec
        self._on_next = on_next
        self._assigned: asyncio.Queue[Invocation] = asyncio.Queue()
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self.current: Invocation | None = None
        self.untaken: Invocation | None = None
        self.init_error: str | None = None

    async def open(self) -> str:
        """Listen, and give `host:port` for `AWS_LAMBDA_RUNTIME_API`."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()
        return f"{host}:{port}"

    async def close(self) -> None:
        """Stop listening and drop every connection; nothing is answered afterwards."""
        if self._server is not None:
            self._server.close()
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def assign(self, invocation: Invocation) -> None:
        """Give the worker, which has asked for it, its next invocation."""
        self.current = invocation
        self._assigned.put_nowait(invocation)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
        exchange = _Exchange(self, reader, writer)
        try:
            await exchange.run()
        except ConnectionResetError:
            # A reset, other than an end, says that what was sent there last has not all been read.
            self.untaken = exchange.handed or self.untaken
            writer.transport.abort()
        except (h11.ProtocolError, ConnectionError, Abandoned, asyncio.CancelledError):
            # Cancelled by `close` only; passing that on would be logged by asyncio as a failure of ours.
            writer.transport.abort()
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            if task is not None:
                self._connections.discard(task)

    async def next_invocation(self) -> _Answer:
        """Wait for work on the worker's behalf."""
        self.current = None
        self._on_next()
        invocation = await self._assigned.get()
        deadline = int((time.time() + self._spec.timeout) * 1000)
        return _Answer(
            200,
            invocation.payload,
            [
                ("Content-Type", "application/json"),
                ("Lambda-Runtime-Aws-Request-Id", invocation.request_id),
                ("Lambda-Runtime-Deadline-Ms", str(deadline)),
                ("Lambda-Runtime-Invoked-Function-Arn", self._spec.arn),
            ],
        )

    def running(self, request_id: str) -> Invocation | None:
        """Find the invocation that the worker answers; None where it is another one, or over."""
        current = self.current
        return current if current is not None and current.request_id == request_id else None


class _Exchange:
    """One connection of the worker: requests one after the other until either side closes it."""

    def __init__(self, endpoint: RuntimeEndpoint, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._endpoint = endpoint
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_LONGEST_HEAD)
        self.handed: Invocation | None = None

    async def run(self) -> None:
        while isinstance(request := await self._event(), h11.Request):
            self.handed = None
            await self._send(await self._answer(request))
            if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                return
            self._http.start_next_cycle()

    async def _answer(self, request: h11.Request) -> _Answer:
        headers = {name.decode().lower(): value.decode("latin-1") for name, value in request.headers}
        if "origin" in headers or "sec-fetch-site" in headers:
            return _Answer(403, b'{"errorMessage":"not for browsers"}')
        path = request.target.decode("latin-1")
        parts = path.removeprefix(_PREFIX).split("/") if path.startswith(_PREFIX) else []
        match (request.method, parts):
            case (b"GET", ["invocation", "next"]):
                await self._body(MAX_RESPONSE)
                return await self._next()
            case (b"POST", ["invocation", request_id, "response"]):
                return await self._response(request_id, headers)
            case (b"POST", ["invocation", request_id, "error"]):
                return await self._error(request_id, headers)
            case (b"POST", ["init", "error"]):
                self._endpoint.init_error = _failure_text(await self._body(MAX_RESPONSE), headers)
                return _Answer(202)
            case _:
                return _Answer(404, b'{"errorMessage":"no such operation"}')

    async def _next(self) -> _Answer:
        """Wait for work; raises `ConnectionResetError` where the worker has died meanwhile."""
        answer = await self._endpoint.next_invocation()
        self.handed = self._endpoint.current
        if _is_gone(self._writer):
            raise ConnectionResetError
        return answer

    async def _response(self, request_id: str, headers: dict[str, str]) -> _Answer:
        invocation = self._endpoint.running(request_id)
        if invocation is None:
            await self._body(MAX_RESPONSE)
            return _Answer(400, b'{"errorType":"InvalidRequestID","errorMessage":"no such invocation"}')
        if headers.get("lambda-runtime-function-response-mode", "").lower() == "streaming":
            return await self._streamed(invocation)
        body = await self._body(MAX_RESPONSE)
        if body is None:
            invocation.fail(FunctionFailed(f"Function.ResponseSizeTooLarge: over {MAX_RESPONSE} bytes"))
            return _Answer(413, b'{"errorType":"RequestEntityTooLarge","errorMessage":"the response is too large"}')
        invocation.answer(BufferedReply(body))
        return _Answer(202)

    async def _streamed(self, invocation: Invocation) -> _Answer:
        stream = StreamBody(self._writer.transport.abort)
        if not invocation.answer(StreamedReply(stream)):
            raise Abandoned
        invocation.stream = stream
        trailers = await self._pass_on(stream)
        # A worker that dies later must not fail a stream that has ended.
        invocation.stream = None
        error_type = trailers.get("lambda-runtime-function-error-type")
        if error_type is None:
            stream.finish()
        else:
            stream.finish(FunctionFailed(_trailer_text(error_type, trailers)))
        return _Answer(202)

    async def _pass_on(self, stream: StreamBody) -> dict[str, str]:
        try:
            while not isinstance(event := await self._event(), h11.EndOfMessage):
                if isinstance(event, h11.Data):
                    await stream.put(bytes(event.data))
                else:
                    raise h11.RemoteProtocolError(_CUT)
        except (h11.ProtocolError, ConnectionError):
            stream.finish(FunctionFailed(_CUT))
            raise
        return {name.decode().lower(): value.decode("latin-1") for name, value in event.headers}

    async def _error(self, request_id: str, headers: dict[str, str]) -> _Answer:
        body = await self._body(MAX_RESPONSE)
        invocation = self._endpoint.running(request_id)
        if invocation is None:
            return _Answer(400, b'{"errorType":"InvalidRequestID","errorMessage":"no such invocation"}')
        invocation.fail(FunctionFailed(_failure_text(body, headers)))
        return _Answer(202)

    async def _body(self, limit: int) -> bytes | None:
        """Read the whole body; None where it is over the limit, and then it has been read and dropped."""
        parts: list[bytes] = []
        size = 0
        while not isinstance(event := await self._event(), h11.EndOfMessage):
            if not isinstance(event, h11.Data):
                raise h11.RemoteProtocolError("the request ended within its body")
            size += len(event.data)
            if size <= limit:
                parts.append(bytes(event.data))
        return b"".join(parts) if size <= limit else None

    async def _event(self) -> h11.Event | type[h11.PAUSED]:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(await self._reader.read(1 << 16))
        if isinstance(event, type):
            return h11.PAUSED
        return event

    async def _send(self, answer: _Answer) -> None:
        head = h11.Response(
            status_code=answer.status, headers=[*answer.headers, ("Content-Length", str(len(answer.body)))]
        )
        for event in (head, h11.Data(data=answer.body), h11.EndOfMessage()):
            self._writer.write(self._http.send(event) or b"")
        await self._writer.drain()


def _failure_text(body: bytes | None, headers: dict[str, str]) -> str:
    """Put an error report of the runtime into one line for the log."""
    try:
        report = json.loads(body or b"")
        kind, message = report.get("errorType"), report.get("errorMessage")
    except (ValueError, AttributeError):
        kind = message = None
    kind = kind or headers.get("lambda-runtime-function-error-type", "Unknown")
    return f"{kind}: {message or 'without a message'}"


def _trailer_text(error_type: str, trailers: dict[str, str]) -> str:
    try:
        body = base64.b64decode(trailers.get("lambda-runtime-function-error-body", ""), validate=True)
    except binascii.Error:
        body = b""
    return _failure_text(body, {"lambda-runtime-function-error-type": error_type})


def _is_gone(writer: asyncio.StreamWriter) -> bool:
    """Ask the system, which knows of a dead process's closed connection before the event loop has heard of it."""
    with socket.socket(fileno=os.dup(writer.get_extra_info("socket").fileno())) as peer:
        try:
            return peer.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except ConnectionError:
            return True
