"""How values become terms that sort as the values do: both homes keep them in one field and match them alike.

A term is the field's name in hexadecimal (of a long one an `x` and its digest), a colon, a letter for the kind, and the
value in small letters and digits, so that no field's terms can pass for another's and no value means anything to an
engine:

    s   a string: its UTF-8 bytes in hexadecimal
    d   beside that, where the string is an ISO date: the microseconds since the year 1
    n   a number: `m` below zero, `n` for zero, `p` above; then its decimal exponent and digits, complemented below zero
    b   a truth value: 0 or 1
    x   that the field has a value
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from knowhub.model.filter import Scalar

MAX_VALUE_BYTES = 256
"""Of a string in UTF-8 that can be filtered by."""

MAX_KEY_BYTES = 800
"""Of a field's name in UTF-8."""

_PLAIN_KEY_BYTES = 32
"""A longer name's digest stands for it: patterns begin with the name, and engines bear them only so long."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2})?)?", re.ASCII)
_FIRST_DAY = datetime(1, 1, 1, tzinfo=UTC)
_DATE_DIGITS = 18
_EXPONENT_OFFSET = 5_000
_COMPLEMENT = str.maketrans("0123456789", "9876543210")
_EXPONENT_DIGITS = 4
_GREATEST = 10**308


def filterable(value: Scalar) -> bool:
    """Tell whether a value can be filtered by: a string that is not too long, a finite number, a truth value."""
    if isinstance(value, str):
        return len(value) <= MAX_VALUE_BYTES and len(_utf8(value)) <= MAX_VALUE_BYTES
    return -_GREATEST <= value <= _GREATEST


def value_terms(values: Mapping[str, Sequence[Scalar]]) -> list[str]:
    """Give the terms of a chunk's values, in order and each once; what can't be filtered by has none."""
    found: dict[str, None] = {}
    for field, each in values.items():
        usable = [value for value in each if filterable(value)]
        if usable and len(_utf8(field)) <= MAX_KEY_BYTES:
            found[exists_term(field)] = None
            found |= dict.fromkeys(term for value in usable for term in _terms(field, value))
    return list(found)


def exists_term(field: str) -> str:
    """Give the term of every chunk whose field has a value."""
    return f"{_key(field)}x"


def comparable_term(field: str, value: Scalar) -> str:
    """Give the term by which a value is compared: a string that is a date by its instant."""
    return _terms(field, value)[-1]


def kind_prefix(field: str, value: Scalar) -> str:
    """Give what the terms of a field's values of this kind begin with."""
    return comparable_term(field, value)[: len(_key(field)) + 1]


def text_prefix(field: str) -> str:
    """Give what the terms of a field's strings begin with; hexadecimal UTF-8 follows."""
    return f"{_key(field)}s"


def kind_of(value: Scalar) -> str:
    """Name the kind that a value compares as: `date`, `string`, `number` or `boolean`."""
    if isinstance(value, str):
        return "string" if _instant(value) is None else "date"
    return "boolean" if isinstance(value, bool) else "number"


def _key(field: str) -> str:
    name = _utf8(field)
    return f"{name.hex()}:" if len(name) <= _PLAIN_KEY_BYTES else f"x{hashlib.sha256(name).hexdigest()[:40]}:"


def _terms(field: str, value: Scalar) -> list[str]:
    key = _key(field)
    if isinstance(value, bool):
        return [f"{key}b{int(value)}"]
    if isinstance(value, str):
        instant = _instant(value)
        text = f"{key}s{_utf8(value).hex()}"
        return [text] if instant is None else [text, f"{key}d{instant:0{_DATE_DIGITS}d}"]
    return [f"{key}n{_number(value)}"]


def _number(value: float) -> str:
    """Write a number so that the text sorts as the number does; a float counts as its shortest decimal spelling."""
    exact = Decimal(value) if isinstance(value, int) else Decimal(repr(value))
    if not exact:
        return "n"
    digits = "".join(map(str, exact.as_tuple().digits)).lstrip("0")
    exponent = len(digits) + int(exact.as_tuple().exponent) + _EXPONENT_OFFSET
    text = f"{exponent:0{_EXPONENT_DIGITS}d}{digits.rstrip('0')}"
    # Below zero the longer of two numbers that begin alike is the smaller: `z` sorts after every digit.
    return f"p{text}" if exact > 0 else f"m{text.translate(_COMPLEMENT)}z"


def _instant(text: str) -> int | None:
    """Read an ISO date as microseconds; one without a zone is UTC."""
    if not _DATE.fullmatch(text):
        return None
    with suppress(ValueError, OverflowError):
        read = datetime.fromisoformat(text)
        moment = read if read.tzinfo is not None else read.replace(tzinfo=UTC)
        # A zone can push a date out of the years 1 to 9999: then it stays a string.
        passed = (moment - _FIRST_DAY) // timedelta(microseconds=1)
        return passed if passed >= 0 else None
    return None


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
