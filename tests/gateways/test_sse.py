"""Server-sent events: heartbeats, errors in mid-stream, clients that go away."""

import json
from collections.abc import Iterator
from threading import Event

import pytest

from knowhub.answering.frames import DeltaFrame, Frame, SourcesFrame
from knowhub.errors import SearchUnavailable
from knowhub.gateways.http.sse import event_stream
from knowhub.gateways.streams import as_stream, joined


def test_an_event_is_one_piece_and_its_data_one_line() -> None:
    pieces = list(event_stream(iter([DeltaFrame("a\nb\u2028海")]), request_id="r"))
    assert pieces == [
        "event: delta\ndata: {}\n\n".format(json.dumps({"text": "a\nb\u2028海"}, ensure_ascii=False)).encode()
    ]
    assert pieces[0].count(b"\n") == 3


def test_a_pause_is_filled_with_comments_between_whole_events() -> None:
    go_on = Event()

    def frames() -> Iterator[Frame]:
        yield SourcesFrame(())
        go_on.wait(30)
        yield DeltaFrame("late")

    stream = event_stream(frames(), request_id="r", heartbeat_seconds=0.01)
    assert next(stream).startswith(b"event: sources")
    assert next(stream) == b": keep-alive\n\n"
    go_on.set()
    rest = b"".join(stream)
    assert b"late" in rest
    assert rest.replace(b": keep-alive\n\n", b"").startswith(b"event: delta")


@pytest.mark.parametrize(
    ("error", "code"), [(SearchUnavailable("away"), "SEARCH_UNAVAILABLE"), (ValueError("secret"), "INTERNAL")]
)
def test_a_failure_in_mid_stream_is_an_error_event_and_the_end(error: Exception, code: str) -> None:
    def frames() -> Iterator[Frame]:
        yield SourcesFrame(())
        raise error

    pieces = list(event_stream(frames(), request_id="req_1"))
    assert len(pieces) == 2
    data = json.loads(pieces[1].split(b"data: ")[1])
    assert pieces[1].startswith(b"event: error\n")
    assert (data["error"]["code"], data["error"]["request_id"]) == (code, "req_1")
    assert b"secret" not in pieces[1]


def test_a_client_that_goes_away_stops_the_work() -> None:
    stopped = Event()

    def frames() -> Iterator[Frame]:
        try:
            while True:
                yield DeltaFrame("x")
        finally:
            stopped.set()

    answer = {"statusCode": 200, "headers": {}, "body": ""}
    stream = as_stream(answer, event_stream(frames(), request_id="r"))
    next(stream)
    next(stream)
    stream.close()  # type: ignore[attr-defined] # a generator, as the runtime gets it
    assert stopped.wait(30)


def test_a_stream_starts_with_its_prelude_and_the_answers_own_body() -> None:
    answer = {"statusCode": 404, "multiValueHeaders": {"A": ["1", "2"]}, "headers": {"B": "3"}, "body": "é"}
    whole = b"".join(as_stream(answer, iter([b"tail"])))
    head, _, body = whole.partition(b"\0" * 8)
    assert json.loads(head) == {"statusCode": 404, "headers": {"A": "1, 2", "B": "3"}}
    assert body == "étail".encode()


def test_where_nothing_streams_the_same_events_are_one_body() -> None:
    answer = {"statusCode": 200, "headers": {}, "body": ""}
    assert joined(answer, iter([b"a", "海".encode()]))["body"] == "a海"
