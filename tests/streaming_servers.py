"""Servers on loopback that stream as models' servers do, byte for byte as a test says."""

import json
import struct
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.model_servers import Asked, Reply

EVENTS = "text/event-stream; charset=utf-8"
AWS_EVENTS = "application/vnd.amazon.eventstream"


@dataclass(frozen=True)
class Streamed:
    """A good answer in pieces; with `whole` false the connection ends without the closing chunk."""

    pieces: Iterable[bytes]
    content_type: str = EVENTS
    whole: bool = True


@dataclass
class StreamingServer:
    """A server that runs; `hung_up` is set once a client has left an answer in the middle."""

    port: int
    asked: list[Asked] = field(default_factory=list)
    hung_up: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


Answering = Callable[[Asked], Reply | Streamed]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    served: StreamingServer
    answering: Answering

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        self.served.asked.append(asked)
        reply = type(self).answering(asked)
        self.close_connection = True
        with suppress(ConnectionError):
            if isinstance(reply, Reply):
                self._plain(reply)
            else:
                self._stream(reply)

    def _plain(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)

    def _stream(self, reply: Streamed) -> None:
        self.send_response(200)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for piece in reply.pieces:
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        except ConnectionError:
            self.served.hung_up.set()
            raise
        if reply.whole:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *arguments: object) -> None:
        """Stay silent."""


@contextmanager
def streaming_server(answering: Answering) -> Iterator[StreamingServer]:
    """Answer every POST until the test is over."""
    handler = type("Handler", (_Handler,), {"answering": staticmethod(answering)})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        served = handler.served = StreamingServer(server.server_address[1])  # type: ignore[attr-defined]  # made above
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()


def event(content: object) -> bytes:
    """Write one server-sent event."""
    return f"data: {json.dumps(content, ensure_ascii=False)}\n\n".encode()


def aws_event(kind: str, content: Mapping[str, Any], *, message_type: str = "event") -> bytes:
    """Write one event as AWS streams them: lengths, headers, JSON and two checksums."""
    name = ":event-type" if message_type == "event" else ":exception-type"
    told = {":message-type": message_type, name: kind, ":content-type": "application/json"}
    headers = b"".join(
        bytes([len(key)]) + key.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for key, value in told.items()
    )
    payload = json.dumps(content).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + payload
    return message + struct.pack(">I", zlib.crc32(message))
