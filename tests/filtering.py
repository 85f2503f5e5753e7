"""What a filter means, in plain Python: the home-made answer that both indexes are held against."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from operator import ge, gt, le, lt
from typing import Any

from knowhub.model.filter import AllOf, AnyOf, Comparison, Filter, Negation, Scalar
from knowhub.ports.chunk_values import filterable, kind_of

_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {"gt": gt, "gte": ge, "lt": lt, "lte": le}


def lets_by(asked: Filter, values: Mapping[str, Sequence[Scalar]]) -> bool:
    """Tell whether a chunk with these values passes."""
    if isinstance(asked, AllOf):
        return all(lets_by(part, values) for part in asked.parts)
    if isinstance(asked, AnyOf):
        return any(lets_by(part, values) for part in asked.parts)
    if isinstance(asked, Negation):
        return not lets_by(asked.part, values)
    return _compare(asked, [value for value in values.get(asked.field, ()) if filterable(value)])


def _compare(asked: Comparison, there: Sequence[Scalar]) -> bool:
    operator, wanted = asked.operator, asked.values
    if not there or operator == "exists":
        return bool(there)
    if operator in {"eq", "ne", "in", "not in"}:
        equal = any(_equal(one, other) for one in there for other in wanted)
        return equal == (operator in {"eq", "in"})
    if operator in {"like", "not like"}:
        like = any(isinstance(one, str) and _like(one, str(wanted[0])) for one in there)
        return like == (operator == "like")
    if operator == "between":
        return any(_ordered(one, wanted[0], ge) and _ordered(one, wanted[1], le) for one in there)
    return any(_ordered(one, wanted[0], _ORDER[operator]) for one in there)


def _views(value: Scalar) -> dict[str, Any]:
    """Give what a value compares as: a date as its instant and as the string that it is."""
    kind = kind_of(value)
    if kind == "date":
        read = datetime.fromisoformat(str(value))
        return {"date": read if read.tzinfo else read.replace(tzinfo=UTC), "string": str(value).encode()}
    if kind == "string":
        return {kind: str(value).encode("utf-8", "surrogatepass")}
    return {
        kind: value if isinstance(value, bool) else Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    }


def _equal(there: Scalar, wanted: Scalar) -> bool:
    kind = kind_of(wanted)
    return _views(there).get(kind) == _views(wanted)[kind]


def _ordered(there: Scalar, wanted: Scalar, order: Callable[[Any, Any], bool]) -> bool:
    kind = kind_of(wanted)
    found = _views(there).get(kind)
    return found is not None and order(found, _views(wanted)[kind])


def _like(text: str, pattern: str) -> bool:
    """Match by hand, so that nothing here depends on a pattern language."""
    reached = {0}
    for char in pattern:
        if char == "%":
            reached = set(range(min(reached), len(text) + 1)) if reached else reached
        else:
            reached = {at + 1 for at in reached if at < len(text) and char in {"_", text[at]}}
    return len(text) in reached
