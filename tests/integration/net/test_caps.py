"""Answers that never end, end too early, come too slowly, or are more than they seem."""

import gzip
import itertools
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator

import pytest

from knowhub.errors import SourceFailed
from knowhub.net.client import Fetched, GuardedClient
from knowhub.net.policy import Policy
from tests.integration.net.servers import PUBLIC, Names, Routes, StepClock, answer, serving

SMALL = Policy(http=True, max_wire_bytes=10_000, max_body_bytes=8_000)
HEAD = b"HTTP/1.1 200 OK\r\n"


def fetch(pieces: Iterable[bytes], policy: Policy = SMALL, clock: StepClock | None = None) -> Fetched:
    with serving(lambda _: pieces) as server:
        names, routes = Names({"a.example": [[PUBLIC]]}), Routes({PUBLIC: server.port})
        return GuardedClient(policy, names, routes, clock or StepClock()).get("http://a.example/")


def reason(pieces: Iterable[bytes], policy: Policy = SMALL, clock: StepClock | None = None) -> object:
    with pytest.raises(SourceFailed) as caught:
        fetch(pieces, policy, clock)
    return caught.value.detail["reason"]


def chunked(*parts: bytes) -> bytes:
    return b"".join(f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in parts) + b"0\r\n\r\n"


def endless(piece: bytes) -> Iterator[bytes]:
    return itertools.repeat(piece)


CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([answer(b"hello")], b"hello"),
        ([answer(b"")], b""),
        ([CHUNKED, chunked(b"hel", b"lo")], b"hello"),
        ([HEAD + b"\r\n", b"until the end"], b"until the end"),
        ([b"HTTP/1.0 200 OK\r\n\r\nold"], b"old"),
        ([b"HTTP/1.1 100 Continue\r\n\r\n", answer(b"hello")], b"hello"),
        ([answer(b"x" * 8_000)], b"x" * 8_000),
        ([answer(gzip.compress(b"hello"), Content_Encoding="gzip")], b"hello"),
        ([answer(zlib.compress(b"hello"), Content_Encoding="deflate")], b"hello"),
        ([answer(b"hello") + b"and what nobody asked for"], b"hello"),
        ([answer(b"hello", Content_Type="multipart/mixed")], b"hello"),
        ([answer(b"hello", Content_Type="message/rfc822")], b"hello"),
        ([b"HTTP/1.1 204 None\r\n\r\n"], b""),
        ([b"HTTP/1.1 304 Same\r\nContent-Length: 99999\r\n\r\n"], b""),
    ],
)
def test_an_answer_is_read_whole(pieces: list[bytes], expected: bytes) -> None:
    assert fetch(pieces).body == expected


@pytest.mark.parametrize(
    "pieces",
    [
        [answer(b"x" * 8_001)],
        [HEAD + b"Content-Length: 99999999999\r\n\r\n"],
        [HEAD + b"\r\n", b"x" * 20_000],
        [CHUNKED, chunked(b"x" * 9_000)],
        [CHUNKED + b"FFFFFFFF\r\n", b"x" * 20_000],
        [answer(gzip.compress(bytes(8_001)), Content_Encoding="gzip")],
        [answer(gzip.compress(bytes(5_000_000)), Content_Encoding="gzip")],
        [CHUNKED, chunked(*[b"x"] * 5_000)],
    ],
    ids=["one byte over", "announced", "to the end", "in chunks", "in a huge chunk", "inflated", "a bomb", "framing"],
)
def test_an_answer_over_a_cap_is_left(pieces: list[bytes]) -> None:
    assert reason(pieces) == "TOO_LARGE"


