"""When an item is fetched again, and when not any more."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.errors import SourceFailed
from knowhub.model.source import ListedItem
from knowhub.ports.sources_rules import not_yet
from knowhub.services.import_retries import BUDGET_SECONDS, MOST_TRIES, judge

NOW = 1_800_000_000.25
ITEM = ListedItem("d_1", "https://a.example/", "https://a.example/", 1)


def busy(**detail: object) -> SourceFailed:
    return SourceFailed("busy", {"reason": "STATUS", "transient": True, **detail})


@given(st.integers(0, MOST_TRIES - 2), st.one_of(st.none(), st.floats(-1e9, BUDGET_SECONDS / 2)), st.text("abc"))
def test_a_wait_is_as_long_as_was_asked_and_bounded_beyond(tries: int, asked: float | None, doc_id: str) -> None:
    item = replace(ITEM, doc_id=doc_id, tries=tries, since=int(NOW))
    verdict = judge(busy() if asked is None else busy(retry_after=asked), item, NOW)
    assert verdict.next_at is not None
    wanted = max(asked or 0.0, 0.0)
    backoff = min(5 * 2**tries, 300)
    assert max(wanted, backoff / 2) <= verdict.next_at - NOW <= max(wanted + 31, backoff + 1)
    assert verdict.tries == tries + 1
    assert verdict == judge(busy() if asked is None else busy(retry_after=asked), item, NOW)


def test_items_that_fail_together_come_back_apart() -> None:
    asked = busy(retry_after=300)
    times = {judge(asked, replace(ITEM, doc_id=f"d_{number}"), NOW).next_at for number in range(100)}
    assert len(times) > 10


def test_pauses_grow_from_try_to_try() -> None:
    first = [judge(busy(), replace(ITEM, doc_id=f"d_{n}"), NOW).next_at or 0 for n in range(50)]
    later = [judge(busy(), replace(ITEM, doc_id=f"d_{n}", tries=3), NOW).next_at or 0 for n in range(50)]
    assert max(first) < min(later)


@pytest.mark.parametrize("at", [NOW + 700, NOW - 700])
def test_a_time_is_counted_from_now_and_one_that_has_passed_asks_for_nothing(at: float) -> None:
    verdict = judge(busy(retry_at=at), ITEM, NOW)
    assert verdict.next_at is not None
    assert (verdict.next_at - NOW >= 700) is (at > NOW)


def test_after_enough_tries_it_is_given_up_and_says_so() -> None:
    verdict = judge(busy(), replace(ITEM, tries=MOST_TRIES - 1, since=int(NOW)), NOW)
    assert (verdict.next_at, verdict.message) == (None, f"busy; given up after {MOST_TRIES} tries")


def test_beyond_the_budget_it_is_given_up_and_says_so() -> None:
    for asked, since in ((BUDGET_SECONDS + 1, 0), (10, int(NOW) - BUDGET_SECONDS)):
        verdict = judge(busy(retry_after=asked), replace(ITEM, since=since), NOW)
        assert verdict.next_at is None
        assert f"{BUDGET_SECONDS} s" in verdict.message


def test_what_can_not_pass_is_given_up_at_once_in_its_own_words() -> None:
    verdict = judge(SourceFailed("gone", {"reason": "STATUS", "transient": False}), ITEM, NOW)
    assert (verdict.next_at, verdict.message) == (None, "gone")


def test_waiting_for_ones_turn_is_no_try_and_takes_no_budget() -> None:
    verdict = judge(not_yet(20.5, asked=False), replace(ITEM, tries=MOST_TRIES - 1), NOW)
    assert (verdict.next_at, verdict.tries, verdict.since) == (int(NOW) + 21, MOST_TRIES - 1, 0)


def test_waiting_because_the_host_asks_for_it_takes_budget() -> None:
    verdict = judge(not_yet(20, asked=True), ITEM, NOW)
    assert (verdict.tries, verdict.since) == (0, int(NOW))
    assert judge(not_yet(20, asked=True), replace(ITEM, since=int(NOW) - BUDGET_SECONDS), NOW).next_at is None
