"""Answers that are no content: which of them may pass, and how long the other side asks to wait."""

import math
import re
from collections.abc import Mapping
from email.utils import mktime_tz, parsedate_tz

from knowhub.errors import SourceFailed

LONGEST_WAIT = 24 * 3600
"""Seconds; nobody can ask for more."""

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_SECONDS = re.compile(r"[0-9]{1,40}(?:\.[0-9]{0,40})?", re.ASCII)


def refused(status: int, headers: Mapping[str, str], *, passes: bool | None = None) -> SourceFailed:
    """Build the error of a status, with the wait that was asked for.

    `retry_after` is in seconds. Where only a date was said, with no date of the answer to count from, `retry_at` is in
    epoch seconds instead. `passes` says whether it may, where that is not the status's to tell.
    """
    transient = status in _PASSING if passes is None else passes
    detail: dict[str, object] = {"reason": "STATUS", "status": status, "transient": transient}
    return SourceFailed(
        f"The address answered with status {status}", {**detail, **(_asked(headers) if transient else {})}
    )


def _asked(headers: Mapping[str, str]) -> dict[str, object]:
    """Read `Retry-After`; what is no time, or lies before now, asks for nothing."""
    said = headers.get("retry-after", "").strip()
    # A header that came twice is joined by commas; the longer wait of two does for both.
    parts = [part.strip() for part in said.split(",")]
    if all(_SECONDS.fullmatch(part) for part in parts):
        return {"retry_after": min(math.ceil(max(map(float, parts))), LONGEST_WAIT)}
    until, answered = _time(said), _time(headers.get("date", ""))
    if until is None:
        return {}
    if answered is None:
        return {"retry_at": until}
    return {"retry_after": min(max(until - answered, 0), LONGEST_WAIT)}


def _time(text: str) -> int | None:
    try:
        found = parsedate_tz(text)
        return None if found is None else int(mktime_tz(found))
    except (ValueError, TypeError, OverflowError):
        return None
