"""The clock port: time as an argument, so that tests decide it."""

from typing import Protocol


class Clock(Protocol):
    """Wall-clock time; never used to order writes of different machines."""

    def now(self) -> float:
        """Give the epoch seconds in UTC."""
