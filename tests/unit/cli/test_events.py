"""Server-sent events survive any way of being cut."""

import itertools
import json
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from knowhub_cli.events import Event, events

STREAM = (
    ": a comment\n\n"
    'event: sources\ndata: {"sources":[]}\n\n'
    'event: delta\r\ndata: {"text":"Größe 🜚 知识"}\r\n\r\n'
    "id: 7\nretry: 10\ndata: one\ndata:two\n\n"
    'event: done\rdata: {"answer":""}\r\r'
).encode()
EXPECTED = [
    Event("sources", '{"sources":[]}'),
    Event("delta", '{"text":"Größe 🜚 知识"}'),
    Event("message", "one\ntwo"),
    Event("done", '{"answer":""}'),
]


def _cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


def test_a_whole_stream_gives_its_events() -> None:
    assert list(events([STREAM])) == EXPECTED


def test_a_stream_of_single_bytes_gives_the_same_events() -> None:
    assert list(events(bytes([byte]) for byte in STREAM)) == EXPECTED


@given(st.lists(st.integers(0, 1000), max_size=12))
def test_a_stream_cut_anywhere_gives_the_same_events(places: list[int]) -> None:
    assert list(events(_cut(STREAM, places))) == EXPECTED


@given(st.lists(st.text(st.characters(codec="utf-8")), max_size=5), st.integers(1, 5))
def test_json_texts_arrive_as_they_were_sent(texts: list[str], size: int) -> None:
    data = b"".join(f"event: delta\ndata: {json.dumps(text, ensure_ascii=False)}\n\n".encode() for text in texts)
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    assert [json.loads(event.data) for event in events(pieces)] == texts


def test_an_event_without_its_blank_line_is_not_given() -> None:
    assert list(events([b"data: half"])) == []
    assert list(events([b"data: half\n"])) == []


def test_an_event_without_data_is_not_given() -> None:
    assert list(events([b"event: delta\n\ndata: x\n\n"])) == [Event("message", "x")]


def test_an_event_is_given_before_the_stream_goes_on() -> None:
    def stream() -> Iterator[bytes]:
        yield b"data: first\n\n"
        raise AssertionError("asked for more before giving the first event")

    assert next(events(stream())) == Event("message", "first")
