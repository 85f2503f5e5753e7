"""How long an answer may take, and whether anybody still waits for it."""

from collections.abc import Callable
from dataclasses import dataclass


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Limits:
    """`remaining` gives the seconds that are left, 0 or less when time is up; `stopped` says that nobody waits."""

    remaining: Callable[[], float]
    stopped: Callable[[], bool] = _never

    def reached(self) -> bool:
        """Tell whether time is up."""
        return self.remaining() <= 0


def limits_until(end: float, clock: Callable[[], float], stopped: Callable[[], bool] = _never) -> Limits:
    """Give the limits of an answer that is to be there by a moment of a clock, both in seconds."""
    return Limits(lambda: end - clock(), stopped)
