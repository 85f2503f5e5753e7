"""The identifiers port: randomness as an argument, so that tests decide it."""

from typing import Protocol


class Identifiers(Protocol):
    """A source of unguessable ids."""

    def new(self, prefix: str) -> str:
        """Give `prefix` + 26 lower-case base32 characters (130 random bits); a prefix reads like `job_`."""
