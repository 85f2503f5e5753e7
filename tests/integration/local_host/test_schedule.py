"""Ticks: one at a time, on their grid, and never more than one to catch up on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub_cli.local.schedule import next_due

TIMES = st.integers(min_value=0, max_value=10_000)


@pytest.mark.parametrize(
    ("due", "now", "following"),
    [
        (0, 0, 60),
        (0, 59, 60),
        (0, 60, 60),
        (0, 61, 60),
        (0, 119, 60),
        (0, 120, 120),
        (0, 1000, 960),
        (60, 61, 120),
    ],
)
def test_the_next_tick_is_on_the_grid(due: float, now: float, following: float) -> None:
    assert next_due(due, now, 60) == following


@given(due=TIMES, took=TIMES, seconds=st.integers(min_value=1, max_value=600))
def test_at_most_one_missed_tick_is_caught_up_on(due: int, took: int, seconds: int) -> None:
    now = due + took
    following = next_due(due, now, seconds)
    assert following > due
    assert (following - due) % seconds == 0
    assert next_due(following, max(now, following), seconds) >= now
