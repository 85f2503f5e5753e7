"""A filter as conditions on terms, which each home turns into its own queries: nothing of a caller's gets through."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from knowhub.errors import InvalidRequest
from knowhub.model.filter import AllOf, AnyOf, Comparison, Filter, Scalar
from knowhub.ports import chunk_patterns
from knowhub.ports import chunk_values as encoded

MAX_EFFORT = 10_000
"""Of all patterns and ranges of a filter together, in states of automata, which engines build for each search."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """The chunk has one of these terms."""

    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """The chunk has a term that begins with the prefix and sorts between two bounds, which begin with it too.

    One of the bounds may be None, which is open.
    """

    prefix: str
    low: str | None
    high: str | None
    with_low: bool = True
    with_high: bool = True


@dataclass(frozen=True, slots=True)
class Matching:
    """The chunk has a term of which the whole matches the pattern; its automaton has this many states."""

    pattern: str
    states: int


@dataclass(frozen=True, slots=True)
class Every:
    """Every part holds."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Some:
    """One of the parts holds."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Without:
    """The part does not hold."""

    part: "Condition"


Condition: TypeAlias = OneOf | Between | Matching | Every | Some | Without


def condition(asked: Filter) -> Condition:
    """Turn a filter into conditions; raises `InvalidRequest` for patterns and ranges that engines can't be asked."""
    found = _condition(asked)
    if _effort(found) > MAX_EFFORT:
        raise InvalidRequest("The filter asks too much of a search engine: it takes fewer patterns or ranges of texts")
    return found


def range_patterns(found: Between) -> list[str]:
    """Write a range as patterns of which one has to match, for an engine that has no ranges over terms."""
    low, high = (None if one is None else one[len(found.prefix) :] for one in (found.low, found.high))
    written = chunk_patterns.range_patterns(low, high, with_low=found.with_low, with_high=found.with_high)
    return [f"{found.prefix}{pattern}" for pattern in written]


def _condition(asked: Filter) -> Condition:
    if isinstance(asked, Comparison):
        return _comparison(asked)
    if isinstance(asked, AllOf):
        return Every(tuple(_condition(part) for part in asked.parts))
    if isinstance(asked, AnyOf):
        return Some(tuple(_condition(part) for part in asked.parts))
    return Without(_condition(asked.part))


def _effort(found: Condition) -> int:
    if isinstance(found, Matching):
        return found.states
    if isinstance(found, Between):
        return len(found.low or "") + len(found.high or "")
    if isinstance(found, Without):
        return _effort(found.part)
    return 0 if isinstance(found, OneOf) else sum(map(_effort, found.parts))


def _comparison(asked: Comparison) -> Condition:
    field, operator, values = asked.field, asked.operator, asked.values
    there = OneOf((encoded.exists_term(field),))
    if operator == "exists":
        return there
    if operator in {"eq", "in"}:
        return _equal(field, values)
    if operator in {"ne", "not in"}:
        return Every((there, Without(_equal(field, values))))
    if operator == "like":
        return _like(field, str(values[0]))
    if operator == "not like":
        return Every((there, Without(_like(field, str(values[0])))))
    return _range(asked)


def _equal(field: str, values: Iterable[Scalar]) -> Condition:
    return OneOf(tuple(dict.fromkeys(encoded.comparable_term(field, value) for value in values)))


def _range(asked: Comparison) -> Condition:
    prefix = encoded.kind_prefix(asked.field, asked.values[0])
    bounds = [encoded.comparable_term(asked.field, value) for value in asked.values]
    if asked.operator == "between":
        return Between(prefix, bounds[0], bounds[1])
    inclusive = asked.operator in {"gte", "lte"}
    if asked.operator in {"gt", "gte"}:
        return Between(prefix, bounds[0], None, with_low=inclusive)
    return Between(prefix, None, bounds[0], with_high=inclusive)


def _like(field: str, pattern: str) -> Matching:
    prefix, written = encoded.text_prefix(field), chunk_patterns.like_pattern(pattern)
    return Matching(prefix + written.text, len(prefix) + written.states)
