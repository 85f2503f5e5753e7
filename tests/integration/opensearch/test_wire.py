"""The vendor's client against servers on loopback that fail as engines and what stands before them do."""

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from botocore.credentials import Credentials

from knowhub.errors import SearchUnavailable
from knowhub.ports.chunk_index import EveryLeg, IndexScope
from knowhub.stores.opensearch.chunk_reader import Facts
from knowhub.stores.opensearch.engine import Engine
from knowhub.stores.opensearch.index import OpenSearchChunkIndex
from knowhub.stores.opensearch.places import Place
from knowhub.stores.opensearch.wire import Busy, ClientWire, Refused

JSON = "application/json; charset=UTF-8"
GOOD = (
    b'{"took":1,"responses":[{"took":1,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},'
    b'"hits":{"hits":[{"fields":{"doc_id":["a"],"kb_id":["1"],"revision":[1]},"sort":["a:1:1"]}]},"status":200}]}'
)


@dataclass(frozen=True)
class Said:
    """One answer."""

    status: int = 200
    body: bytes = GOOD
    kind: str = JSON
    waits: bool = False


@dataclass
class Stub:
    """A server, what it says in turn (the last answer stays), and what it was sent."""

    answers: list[Said]
    port: int = 0
    released: threading.Event = field(default_factory=threading.Event)
    heads: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def wire(self, credentials: Any = None) -> ClientWire:
        place = Place("127.0.0.1", self.port, tls=False, signed=credentials is not None, prefix="hub")
        return ClientWire(place, credentials)


@contextmanager
def serving(*answers: Said) -> Iterator[Stub]:
    stub = Stub(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            stub.heads.append({name.lower(): value for name, value in self.headers.items()})
            stub.paths.append(self.path)
            said = stub.answers.pop(0) if len(stub.answers) > 1 else stub.answers[0]
            if said.waits:
                stub.released.wait(20)
                return
            self.send_response(said.status)
            self.send_header("Content-Type", said.kind)
            self.send_header("Content-Length", str(len(said.body)))
            self.end_headers()
            self.wfile.write(said.body)

        def log_message(self, *arguments: object) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    stub.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield stub
    finally:
        stub.released.set()
        server.shutdown()
        thread.join()
        server.server_close()


def searched(wire: ClientWire, deadline: float = 5.0) -> list[str]:
    engine = Engine(wire, deadline=deadline, sleep=lambda _: None)
    index = OpenSearchChunkIndex(engine, "hub-1", "hub-1-writes", lambda: Facts(0, 1), exact_scope=1)
    try:
        (result,) = index.search([EveryLeg()], IndexScope(frozenset({1})), 5)
    finally:
        engine.close()
    return [candidate.chunk_id for candidate in result.candidates]


@pytest.mark.parametrize(
    "first",
    [
        Said(503, b'{"error":{"type":"cluster_block_exception"},"status":503}'),
        Said(429, b'{"error":{"type":"circuit_breaking_exception"},"status":429}'),
        Said(504, b"<html>gateway</html>", "text/html"),
        Said(200, b"<html>please wait</html>", "text/html"),
        Said(200, b'{"took":1,"respon', JSON),
        Said(200, b"", JSON),
        Said(200, b"[]", JSON),
    ],
)
def test_what_is_no_answer_is_asked_for_again(first: Said) -> None:
    with serving(first, first, Said()) as stub:
        assert searched(stub.wire()) == ["a:1:1"]
        assert len(stub.paths) == 3


def test_an_engine_that_hangs_is_given_up() -> None:
    with serving(Said(waits=True)) as stub, pytest.raises(SearchUnavailable):
        searched(stub.wire(), deadline=0.4)


def test_an_engine_that_is_not_there_is_busy() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        wire = ClientWire(Place("127.0.0.1", taken.getsockname()[1], tls=False, signed=False, prefix="hub"))
        with pytest.raises(Busy):
            wire.send("GET", "/", {}, None, 1.0)
        wire.close()


def test_a_refusal_keeps_status_and_name() -> None:
    with serving(Said(403, b'{"error":{"type":"security_exception","reason":"no permissions for user"}}')) as stub:
        wire = stub.wire()
        with pytest.raises(Refused, match=r"^403 security_exception$"):
            wire.send("POST", "/hub-1/_count", {}, b"{}", 1.0)
        wire.close()


def test_requests_are_signed_for_the_domain_with_the_credentials_of_the_moment() -> None:
    asked: list[int] = []

    def credentials() -> tuple[Credentials, str]:
        asked.append(1)
        return Credentials("AKIDEXAMPLE", "hidden", "session"), "eu-central-1"

    with serving(Said()) as stub:
        wire = stub.wire(credentials)
        assert asked == []
        for _ in range(2):
            wire.send("POST", "/hub-1/_msearch", {}, b"{}\n{}\n", 1.0)
        wire.close()
    assert asked == [1]
    for head in stub.heads:
        scope = r"Credential=AKIDEXAMPLE/\d{8}/eu-central-1/es/aws4_request"
        assert re.search(scope, head["authorization"])
        assert head["x-amz-security-token"] == "session"
        assert "hidden" not in str(head)


def test_without_credentials_nothing_is_signed() -> None:
    with serving(Said()) as stub:
        wire = stub.wire()
        wire.send("POST", "/hub-1/_msearch", {}, b"{}\n{}\n", 1.0)
        wire.close()
    assert "authorization" not in stub.heads[0]
    assert stub.heads[0]["content-type"] == "application/x-ndjson"
