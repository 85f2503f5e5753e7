"""The way to models over HTTP: where a connection goes, who is believed to be the model, and how long it may take."""

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from knowhub.calling.endpoints import endpoint
from knowhub.calling.posting import Poster
from knowhub.calling.retrying import Passing
from knowhub.net.connecting import DirectConnector
from tests.integration.net.servers import PUBLIC, Names, Routes, StepClock, answer, certificate, serving

SECRET = "sk-made-up-0123"
DONE = answer(b'{"done": true}')


def post(poster: Poster, *, seconds: float = 20.0) -> object:
    return poster.post("/x", {"text": "é"}, secret=SECRET, seconds=seconds, most=1000)


class Loopback:
    """Connects to a port of this machine whatever address is asked for, and shakes hands as given."""

    def __init__(self, port: int, inner: DirectConnector) -> None:
        self.port = port
        self.inner = inner

    def connect(self, address: object, port: int, *, server_name: str | None, seconds: float) -> socket.socket:  # noqa: ARG002 - the port's signature
        from knowhub.net.addresses import parse

        local = parse("127.0.0.1")
        assert local is not None
        return self.inner.connect(local, self.port, server_name=server_name, seconds=seconds)


def test_an_encrypted_server_may_be_anywhere_and_shows_a_certificate_of_its_name(tmp_path: Path) -> None:
    server_side, client_side = certificate(tmp_path, "model.internal")
    names = Names({"model.internal": [["10.1.2.3"]], "other.internal": [["10.1.2.3"]]})
    with serving(lambda _: [DONE], server_side) as server:
        connector = Loopback(server.port, DirectConnector(client_side))
        assert post(Poster(endpoint("https://model.internal/v1"), names, connector)) == {"done": True}
        assert server.names == ["model.internal"]
        assert server.requests[0].startswith("POST /v1/x HTTP/1.1\r\nhost: model.internal\r\n")
        with pytest.raises(Passing):
            post(Poster(endpoint("https://other.internal/v1"), names, connector))
        with pytest.raises(Passing):
            post(Poster(endpoint("https://model.internal/v1"), names, Loopback(server.port, DirectConnector())))
    assert len(server.requests) == 1


def test_without_encryption_nothing_leaves_this_machine_whatever_the_name_leads_to() -> None:
    routes = Routes({PUBLIC: 1})
    with pytest.raises(Passing):
        post(Poster(endpoint("http://localhost:8080/v1"), Names({"localhost": [[PUBLIC]]}), routes))
    assert routes.made == []


def test_an_unknown_name_is_told_as_such() -> None:
    with pytest.raises(Passing, match="is not found"):
        post(Poster(endpoint("https://model.example.com"), Names({}), Routes({})))


def test_every_address_of_a_name_is_tried() -> None:
    with serving(lambda _: [DONE]) as server:
        names = Names({"localhost": [["127.0.0.2", "127.0.0.1"]]})
        assert post(Poster(endpoint(f"http://localhost:{server.port}"), names, Routes({"127.0.0.1": server.port})))


def dripping(_: str) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n"
    while True:
        yield b" "
        time.sleep(0.001)


def test_an_answer_that_comes_byte_by_byte_is_given_up_when_the_time_is_over() -> None:
    with serving(dripping) as server, pytest.raises(Passing, match="does not answer"):
        post(Poster(endpoint(f"http://127.0.0.1:{server.port}"), clock=StepClock(step=0.1)), seconds=3)


def test_a_call_without_any_time_left_is_not_made() -> None:
    with serving(lambda _: [DONE]) as server, pytest.raises(Passing):
        post(Poster(endpoint(f"http://127.0.0.1:{server.port}")), seconds=0)
    assert server.requests == []


def test_what_is_sent_is_json_in_utf_8_and_its_length() -> None:
    with serving(lambda _: [DONE]) as server:
        post(Poster(endpoint(f"http://127.0.0.1:{server.port}")))
    headers = server.headers()
    assert headers["content-type"] == "application/json"
    assert int(headers["content-length"]) == len(
        json.dumps({"text": "é"}, ensure_ascii=False, separators=(",", ":")).encode()
    )
    assert headers["authorization"] == f"Bearer {SECRET}"
