"""Trying again, within a time: what passes by itself is waited for, everything else is said at once."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from knowhub.errors import Unavailable

Answer = TypeVar("Answer")


class Passing(Exception):
    """One attempt came to nothing, and the next may not; `after` is when the other side wants to be asked again.

    Never leaves `Retries`: the last one becomes an `Unavailable` with its message.
    """

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.after = after


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How often and how long one call is tried; times in seconds.

    Pauses double from `first_pause` to `longest_pause`; each is shortened by chance to as little as half, so that many
    callers who were refused together do not come back together.
    """

    first_pause: float = 0.25
    longest_pause: float = 4.0
    attempts: int = 8
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random

    def within(self, seconds: float, attempt: Callable[[float], Answer]) -> Answer:
        """Give the first answer; `attempt` is told the seconds that are left.

        Raises `Unavailable` when the time or the attempts are spent, or would be after the next pause; whatever else
        an attempt raises passes on.
        """
        end = self.clock() + seconds
        pause = self.first_pause
        for number in range(1, self.attempts + 1):
            try:
                return attempt(max(end - self.clock(), 0.0))
            except Passing as failure:
                wait = max(pause * (1 - self.chance() / 2), failure.after or 0.0)
                if number == self.attempts or self.clock() + wait >= end:
                    raise _unavailable(failure) from (failure.__cause__ or failure)
            self.sleep(wait)
            pause = min(2 * pause, self.longest_pause)
        raise AssertionError("there is at least one attempt")


def _unavailable(failure: Passing) -> Unavailable:
    error = Unavailable(failure.message)
    if failure.after is not None:
        error.retry_after = max(1, round(failure.after))
    return error
