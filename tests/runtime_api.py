"""A stand-in for the Lambda Runtime API: real sockets, and a record of what the runtime under test sent, in order."""

import base64
import json
import queue
import socket
import struct
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import h11

PATIENCE = 30.0  # seconds until a wait is a failed test; no behaviour depends on it


@dataclass
class Request:
    """One request of the runtime: its head, its body and, where it was chunked, its chunks and trailers."""

    method: str
    path: str
    headers: dict[str, str]
    chunks: list[bytes] = field(default_factory=list)
    trailers: dict[str, str] = field(default_factory=dict)
    complete: bool = False

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks)

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class StandInInvocation:
    """One event for the runtime, and what became of it.

    `drop_after_chunks` makes the host cut the connection after so many chunks, `status` is what it answers to
    `/response` with. `answered` is set when a whole response or error came, or the host cut the connection.
    """

    request_id: str
    event: bytes
    headers: dict[str, str] = field(default_factory=dict)
    drop_after_chunks: int | None = None
    status: int = 202
    response: Request | None = None
    error: Request | None = None
    answered: threading.Event = field(default_factory=threading.Event)
    _progress: threading.Condition = field(default_factory=threading.Condition)

    def wait(self) -> "StandInInvocation":
        assert self.answered.wait(PATIENCE), f"{self.request_id} was not answered"
        return self

    def wait_for_chunks(self, count: int) -> list[bytes]:
        """Block until the host holds so many chunks of a response that may go on."""
        with self._progress:
            assert self._progress.wait_for(lambda: len(self._chunks()) >= count, PATIENCE), self._chunks()
            return self._chunks()

    def advance(self) -> None:
        with self._progress:
            self._progress.notify_all()

    def _chunks(self) -> list[bytes]:
        return list(self.response.chunks) if self.response else []

    @property
    def trailer_error(self) -> Any:
        assert self.response is not None
        return json.loads(base64.b64decode(self.response.trailers["lambda-runtime-function-error-body"]))


class RuntimeApiStandIn:
    """The host's side. `invoke` queues events; `close` sends the runtime away."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.requests: list[Request] = []
        self.init_error: Request | None = None
        self.restore_error: Request | None = None
        self.restore_status = 200
        self._events: queue.Queue[StandInInvocation | None] = queue.Queue()
        self._invocations: dict[str, StandInInvocation] = {}
        self._threads: list[threading.Thread] = []
        self._open: set[socket.socket] = set()
        self._progress = threading.Condition()
        self._spawn(self._accept)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def invoke(
        self,
        event: Any = None,
        headers: dict[str, str] | None = None,
        *,
        raw: bytes | None = None,
        drop_after_chunks: int | None = None,
        status: int = 202,
    ) -> StandInInvocation:
        request_id = f"request-{len(self._invocations) + 1}"
        body = json.dumps(event).encode() if raw is None else raw
        invocation = StandInInvocation(request_id, body, dict(headers or {}), drop_after_chunks, status)
        self._invocations[request_id] = invocation
        self._events.put(invocation)
        return invocation

    def wait_for_requests(self, count: int) -> None:
        """Block until the heads of so many requests have come in."""
        with self._progress:
            assert self._progress.wait_for(lambda: len(self.requests) >= count, PATIENCE), self.paths

    @property
    def paths(self) -> list[str]:
        return [f"{r.method} {r.path.removeprefix('/2018-06-01/runtime')}" for r in self.requests]

    def close(self) -> None:
        self._events.put(None)
        # A plain close does not wake a thread in accept; a shutdown does.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for sock in list(self._open):
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        for thread in list(self._threads):
            thread.join(PATIENCE)

    def _spawn(self, target: Any, *args: Any) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self._open.add(sock)
            self._spawn(self._talk, sock)

    def _talk(self, sock: socket.socket) -> None:
        connection = h11.Connection(h11.SERVER)
        try:
            request = self._read_head(sock, connection)
            if request is not None:
                self._answer(sock, connection, request)
        except (OSError, h11.RemoteProtocolError):
            pass
        finally:
            self._open.discard(sock)
            sock.close()

    def _read_head(self, sock: socket.socket, connection: h11.Connection) -> Request | None:
        head = self._event(sock, connection)
        if not isinstance(head, h11.Request):
            return None
        request = Request(
            head.method.decode(), head.target.decode(), {k.decode(): v.decode("latin-1") for k, v in head.headers}
        )
        with self._progress:
            self.requests.append(request)
            self._progress.notify_all()
        return request

    def _answer(self, sock: socket.socket, connection: h11.Connection, request: Request) -> None:
        what = request.path.removeprefix("/2018-06-01/runtime/")
        if what == "invocation/next":
            self._give_event(sock, connection)
        elif what == "restore/next":
            self._reply(sock, connection, self.restore_status)
        elif what in {"init/error", "restore/error"}:
            self._read_body(sock, connection, request, None)
            self._reply(sock, connection, 202)
            setattr(self, what.replace("/", "_"), request)
        else:
            self._take_answer(sock, connection, request, what)

    def _give_event(self, sock: socket.socket, connection: h11.Connection) -> None:
        invocation = self._events.get()
        if invocation is None:
            self._events.put(None)
            return
        headers = {
            "Lambda-Runtime-Aws-Request-Id": invocation.request_id,
            "Lambda-Runtime-Deadline-Ms": "0",
            **invocation.headers,
        }
        self._reply(sock, connection, 200, headers.items(), invocation.event)

    def _take_answer(self, sock: socket.socket, connection: h11.Connection, request: Request, what: str) -> None:
        _, request_id, kind = what.split("/")
        invocation = self._invocations[request_id]
        setattr(invocation, kind, request)
        if not self._read_body(sock, connection, request, invocation):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            # Whoever waits for the answer goes on only when the runtime can notice the cut.
            sock.close()
        else:
            status = invocation.status if kind == "response" else 202
            self._reply(sock, connection, status)
            if status != 202:
                return  # the runtime may still report the failure
        invocation.answered.set()

    def _read_body(
        self, sock: socket.socket, connection: h11.Connection, request: Request, invocation: StandInInvocation | None
    ) -> bool:
        """Read to the end; False where this host has to cut the connection first."""
        chunk = b""
        while True:
            event = self._event(sock, connection)
            if isinstance(event, h11.EndOfMessage):
                request.chunks += [chunk] if chunk else []
                request.trailers = {k.decode(): v.decode() for k, v in event.headers}
                request.complete = True
                return True
            if not isinstance(event, h11.Data):
                raise OSError("the runtime closed the connection in mid-body")
            chunk += bytes(event.data)
            if event.chunk_end:
                request.chunks.append(chunk)
                chunk = b""
            if invocation is not None:
                invocation.advance()
                if invocation.drop_after_chunks is not None and len(request.chunks) >= invocation.drop_after_chunks:
                    return False

    def _event(self, sock: socket.socket, connection: h11.Connection) -> Any:
        while (event := connection.next_event()) is h11.NEED_DATA:
            connection.receive_data(sock.recv(65_536))
        return event

    def _reply(
        self,
        sock: socket.socket,
        connection: h11.Connection,
        status: int,
        headers: Iterable[tuple[str, str]] = (),
        body: bytes = b"",
    ) -> None:
        all_headers = [*headers, ("Content-Length", str(len(body))), ("Connection", "close")]
        data = connection.send(h11.Response(status_code=status, headers=all_headers, reason=b"-"))
        data += connection.send(h11.Data(data=body)) + connection.send(h11.EndOfMessage())
        sock.sendall(data)
