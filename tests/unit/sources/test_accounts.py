"""Counts add up, and what is lost is not gone."""

import pytest

from knowhub.errors import SourceFailed
from knowhub.model.document import Loss
from knowhub.sources.accounts import missing, settle


def test_a_sum_that_is_explained_is_accepted() -> None:
    settle(declared=5, read=3, losses=2)


@pytest.mark.parametrize(
    ("declared", "read", "losses", "reason"),
    [(5, 3, 1, "DOES_NOT_ADD_UP"), (5, 6, 0, "DOES_NOT_ADD_UP"), (3, 0, 3, "NOTHING_READ"), (0, 0, 0, "NOTHING_READ")],
)
def test_a_sum_that_is_not_is_a_failure(declared: int, read: int, losses: int, reason: str) -> None:
    with pytest.raises(SourceFailed) as caught:
        settle(declared=declared, read=read, losses=losses)
    assert caught.value.detail["reason"] == reason


def test_only_what_is_neither_seen_nor_lost_is_missing() -> None:
    known = ["file:///d/a", "file:///d/b", "file:///d/sub/c", "file:///d/sub2/c", "file:///d/e"]
    losses = [Loss("TOO_LARGE", "file:///d/b", ""), Loss("UNREADABLE", "file:///d/sub/", "")]
    assert missing(known, ["file:///d/a"], losses) == ["file:///d/sub2/c", "file:///d/e"]
    assert missing(known, [], []) == known
