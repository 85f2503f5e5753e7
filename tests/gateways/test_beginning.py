"""Work that begins before its answer: what fails soon, what takes long, who leaves."""

import json
from collections.abc import Iterator
from threading import Event

import pytest

from knowhub.answering.frames import DeltaFrame, Frame
from knowhub.answering.limits import Limits
from knowhub.errors import NotFound, SearchUnavailable
from knowhub.gateways.http.beginning import Beginning
from knowhub.gateways.http.sse import event_stream


def test_what_fails_at_once_is_raised_before_the_head() -> None:
    def fail() -> None:
        raise NotFound("KB")

    with pytest.raises(NotFound):
        Beginning(fail).settle(30)


def test_what_takes_long_is_waited_for_behind_the_head_with_heartbeats() -> None:
    go_on = Event()
    begun = Beginning(lambda: go_on.wait(30))
    begun.settle(0.01)

    def frames() -> Iterator[Frame]:
        assert begun.result(Limits(lambda: 60))
        yield DeltaFrame("late")

    stream = event_stream(frames(), request_id="r", heartbeat_seconds=0.01)
    assert [next(stream) for _ in range(2)] == [b": keep-alive\n\n"] * 2
    go_on.set()
    assert b"late" in b"".join(stream)


def test_what_fails_behind_the_head_is_an_error_event() -> None:
    go_on = Event()

    def fail() -> None:
        go_on.wait(30)
        raise SearchUnavailable("away")

    begun = Beginning(fail)
    begun.settle(0.01)

    def frames() -> Iterator[Frame]:
        begun.result(Limits(lambda: 60))
        yield DeltaFrame("never")

    go_on.set()
    (event,) = [piece for piece in event_stream(frames(), request_id="r") if not piece.startswith(b":")]
    assert json.loads(event.split(b"data: ")[1])["error"]["code"] == "SEARCH_UNAVAILABLE"


def test_time_that_runs_out_ends_the_wait() -> None:
    go_on = Event()
    begun = Beginning(lambda: go_on.wait(30))
    with pytest.raises(SearchUnavailable):
        begun.result(Limits(lambda: 0))
    go_on.set()


def test_who_leaves_waits_no_longer() -> None:
    go_on = Event()
    begun = Beginning(lambda: go_on.wait(30))
    assert begun.result(Limits(lambda: 60, lambda: True)) is None
    go_on.set()
