"""JSON between the Runtime API and the handler."""

import json
from decimal import Decimal
from typing import Any

# DynamoDB's numbers have at most 38 digits; a larger exponent is kept as a float and not written out digit by digit.
_LONGEST_INTEGER = 38


def encode(value: object) -> bytes:
    """Write a handler's result as UTF-8 JSON, characters as themselves; raises `TypeError` or `ValueError`.

    Decimals become numbers, as the managed runtime has them. NaN and the infinities raise, because they are no JSON.
    """
    try:
        return _dump(value, ascii_only=False).encode()
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8 form, but JSON can still say it with an escape.
        return _dump(value, ascii_only=True).encode()


def decode(body: bytes) -> Any:
    """Read an event; raises `ValueError` when the body is not JSON."""
    return json.loads(body)


def _dump(value: object, *, ascii_only: bool) -> str:
    return json.dumps(value, ensure_ascii=ascii_only, allow_nan=False, default=_plain)


def _plain(value: object) -> int | float:
    if not isinstance(value, Decimal):
        raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
    if value.is_finite() and value.adjusted() < _LONGEST_INTEGER and value == value.to_integral_value():
        return int(value)
    return float(value)
