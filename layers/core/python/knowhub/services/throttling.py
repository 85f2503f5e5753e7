"""How often somebody may try a password: counted per user and per address, before the password is looked at.

An attempt is counted first and forgiven when it was right, so that many at the same moment get no more than the limit.
A user's attempts from a place where they signed in lately have a count of their own: whoever tries a name from
elsewhere can't keep its owner out. Where the count can't be written the attempt is refused.
"""

import ipaddress
import math
from dataclasses import dataclass
from hashlib import sha256

from knowhub.catalog.keys import same_name
from knowhub.catalog.tries import TryRows
from knowhub.errors import RateLimited
from knowhub.ports.clock import Clock

WINDOW_SECONDS = 900
USER_TRIES = 10
ADDRESS_TRIES = 50
KNOWN_SECONDS = 30 * 24 * 3600
_RENEWED_SECONDS = 24 * 3600
_NETWORK_BITS = 64


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt that was admitted: where it is counted."""

    user: str
    place: str
    bucket: str
    window: int
    known_until: int


class Throttle:
    """Counts attempts in the catalog, which every function shares."""

    def __init__(self, rows: TryRows, clock: Clock) -> None:
        """Keep the collaborators."""
        self._rows = rows
        self._clock = clock

    def admit(self, user: str, address: str) -> Attempt:
        """Count an attempt for a user, named as anybody typed it; raises `RateLimited` for one too many."""
        self.admit_address(address)
        place, who = place_of(address), sha256(same_name(user).encode()).hexdigest()
        until = self._rows.known_until(who, place)
        known = until > self._clock.now()
        bucket = f"user#{who}#{place}" if known else f"user#{who}"
        return Attempt(who, place, bucket, self._count(bucket, USER_TRIES), until)

    def admit_address(self, address: str) -> None:
        """Count an attempt from an address; raises `RateLimited` for one too many."""
        self._count(f"address#{place_of(address)}", ADDRESS_TRIES)

    def succeeded(self, attempt: Attempt) -> None:
        """Forgive a user's attempts, and remember the place. The address's count stays: others may share it."""
        now = int(self._clock.now())
        self._rows.forget(attempt.bucket, attempt.window)
        if attempt.known_until < now + KNOWN_SECONDS - _RENEWED_SECONDS:
            self._rows.remember(attempt.user, attempt.place, now + KNOWN_SECONDS)

    def _count(self, bucket: str, most: int) -> int:
        now = self._clock.now()
        window = int(now // WINDOW_SECONDS)
        end = (window + 1) * WINDOW_SECONDS
        if self._rows.count(bucket, window, end) > most:
            raise RateLimited("Too many attempts, try again later", max(1, math.ceil(end - now)))
        return window


def place_of(address: str) -> str:
    """Give what stands for an address: of version 6 the network, in which one machine has any number of addresses."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if found.version == 4:  # noqa: PLR2004 - IP's version
        return str(found)
    return str(ipaddress.ip_network((int(found), _NETWORK_BITS), strict=False).network_address)
