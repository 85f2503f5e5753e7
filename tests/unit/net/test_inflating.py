"""Content codings are undone in steps and under caps, however they were cut."""

import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.errors import SourceFailed
from knowhub.net.inflating import Body
from knowhub.net.policy import Policy


def raw_deflate(data: bytes) -> bytes:
    engine = zlib.compressobj(wbits=-15)
    return engine.compress(data) + engine.flush()


def gzip_members(data: bytes) -> bytes:
    half = len(data) // 2
    return gzip.compress(data[:half]) + gzip.compress(data[half:]) + b"\0\0padding"


CODINGS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("", bytes),
    ("identity", bytes),
    ("gzip", gzip.compress),
    ("X-GZIP", gzip.compress),
    ("gzip", gzip_members),
    ("deflate", zlib.compress),
    ("deflate", raw_deflate),
]


def read(coding: str, data: bytes, step: int, policy: Policy | None = None) -> bytes:
    body = Body(coding, policy or Policy())
    for start in range(0, len(data), step):
        body.add(data[start : start + step])
    return body.whole()


@pytest.mark.parametrize(("coding", "encode"), CODINGS)
@given(data=st.binary(max_size=500), step=st.integers(1, 60), repeat=st.sampled_from([1, 400]))
def test_what_was_encoded_comes_back_however_it_is_cut(
    coding: str, encode: Callable[[bytes], bytes], data: bytes, step: int, repeat: int
) -> None:
    whole = data * repeat
    # Here the question is what comes out: pieces of a byte would make a ratio of any size.
    assert read(coding, encode(whole), step, Policy(free_inflated_bytes=10**6)) == whole


@pytest.mark.parametrize(("coding", "encode"), CODINGS[2:4] + CODINGS[5:])
def test_a_body_that_is_cut_off_is_no_body(coding: str, encode: Callable[[bytes], bytes]) -> None:
    with pytest.raises(SourceFailed) as caught:
        read(coding, encode(b"some text that is long enough")[:-6], 7)
    assert caught.value.detail["reason"] == "BROKEN_ANSWER"


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "compress", "gzip;q=1"])
def test_a_coding_that_was_not_asked_for_is_refused(coding: str) -> None:
    with pytest.raises(SourceFailed) as caught:
        Body(coding, Policy())
    assert caught.value.detail["reason"] == "MALFORMED_ANSWER"


def test_bytes_that_are_not_in_the_coding_are_refused() -> None:
    with pytest.raises(SourceFailed) as caught:
        read("gzip", b"<html>no gzip</html>", 100)
    assert caught.value.detail["reason"] == "MALFORMED_ANSWER"


def test_no_body_needs_no_decoding() -> None:
    assert read("gzip", b"", 1) == b""


@pytest.mark.parametrize(
    "policy",
    [Policy(max_body_bytes=1000, ratio=10**9), Policy(ratio=10, free_inflated_bytes=1000)],
    ids=["by size", "by ratio"],
)
def test_a_bomb_is_stopped_at_the_cap(policy: Policy) -> None:
    with pytest.raises(SourceFailed) as caught:
        read("gzip", gzip.compress(bytes(10**6)), 1000, policy)
    assert caught.value.detail["reason"] == "TOO_LARGE"


def test_a_bomb_is_stopped_before_it_is_in_memory() -> None:
    bomb = gzip.compress(bytes(200 * 1024 * 1024), compresslevel=1)
    tracemalloc.start()
    try:
        with pytest.raises(SourceFailed):
            read("gzip", bomb, 64 * 1024, Policy(max_body_bytes=1024 * 1024, ratio=10**9))
        assert tracemalloc.get_traced_memory()[1] < 8 * 1024 * 1024
    finally:
        tracemalloc.stop()


def test_thousands_of_small_members_are_read_one_after_the_other() -> None:
    assert read("gzip", gzip.compress(b"x", mtime=0) * 5000, 64 * 1024) == b"x" * 5000
