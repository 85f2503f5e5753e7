"""Manners towards hosts that are fetched from: what their robots.txt asks, how often, and when not at all."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from knowhub.errors import SourceFailed
from knowhub.net.wire import Monotonic
from knowhub.ports.sources_rules import not_yet
from knowhub.sources.robots import RobotsTexts, disallowed

FAILURES = 3
"""After so many in a row a host is not asked any more by this reading."""

LONGEST_DELAY = 30.0
"""Seconds between two requests that a robots.txt can bring about."""

_LONGEST_PAUSE = 1.0


@dataclass(frozen=True, slots=True)
class Pace:
    """How requests to one host are spaced: `gap` in seconds, a clock that never goes back, and how to wait a little."""

    gap: float = 0.0
    clock: Monotonic = time.monotonic
    pause: Callable[[float], None] = time.sleep


@dataclass(slots=True)
class _Host:
    """One host in one reading."""

    next_at: float = 0.0
    answered: bool = False
    failures: int = 0
    closed: SourceFailed | None = None


class Visits:
    """The requests of one reading, by host; nothing of it outlives the reading.

    Waits of up to a second are waited for, longer ones raise `NOT_YET`: each caller gets a later place, so that all of
    them come back spaced. A host that has not answered `FAILURES` requests, and no other, or does not give its
    robots.txt, fails for the rest of the reading without being asked.
    """

    def __init__(self, robots: RobotsTexts | None, pace: Pace) -> None:
        """Keep the collaborators; without robots nobody's robots.txt is asked for."""
        self._robots = robots
        self._pace = pace
        self._hosts: dict[str, _Host] = {}

    def begin(self, url: str) -> None:
        """Wait for the turn of a request; raises `SourceFailed` where it is not to be made, or not now."""
        delay = self._permitted(url)
        host = self._host(url)
        now = self._pace.clock()
        at = max(now, host.next_at)
        host.next_at = at + max(self._pace.gap, delay)
        if at - now > _LONGEST_PAUSE:
            raise not_yet(at - now, asked=host.failures > 0)
        if at > now:
            self._pace.pause(at - now)

    def permit(self, url: str) -> None:
        """Raise `SourceFailed` for an address that its site asks not to fetch; for where a redirect leads."""
        self._permitted(url)

    def succeeded(self, url: str) -> None:
        """Note an answer that was of use."""
        host = self._host(url)
        host.answered, host.failures = True, 0

    def failed(self, url: str, error: SourceFailed) -> None:
        """Note that a request failed, and until when its host wants to be left alone."""
        host = self._host(url)
        host.failures += 1
        host.answered = host.answered or error.detail.get("reason") != "UNREACHABLE"
        if not host.answered and host.failures >= FAILURES:
            host.closed = error
        asked = error.detail.get("retry_after")
        if isinstance(asked, int | float):
            host.next_at = max(host.next_at, self._pace.clock() + asked)

    def _permitted(self, url: str) -> float:
        """Give the seconds that the site wants between two requests."""
        host = self._host(url)
        if host.closed is not None:
            raise SourceFailed(host.closed.message, host.closed.detail)
        if self._robots is None:
            return 0.0
        try:
            rules = self._robots.rules(url)
        except SourceFailed as error:
            host.closed = error
            raise
        host.answered = True
        if not rules.permit(url):
            raise disallowed()
        return min(rules.delay, LONGEST_DELAY)

    def _host(self, url: str) -> _Host:
        return self._hosts.setdefault(url.partition("://")[2].partition("/")[0].lower(), _Host())
