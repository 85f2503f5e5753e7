"""Streamed answers: passed on as they come, stopped when nobody listens, broken off when the function fails."""

import socket
from collections.abc import Iterator

import httpx
import pytest

from tests.integration.local_host.hosting import Running, until


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("streaming")
    with Running(folder / "state", folder / "scratch", changes={"workers": {"WebFunction": 1}}) as running:
        yield running


@pytest.fixture
def host(shared: Running) -> Running:
    shared.forget()
    return shared


def test_each_part_arrives_before_the_next_one_is_made(host: Running) -> None:
    with host.client.stream("POST", "/api/stream/steps") as response:
        parts = response.iter_raw()
        assert response.status_code == 201
        assert response.headers["content-type"] == "text/event-stream"
        assert "content-length" not in response.headers
        assert next(parts) == b"one\n"
        host.release("second")
        assert next(parts) == b"two\n"
        host.release("third")
        assert list(parts) == [b"three\n"]


def test_a_client_that_goes_away_stops_the_generator_and_the_worker_serves_on(host: Running) -> None:
    before = host.client.get("/api/environment").json()
    with host.client.stream("POST", "/api/stream/endless") as response:
        assert next(response.iter_raw()).startswith(b"again")
    until(lambda: host.noted("stream-closed"))
    assert host.client.get("/api/environment").json() == before


def test_a_client_that_goes_away_before_the_head_stops_the_generator(host: Running) -> None:
    with socket.create_connection(("127.0.0.1", int(host.host.url.rpartition(":")[2]))) as connection:
        connection.sendall(b"POST /api/stream/late HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
        until(lambda: host.noted("begun"))
    host.release("second")
    until(lambda: host.noted("stream-closed"))
    assert host.client.get("/api/x").status_code == 200


def test_a_stream_that_fails_after_its_head_is_broken_off(host: Running) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        host.client.post("/api/stream/fails")
    until(lambda: any("RuntimeError: a stream that fails" in line for line in host.lines))


@pytest.mark.parametrize("what", ["fails-early", "no-prelude"])
def test_a_stream_without_a_head_is_502(host: Running, what: str) -> None:
    response = host.client.post(f"/api/stream/{what}")
    assert response.status_code == 502
    assert response.json()["error"]["code"] == "INTERNAL"


def test_a_whole_answer_on_a_streaming_route_is_passed_on(host: Running) -> None:
    response = host.client.post("/api/stream/buffered")
    assert (response.status_code, response.json()) == (200, "whole")


def test_a_slow_reader_slows_the_worker_down_and_loses_nothing(host: Running) -> None:
    with host.client.stream("POST", "/api/stream/endless") as response:
        parts = response.iter_lines()
        assert {next(parts) for _ in range(100)} == {"again"}
