"""Pages of the HTTP interface: numbered up to 10,000 items, by cursor beyond."""

import base64
import binascii
import json
import re
from dataclasses import dataclass
from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Query

from knowhub.errors import InvalidRequest

MAX_NUMBERED = 10_000
PageSize = Annotated[int, Query(ge=1, le=200)]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where a page lies: `after` a place, or `skip` items from the start."""

    limit: int
    page: int | None
    skip: int
    after: str | None


NUMBER = r"[0-9]{1,12}"
TIME_AND_ID = r"[0-9TZ:.-]{20,32}#[a-z0-9_]{1,64}"
ID = r"[a-z0-9_]{1,64}"
NAME = r"[^\x00-\x1f\x7f\ud800-\udfff]{1,200}"
"""What a place may look like: a cursor is the client's text again when it comes back."""


def page_bounds(what: str, page: int | None, page_size: int, cursor: str | None, place: str = NUMBER) -> Bounds:
    """Read the paging parameters of the list `what`, whose places match the pattern `place`.

    Raises `InvalidRequest` for parameters that don't go together and for a cursor of another list.
    """
    if cursor is not None:
        if page is not None:
            raise _fault("cursor", "a cursor takes the place of page")
        return Bounds(page_size, None, 0, _decode(what, cursor, place))
    number = 1 if page is None else page
    if number < 1:
        raise _fault("page", "page counts from 1")
    if number * page_size > MAX_NUMBERED:
        raise _fault("page", f"beyond {MAX_NUMBERED} items use cursor")
    return Bounds(page_size, number, (number - 1) * page_size, None)


def page_shape(
    what: str, bounds: Bounds, items: list[dict[str, Any]], total: int | None, after: str | None
) -> dict[str, Any]:
    """Show one page; `after` is the place of its last item where more follow."""
    return {
        "items": items,
        "total": total,
        "page": bounds.page,
        "page_size": bounds.limit,
        "next_cursor": None if after is None else _encode(what, after),
    }


def _encode(what: str, place: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([what, place]).encode()).decode().rstrip("=")


def _decode(what: str, cursor: str, place: str) -> str:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        value = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError) as error:
        raise _fault("cursor", "this cursor is not one of this list's") from error
    if not isinstance(value, list) or value[:1] != [what] or [type(member) for member in value] != [str, str]:
        raise _fault("cursor", "this cursor is not one of this list's")
    if re.fullmatch(place, value[1]) is None:
        raise _fault("cursor", "this cursor is not one of this list's")
    return str(value[1])


def _fault(name: str, message: str) -> InvalidRequest:
    return InvalidRequest(message, {"errors": [{"loc": ["query", name], "type": "value_error", "message": message}]})
