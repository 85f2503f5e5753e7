"""Cursors of listings over a fixed list: how far in it the next page begins."""

import re

from knowhub.errors import InvalidRequest
from knowhub.ports.sources import MAX_PAGE

_NUMBER = re.compile(r"[0-9]{1,9}\Z", re.ASCII)


def position(cursor: str | None, count: int) -> int:
    """Read how many entries of `count` are behind; raises `InvalidRequest` for what is no cursor of such a list."""
    if cursor is None:
        return 0
    if not _NUMBER.match(cursor) or int(cursor) > count:
        raise refusal("cursor", "This is no cursor of this source")
    return int(cursor)


def at(number: int, count: int) -> str | None:
    """Write the cursor behind so many entries; None at the end."""
    return str(number) if number < count else None


def check_limit(limit: int) -> None:
    """Refuse a page of nothing and one that is too long; raises `InvalidRequest`."""
    if not 1 <= limit <= MAX_PAGE:
        raise refusal("limit", f"A page has 1 to {MAX_PAGE} entries")


def refusal(place: str, message: str) -> InvalidRequest:
    """Build the error of one argument."""
    return InvalidRequest(message, {"errors": [{"loc": [place], "type": "value_error", "message": message}]})
