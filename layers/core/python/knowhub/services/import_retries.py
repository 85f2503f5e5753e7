"""When an item that could not be fetched is fetched again, and when it has been enough: pure decisions."""

import math
import zlib
from dataclasses import dataclass

from knowhub.errors import SourceFailed
from knowhub.model.source import ListedItem
from knowhub.ports.sources_rules import NOT_YET

MOST_TRIES = 5
"""Of one item in one import; what only waits for its turn does not count."""

BUDGET_SECONDS = 2 * 3600
"""From an item's first failure: what comes back later than this is lost until the next reload."""

_FIRST_PAUSE, _LONGEST_PAUSE = 5, 300
_LONGEST_JITTER = 30


@dataclass(frozen=True, slots=True)
class Verdict:
    """`next_at` in epoch seconds, None where it is given up for the reason `message`; the rest is to be kept."""

    next_at: int | None
    message: str
    tries: int
    since: int


def judge(error: SourceFailed, item: ListedItem, now: float) -> Verdict:
    """Decide over an item that failed to be fetched, from what is known of its earlier tries in this import."""
    if not error.detail.get("transient"):
        return Verdict(None, error.message, item.tries, item.since)
    turn = error.detail.get("reason") == NOT_YET
    asked = _asked(error, now)
    tries = item.tries + (not turn)
    since = item.since or (0 if turn and not error.detail.get("asked") else int(now))
    if tries >= MOST_TRIES:
        return Verdict(None, f"{error.message}; given up after {tries} tries", tries, since)
    wait = asked if turn else _wait(asked, tries, item)
    if since and now + wait - since > BUDGET_SECONDS:
        message = f"{error.message}; given up, since an import waits {BUDGET_SECONDS} s at most and this takes longer"
        return Verdict(None, message, tries, since)
    return Verdict(math.ceil(now + wait), error.message, tries, since)


def _asked(error: SourceFailed, now: float) -> float:
    """Give the seconds that the other side wants to be left alone; a wish that lies behind us is none."""
    seconds, at = error.detail.get("retry_after"), error.detail.get("retry_at")
    if isinstance(seconds, int | float):
        return max(float(seconds), 0.0)
    return max(float(at) - now, 0.0) if isinstance(at, int | float) else 0.0


def _wait(asked: float, tries: int, item: ListedItem) -> float:
    """Double the pause with each try, spread; never come back before the time that was asked for."""
    pause = min(_FIRST_PAUSE * 2.0 ** (tries - 1), _LONGEST_PAUSE)
    spread = _spread(item, tries)
    return max(pause * (0.5 + spread / 2), asked + spread * min(asked / 10, _LONGEST_JITTER))


def _spread(item: ListedItem, tries: int) -> float:
    """Give a number from 0 to 1 that differs from item to item and try to try, and stays the same in a repetition."""
    return zlib.crc32(f"{item.doc_id}/{item.run}/{tries}".encode()) / 2**32
