"""Trying again: how long, how often, and what is never tried again."""

import itertools

import pytest

from knowhub.calling.retrying import Passing, Retries
from knowhub.errors import Unavailable
from tests.model_servers import Pauses


def run(pauses: Pauses, seconds: float, failures: int, after: float | None = None) -> str:
    left = itertools.count(failures, -1)

    def attempt(_: float) -> str:
        if next(left) > 0:
            raise Passing("busy", after)
        return "done"

    return pauses.retries().within(seconds, attempt)


def test_what_works_at_once_waits_for_nothing() -> None:
    pauses = Pauses()
    assert run(pauses, 5, 0) == "done"
    assert pauses.made == []


def test_pauses_double_up_to_the_longest() -> None:
    pauses = Pauses()
    assert run(pauses, 60, 7) == "done"
    assert pauses.made == [0.25, 0.5, 1, 2, 4, 4, 4]


def test_the_time_is_never_overstepped_by_a_pause() -> None:
    pauses = Pauses()
    with pytest.raises(Unavailable, match="busy"):
        run(pauses, 5, 100)
    assert pauses.made == [0.25, 0.5, 1, 2]


def test_attempts_have_an_end_too() -> None:
    pauses = Pauses()
    with pytest.raises(Unavailable):
        run(pauses, 1e9, 100)
    assert len(pauses.made) == 7


def test_who_wants_to_be_asked_later_is_and_passes_the_wish_on_when_it_is_too_late() -> None:
    pauses = Pauses()
    assert run(pauses, 10, 1, after=3) == "done"
    assert pauses.made == [3]
    with pytest.raises(Unavailable) as caught:
        run(Pauses(), 10, 1, after=30)
    assert caught.value.retry_after == 30


def test_chance_takes_up_to_half_of_a_pause() -> None:
    pauses = Pauses()
    retries = Retries(sleep=pauses.sleep, clock=pauses.clock, chance=lambda: 1.0)
    with pytest.raises(Unavailable):
        retries.within(1, _always_busy)
    assert pauses.made == [0.125, 0.25, 0.5]


def _always_busy(_: float) -> None:
    raise Passing("busy")


def test_an_attempt_is_told_the_time_that_is_left() -> None:
    pauses, told = Pauses(), []

    def attempt(left: float) -> None:
        told.append(left)
        if len(told) < 3:
            raise Passing("busy")

    pauses.retries().within(5, attempt)
    assert told == [5, 4.75, 4.25]


def test_other_failures_pass_on_at_once_and_the_cause_is_kept() -> None:
    def broken(_: float) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        Pauses().retries().within(5, broken)

    def away(_: float) -> None:
        raise Passing("away") from OSError("inside")

    with pytest.raises(Unavailable) as caught:
        Pauses().retries().within(0, away)
    assert isinstance(caught.value.__cause__, OSError)