@pytest.mark.parametrize(
    "pieces",
    [
        lambda: itertools.chain([HEAD + b"\r\n"], endless(b"x" * 1000)),
        lambda: itertools.chain([CHUNKED], endless(b"1\r\nx\r\n" * 100)),
        lambda: itertools.chain([CHUNKED + b"0\r\n"], endless(b"Trailer: x\r\n" * 90)),
        lambda: endless(b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    ],
    ids=["body", "chunks", "trailers", "interim answers"],
)
def test_an_answer_without_end_is_left(pieces: Callable[[], Iterator[bytes]]) -> None:
    assert reason(pieces()) in {"TOO_LARGE", "MALFORMED_ANSWER"}


def test_an_answer_may_inflate_only_so_many_times() -> None:
    bomb = answer(gzip.compress(bytes(2_000_000)), Content_Encoding="gzip")
    roomy = Policy(http=True, ratio=100)
    assert reason([bomb], roomy) == "TOO_LARGE"
    assert len(fetch([bomb], Policy(http=True, ratio=5000)).body) == 2_000_000


@pytest.mark.parametrize(
    "pieces",
    [
        [],
        [b"HTTP/1.1 200 OK\r\nContent-Le"],
        [HEAD + b"Content-Length: 10\r\n\r\n", b"short"],
        [CHUNKED + b"5\r\nhel"],
        [CHUNKED + b"5\r\nhello\r\n"],
        [answer(gzip.compress(b"hello" * 50)[:-9], Content_Encoding="gzip")],
    ],
    ids=["nothing", "in the head", "length", "in a chunk", "no last chunk", "inflated"],
)
def test_an_answer_that_ends_too_early_is_no_answer(pieces: list[bytes]) -> None:
    assert reason(pieces) in {"BROKEN_ANSWER", "MALFORMED_ANSWER"}


@pytest.mark.parametrize(
    "pieces",
    [
        [b"SSH-2.0-OpenSSH_9.6\r\n"],
        [b"ICY 200 OK\r\n\r\n"],
        [HEAD + b"Content-Length: -5\r\n\r\nhello"],
        [HEAD + b"Content-Length: 1_0\r\n\r\nhellohello"],
        [HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"],
        [HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", chunked(b"hello")],
        [HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n", chunked(b"hello")],
        [CHUNKED + b"zz\r\nhello\r\n"],
        [HEAD + b"no header\r\nContent-Length: 5\r\n\r\nhello"],
        [answer(b"hello", Content_Encoding="br")],
        [HEAD + b"X: " + b"a" * 70_000 + b"\r\n\r\n"],
        [HEAD + b"X: a\r\n" * 200 + b"\r\n"],
        [b"HTTP/1.1 103 Early\r\n\r\n"],
    ],
)
def test_an_answer_that_can_be_understood_in_two_ways_is_no_answer(pieces: list[bytes]) -> None:
    roomy = Policy(http=True)
    assert reason(pieces, roomy) in {"MALFORMED_ANSWER", "BROKEN_ANSWER"}


def test_a_peer_that_says_nothing_is_not_waited_for() -> None:
    over = threading.Event()

    def silent() -> Iterator[bytes]:
        over.wait(20)
        yield b""

    with serving(lambda _: silent()) as server:
        names, routes = Names({"a.example": [[PUBLIC]]}), Routes({PUBLIC: server.port})
        client = GuardedClient(Policy(http=True, first_byte_seconds=0.05), names, routes)
        with pytest.raises(SourceFailed) as caught:
            client.get("http://a.example/")
        over.set()
    assert caught.value.detail == {"reason": "TOO_SLOW", "transient": True}


def test_a_peer_that_stops_in_the_middle_is_not_waited_for() -> None:
    over = threading.Event()

    def stopping() -> Iterator[bytes]:
        yield HEAD + b"Content-Length: 100\r\n\r\nhalf"
        over.wait(20)

    with serving(lambda _: stopping()) as server:
        names, routes = Names({"a.example": [[PUBLIC]]}), Routes({PUBLIC: server.port})
        client = GuardedClient(Policy(http=True, total_seconds=0.2), names, routes)
        with pytest.raises(SourceFailed) as caught:
            client.get("http://a.example/")
        over.set()
    assert caught.value.detail["reason"] == "TOO_SLOW"


@pytest.mark.parametrize("head", [b"", HEAD, HEAD + b"\r\n"], ids=["status line", "headers", "body"])
def test_a_peer_that_drips_is_ended_by_the_minimum_speed(head: bytes) -> None:
    """Every look at the clock takes a second, so that a byte at a time is a byte in some seconds."""
    assert reason(itertools.chain([head], endless(b"X")), Policy(http=True, total_seconds=1e9), StepClock(1)) in {
        "TOO_SLOW",
        "MALFORMED_ANSWER",
    }


def test_a_whole_call_has_one_deadline() -> None:
    policy = Policy(http=True, total_seconds=30, speed_grace_seconds=1e9)
    assert reason(itertools.chain([HEAD + b"\r\n"], endless(b"x" * 10)), policy, StepClock(1)) == "TOO_SLOW"


def test_the_deadline_is_for_all_hops_together() -> None:
    clock = StepClock(1)
    policy = Policy(http=True, total_seconds=20, first_byte_seconds=1e9)
    with serving(lambda _: [b"HTTP/1.1 302 Go\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"]) as server:
        names, routes = Names({"a.example": [[PUBLIC]]}), Routes({PUBLIC: server.port})
        with pytest.raises(SourceFailed) as caught:
            GuardedClient(policy, names, routes, clock).get("http://a.example/")
    assert caught.value.detail["reason"] in {"TOO_SLOW", "UNREACHABLE"}
    assert len(server.requests) < 6
