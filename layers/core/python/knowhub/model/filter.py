"""Filters over what is known of a chunk's document: a small tree, made by `retrieval/filters.py`, which checks it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Scalar: TypeAlias = str | int | float | bool

Operator = Literal["eq", "ne", "gt", "gte", "lt", "lte", "in", "not in", "like", "not like", "between", "exists"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One field against values: none for `exists`, two for `between` (both inclusive), one or more for `in`, else one.

    Numbers, booleans, strings and ISO dates compare with their own kind only. Where the field is missing the condition
    is false, whatever the operator; a field with several values fits where one of them does, and for `ne`, `not in` and
    `not like` where none of them does.
    """

    field: str
    operator: Operator
    values: tuple[Scalar, ...] = ()


@dataclass(frozen=True, slots=True)
class AllOf:
    """True where every part is; at least one part."""

    parts: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """True where one part is; at least one part."""

    parts: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """True where the part is not."""

    part: "Filter"


Filter: TypeAlias = Comparison | AllOf | AnyOf | Negation
