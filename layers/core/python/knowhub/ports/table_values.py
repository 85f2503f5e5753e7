"""What a row's members may hold, and the one form in which every home of the table port keeps it."""

import json
import math
from collections.abc import Mapping, Sequence
from decimal import Context, Decimal, Inexact, InvalidOperation, Overflow, localcontext

from knowhub.errors import InvalidRequest, PayloadTooLarge
from knowhub.ports.table import MAX_DEPTH, MAX_MEMBER_BYTES, Item, Value

_WHOLE_LIMIT = 10**38
_LEAST_FLOAT = 1e-130
_FLOAT_LIMIT = 1e126

# The store's arithmetic: 38 digits, and an error rather than a rounded sum.
_ARITHMETIC = Context(prec=38, traps=[Inexact, InvalidOperation, Overflow])


def refusal(place: str, kind: str, message: str) -> InvalidRequest:
    """Build the error for one part of a request, named by its place, such as `item.title`."""
    return InvalidRequest(f"{place}: {message}", {"errors": [{"loc": place, "type": kind, "message": message}]})


def normal_row(members: Mapping[str, Value], place: str) -> Item:
    """Copy members into the form in which they will come back; raises `InvalidRequest` for what can't be kept."""
    row = {name: _normal(value, f"{place}.{name}", 1) for name, value in _named(members, place)}
    try:
        to_json(row).encode()
    except UnicodeEncodeError as error:
        raise refusal(place, "unicode", "holds a lone surrogate, which is no text") from error
    return row


def normal_number(value: float, place: str) -> int | float:
    """Bring a number into its kept form: an int where it is whole and below 10**38."""
    if isinstance(value, int):
        if abs(value) >= _WHOLE_LIMIT:
            raise refusal(place, "number", "a whole number must be below 10**38")
        return value
    if not math.isfinite(value):
        raise refusal(place, "number", "must be finite")
    if value and not _LEAST_FLOAT <= abs(value) < _FLOAT_LIMIT:
        raise refusal(place, "number", "must be 0 or between 1e-130 and 1e126 in size")
    return number_of(Decimal(repr(value)))


def number_of(decimal: Decimal) -> int | float:
    """Read a kept number: an int where it is whole and below 10**38, else the nearest float."""
    # copy_abs, since abs() would round to the precision of whatever context is in force.
    if decimal.copy_abs() < _WHOLE_LIMIT and decimal == decimal.to_integral_value():
        return int(decimal)
    return float(decimal)


def incremented(value: Value, increment: int, place: str) -> int | float:
    """Add to a member, in decimal as the store does; raises `InvalidRequest` for what is no number."""
    if not is_number(value):
        raise increment_refusal(place)
    with localcontext(_ARITHMETIC):
        try:
            return number_of(Decimal(repr(value)) + increment)
        except (Inexact, InvalidOperation, Overflow) as error:
            raise increment_refusal(place) from error


def increment_refusal(place: str) -> InvalidRequest:
    """Build the error for an increment that the row as it stands does not allow."""
    return refusal(place, "number", "an increment needs a number, and a sum of at most 38 digits")


def is_number(value: object) -> bool:
    """Tell numbers from everything else; a bool is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def to_json(row: Mapping[str, Value]) -> str:
    """Write a normal row as compact JSON."""
    return json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def check_row_size(row: Item, place: str, limit: int) -> int:
    """Measure a normal row in bytes; raises `PayloadTooLarge` over the limit.

    The one byte more for each number, list and map makes this an upper bound of DynamoDB's own count, in which a
    digit takes 2 bytes and an empty list 3, with one more as an element.
    """
    size = len(to_json(row).encode()) + _weighty(row)
    if size > limit:
        raise PayloadTooLarge(f"{place}: {size} bytes are over the limit of {limit}", {"limit": limit, "size": size})
    return size


def check_text(value: object, place: str, *, limit: int, least: int = 1) -> str:
    """Pass a string of `least` to `limit` bytes in UTF-8; raises `InvalidRequest` for anything else."""
    if not isinstance(value, str):
        raise refusal(place, "string", "must be a string")
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise refusal(place, "unicode", "holds a lone surrogate, which is no text") from error
    if not least <= size <= limit:
        raise refusal(place, "length", f"must have {least} to {limit} bytes in UTF-8")
    return value


def check_name(name: object, place: str) -> str:
    """Pass a member's name."""
    return check_text(name, place, limit=MAX_MEMBER_BYTES)


def _normal(value: object, place: str, depth: int) -> Value:
    # The exact types first: nearly every value is one of them.
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | float):
        return normal_number(value, place)
    if depth > MAX_DEPTH:
        raise refusal(place, "depth", f"is nested over {MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        return {name: _normal(each, f"{place}.{name}", depth + 1) for name, each in _named(value, place)}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return [_normal(each, f"{place}[{index}]", depth + 1) for index, each in enumerate(value)]
    raise refusal(place, "type", f"{type(value).__name__} is no JSON value")


def _named(members: Mapping[str, Value], place: str) -> list[tuple[str, Value]]:
    return [(check_name(name, f"{place} (a member's name)"), value) for name, value in members.items()]


def _weighty(value: Value) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(_weighty, value.values()))
    if isinstance(value, list):
        return 1 + sum(map(_weighty, value))
    return 1 if is_number(value) else 0
