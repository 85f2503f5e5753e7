"""Conditions of the table port, decided on a row in memory."""

from knowhub.ports.table import (
    AllOf,
    AnyOf,
    AtLeast,
    Condition,
    Equals,
    Exists,
    Item,
    LessThan,
    Missing,
    NotEquals,
    Value,
)
from knowhub.ports.table_values import is_number

_ABSENT = object()


def holds(condition: Condition | None, row: Item | None) -> bool:
    """Decide a checked condition on a row, None being an absent one; no condition always holds."""
    match condition:
        case None:
            return True
        case AllOf():
            return all(holds(each, row) for each in condition.conditions)
        case AnyOf():
            return any(holds(each, row) for each in condition.conditions)
        case _:
            return _single(condition, (row or {}).get(condition.member, _ABSENT))


def _single(condition: Exists | Missing | Equals | NotEquals | LessThan | AtLeast, found: object) -> bool:
    match condition:
        case Exists():
            return found is not _ABSENT
        case Missing():
            return found is _ABSENT
        case Equals(value=value):
            return _same(found, value)
        case NotEquals(value=value):
            return not _same(found, value)
        case LessThan(value=value):
            return _less(found, value) is True
        case AtLeast(value=value):
            return _less(found, value) is False


def _same(found: object, value: Value) -> bool:
    return _kind(found) == _kind(value) and found == value


def _less(found: object, value: float | str) -> bool | None:
    """Compare two numbers or two strings; None where they can't be."""
    if isinstance(found, str) and isinstance(value, str):
        # By code point, which is the order of the UTF-8 bytes too.
        return found < value
    if is_number(found) and is_number(value):
        return bool(found < value)  # type: ignore[operator]  # both are numbers here
    return None


def _kind(value: object) -> type:
    return float if is_number(value) else type(value)
