"""A caller's filter, checked: JSON in, `model/filter.py`'s tree out."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

from knowhub.errors import InvalidRequest
from knowhub.model.filter import AllOf, AnyOf, Comparison, Filter, Negation, Operator, Scalar
from knowhub.ports.chunk_filters import condition
from knowhub.ports.chunk_patterns import like_pattern
from knowhub.ports.chunk_values import filterable, kind_of

MAX_DEPTH = 8
"""Filters within each other."""

MAX_CONDITIONS = 64
"""Comparisons in one filter."""

MAX_VALUES = 256
"""Values of one `in`."""

FIELDS = frozenset(
    {"doc_id", "title", "name", "content_type", "source", "url", "created_at", "updated_at", "language", "content"}
)
METADATA = "metadata."
_MAX_KEY = 200

_ORDERED = frozenset({"gt", "gte", "lt", "lte"})
_ONE_VALUE = frozenset({"eq", "ne", *_ORDERED})
_PATTERNS = frozenset({"like", "not like"})
_LISTS = frozenset({"in", "not in"})
_COMPARISONS = frozenset({*_ONE_VALUE, *_PATTERNS, *_LISTS, "between", "exists"})
_COMBINATIONS = frozenset({"and", "or", "not"})
OPERATORS = tuple(sorted(_COMPARISONS | _COMBINATIONS))

SCHEMA: Mapping[str, Any] = MappingProxyType(
    {
        "type": "object",
        "description": (
            "A condition on one field, or with and, or, not a combination of conditions as its value. Fields: "
            f"{', '.join(sorted(FIELDS - {'content'}))}, and {METADATA}KEY."
        ),
        "properties": {
            "field": {"type": "string", "maxLength": _MAX_KEY, "description": "Left out with and, or, not."},
            "operator": {"type": "string", "enum": list(OPERATORS), "description": "In any case."},
            "value": {
                "description": "and, or: a list of filters; not: a filter; in, not in: a list; between: two values; "
                "like, not like: a text, % for any run of characters and _ for one; exists: left out; else one value."
            },
        },
        "required": ["operator"],
        "additionalProperties": False,
    }
)
"""A filter as JSON schema, for the description of an interface; what it can't say of `value` the parser checks."""


def parse_filter(value: Any) -> Filter:
    """Read a filter; raises `InvalidRequest` that names the place, `filter.value[2].operator`."""
    asked = _Parser().filter(value, "filter", 1)
    try:
        condition(asked)
    except InvalidRequest as error:
        raise _wrong(
            "filter", "asks too much of a search engine: it takes fewer patterns or ranges of texts"
        ) from error
    return asked


def combined(*filters: Filter | None) -> Filter | None:
    """Ask for all of these filters; None where there is none."""
    given = tuple(one for one in filters if one is not None)
    return AllOf(given) if len(given) > 1 else next(iter(given), None)


@dataclass(slots=True)
class _Parser:
    """Reads one filter and counts its comparisons."""

    conditions: int = 0

    def filter(self, value: Any, place: str, depth: int) -> Filter:
        if not isinstance(value, Mapping):
            raise _wrong(place, "is an object with field, operator and value")
        if depth > MAX_DEPTH:
            raise _wrong(place, f"is nested more than {MAX_DEPTH} deep")
        operator = _operator(value, place)
        if operator in _COMBINATIONS:
            _members(value, place, {"operator", "value"})
            return self._combination(operator, value.get("value"), f"{place}.value", depth)
        self.conditions += 1
        if self.conditions > MAX_CONDITIONS:
            raise _wrong("filter", f"has more than {MAX_CONDITIONS} conditions")
        _members(value, place, {"field", "operator", "value"})
        return _comparison(_field(value, place), operator, value, place)

    def _combination(self, operator: str, value: Any, place: str, depth: int) -> Filter:
        if operator == "not":
            return Negation(self.filter(value, place, depth + 1))
        if not isinstance(value, list) or not value:
            raise _wrong(place, "is a list of at least one filter")
        parts = tuple(self.filter(part, f"{place}[{number}]", depth + 1) for number, part in enumerate(value))
        return AllOf(parts) if operator == "and" else AnyOf(parts)


def _operator(value: Mapping[str, Any], place: str) -> str:
    operator = value.get("operator")
    known = " ".join(operator.lower().split()) if isinstance(operator, str) else ""
    if known not in OPERATORS:
        raise _wrong(f"{place}.operator", f"is one of {', '.join(OPERATORS)}")
    return known


def _members(value: Mapping[str, Any], place: str, known: set[str]) -> None:
    for name in value:
        if name not in known:
            raise _wrong(place, f"has a member that is not known: {str(name)[:64]!r}")


def _field(value: Mapping[str, Any], place: str) -> str:
    field = value.get("field")
    if isinstance(field, str) and len(field) <= _MAX_KEY and _is_field(field):
        return field
    raise _wrong(f"{place}.field", f"is one of {', '.join(sorted(FIELDS))}, or {METADATA} and a key")


def _is_field(name: str) -> bool:
    return name in FIELDS or (name.startswith(METADATA) and name != METADATA)


def _comparison(field: str, operator: str, members: Mapping[str, Any], place: str) -> Filter:
    if field == "content":
        raise _wrong(f"{place}.field", "is content, which only knowledge bases with code can be filtered by")
    value, where = members.get("value"), f"{place}.value"
    asked = cast("Operator", operator)
    if operator == "exists":
        return _exists(field, value, where)
    if operator in _LISTS:
        return Comparison(field, asked, _list(value, where, range(1, MAX_VALUES + 1), f"1 to {MAX_VALUES} values"))
    if operator == "between":
        low, high = _list(value, where, range(2, 3), "two values")
        if kind_of(low) != kind_of(high):
            raise _wrong(where, "has two values of one kind")
        return Comparison(field, asked, (low, high))
    one = _scalar(value, where)
    if operator in _PATTERNS:
        _check_pattern(one, where)
    if operator in _ORDERED and isinstance(one, bool):
        raise _wrong(where, "is a number, a text or a date")
    return Comparison(field, asked, (one,))


def _exists(field: str, value: Any, place: str) -> Filter:
    if value is not None and not isinstance(value, bool):
        raise _wrong(place, "is left out, true or false")
    found = Comparison(field, "exists")
    return Negation(found) if value is False else found


def _check_pattern(value: Scalar, place: str) -> None:
    if not isinstance(value, str):
        raise _wrong(place, "is a text with % and _")
    try:
        like_pattern(value)
    except InvalidRequest as error:
        raise _wrong(place, "asks too much of a search engine: fewer _ after a %, or a shorter text") from error


def _list(value: Any, place: str, sizes: range, what: str) -> tuple[Scalar, ...]:
    if not isinstance(value, list) or len(value) not in sizes:
        raise _wrong(place, f"is a list of {what}")
    return tuple(_scalar(one, f"{place}[{number}]") for number, one in enumerate(value))


def _scalar(value: Any, place: str) -> Scalar:
    if isinstance(value, (str, int)) or (isinstance(value, float) and math.isfinite(value)):
        if filterable(value):
            return value
        raise _wrong(place, "is too long to be filtered by")
    raise _wrong(place, "is a text, a number or a truth value")


def _wrong(place: str, what: str) -> InvalidRequest:
    return InvalidRequest(f"{place} {what}", {"errors": [{"loc": place, "type": "filter", "message": what}]})
