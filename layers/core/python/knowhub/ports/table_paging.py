"""The rules of the table port for queries, and the cursor that every home hands out.

A cursor is base64url of a checksum and a position. The checksum covers the query's partition, index, bounds and order,
so a cursor of another query, or one that was damaged on its way, is told from a good one. It keeps nothing secret and
proves nothing about who made it; a position is therefore checked against the query's bounds as well.
"""

import json
from base64 import b64decode, urlsafe_b64encode
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple

from knowhub.errors import InvalidRequest
from knowhub.ports.table import INDEXES, MAX_PAGE, MAX_PK_BYTES, MAX_SK_BYTES, Query
from knowhub.ports.table_values import check_text, refusal

_CHECKSUM_BYTES = 12
_MAX_CURSOR = 40_000
"""Characters; a position of keys at their limits, all of them characters that JSON escapes, stays below it."""


class Position(NamedTuple):
    """The row that a page ended with: its place in the order of the query, and its key."""

    sort: str
    pk: str
    sk: str


def checked_query(query: Query) -> Query:
    """Pass a query; a `start` of nothing is left out. Its cursor is looked at by `read_cursor`."""
    check_text(query.partition, "query.partition", limit=MAX_PK_BYTES)
    if query.index is not None and query.index not in INDEXES:
        raise refusal("query.index", "choice", f"there is no index {query.index!r}")
    for name, bound in (("prefix", query.prefix), ("start", query.start or ""), ("end", query.end or "")):
        check_text(bound, f"query.{name}", limit=MAX_SK_BYTES, least=0)
    if query.prefix and (query.start is not None or query.end is not None):
        raise refusal("query.prefix", "choice", "a prefix excludes start and end")
    if isinstance(query.limit, bool) or not isinstance(query.limit, int) or not 1 <= query.limit <= MAX_PAGE:
        raise refusal("query.limit", "range", f"must be 1 to {MAX_PAGE}")
    return replace(query, start=query.start or None)


def is_void(query: Query) -> bool:
    """Tell whether a checked query's bounds enclose nothing."""
    return query.end is not None and (query.start or "") >= query.end


def write_cursor(query: Query, position: Position) -> str:
    """Make the cursor that continues a checked query after this row."""
    place = list(position) if query.index else [position.sort]
    content = json.dumps(place, ensure_ascii=False, separators=(",", ":")).encode()
    return urlsafe_b64encode(_checksum(query, content) + content).decode().rstrip("=")


def read_cursor(query: Query) -> Position | None:
    """Read a checked query's cursor; None where it has none. Raises `InvalidRequest` for one that it was not given."""
    if query.cursor is None:
        return None
    try:
        position = _position(query, query.cursor)
    except (ValueError, TypeError, AttributeError) as error:
        raise _foreign() from error
    # Canonical, so that no two texts are one cursor; bounded, so that a made-up one reaches nothing outside.
    if write_cursor(query, position) != query.cursor or not _encloses(query, position.sort):
        raise _foreign()
    return position


def _position(query: Query, cursor: str) -> Position:
    if len(cursor) > _MAX_CURSOR:
        raise ValueError("too long")
    raw = b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    place = json.loads(raw[_CHECKSUM_BYTES:].decode())
    if not isinstance(place, list) or not all(isinstance(each, str) and each for each in place):
        raise TypeError("not a list of strings")
    if query.index:
        sort, pk, sk = place
        return Position(sort, pk, sk)
    (sort,) = place
    return Position(sort, query.partition, sort)


def _encloses(query: Query, sort: str) -> bool:
    above = sort >= (query.start or "")
    below = query.end is None or sort < query.end
    # DynamoDB's ranges with both bounds include their end, so that downwards it is a position to go on from.
    at_end = sort == query.end and query.start is not None and query.descending
    return above and (below or at_end) and sort.startswith(query.prefix)


def _checksum(query: Query, content: bytes) -> bytes:
    bounds = [query.partition, query.index, query.prefix, query.start, query.end, query.descending]
    return sha256(json.dumps(bounds).encode() + b"\n" + content).digest()[:_CHECKSUM_BYTES]


def _foreign() -> InvalidRequest:
    return refusal("query.cursor", "cursor", "is not a cursor of this query")
