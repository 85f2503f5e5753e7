"""What sites ask of robots in their robots.txt (RFC 9309), read by the address of a page."""

import re
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from knowhub.errors import SourceFailed
from knowhub.net.client import Fetched, GuardedClient
from knowhub.net.failures import failure
from knowhub.net.wire import Monotonic
from knowhub.sources.statuses import refused

if TYPE_CHECKING:
    from protego import Protego

AGENT = "knowhub"
"""The product token under which a site may address this hub."""

KEPT_SECONDS = 600.0
_KEPT_SITES = 500
_MOST_BYTES = 512_000
"""RFC 9309 asks for at least 500 KiB; what is beyond is not looked at."""

_BUSY = 429
_FIRST_REFUSAL, _FIRST_FAULT = 400, 500
_AGENT_LINE = re.compile(r"[ \t\ufeff]*user(?:[ \t]+|-)?agent[ \t]*:?", re.IGNORECASE)
_TOKEN = re.compile(r"[a-z_-]+|\*")


@dataclass(frozen=True, slots=True)
class Rules:
    """What one site's robots.txt says to this hub."""

    parsed: "Protego | None"
    delay: float = 0.0

    def permit(self, url: str) -> bool:
        """Tell whether an address may be fetched: the longest rule that matches decides, and the friendlier of two."""
        return self.parsed is None or bool(self.parsed.can_fetch(url, AGENT))


class RobotsTexts:
    """Fetches each site's robots.txt once and keeps it for ten minutes."""

    def __init__(self, client: GuardedClient, clock: Monotonic = time.monotonic) -> None:
        """Keep the collaborators; the clock gives seconds that never go back."""
        self._client = client
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, Rules]] = OrderedDict()

    def rules(self, url: str) -> Rules:
        """Give the rules of the site of an address.

        A site without a robots.txt allows everything. Raises `SourceFailed` where the site does not answer, or that it
        is at fault: nobody knows then what it allows.
        """
        site = _site(url)
        kept = self._kept.get(site)
        if kept is not None and self._clock() < kept[0]:
            return kept[1]
        rules = self._fetched(site)
        self._kept[site] = (self._clock() + KEPT_SECONDS, rules)
        self._kept.move_to_end(site)
        while len(self._kept) > _KEPT_SITES:
            self._kept.popitem(last=False)
        return rules

    def _fetched(self, site: str) -> Rules:
        try:
            answer = self._client.get(f"{site}/robots.txt")
        except SourceFailed as error:
            if error.detail.get("reason") == "TOO_MANY_REDIRECTS":
                return Rules(None)
            raise
        if answer.status == _BUSY or answer.status >= _FIRST_FAULT:
            raise refused(answer.status, answer.headers, passes=True)
        return Rules(None) if _says_nothing(answer) else parse(answer.body)


def parse(data: bytes) -> Rules:
    """Read a robots.txt, whatever is in it."""
    # Imported here: only the reader function has the library.
    from protego import Protego  # noqa: PLC0415 - as said above

    text = data[:_MOST_BYTES].decode("utf-8-sig", "replace")
    parsed = Protego.parse("\n".join(map(_ours_or_none, text.splitlines())))
    return Rules(parsed, float(parsed.crawl_delay(AGENT) or 0))


def disallowed() -> SourceFailed:
    """Say that a site asks not to be read here."""
    return failure("ROBOTS_DISALLOWED", "The site's robots.txt asks not to fetch this address", transient=False)


def _says_nothing(answer: Fetched) -> bool:
    return not 200 <= answer.status < 300 or not answer.body.strip()  # noqa: PLR2004 - statuses of success


def _ours_or_none(line: str) -> str:
    """Let every robot but us and `*` be one: the parser's time grows with robots times rules."""
    named = _AGENT_LINE.match(line)
    if named is None:
        return line
    token = _TOKEN.match(line[named.end() :].strip().lower())
    return f"User-agent: {token[0] if token and token[0] in {AGENT, '*'} else 'another'}"


def _site(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}"
