"""Conditions, changes and queries of the table port as DynamoDB expressions.

Every name and value is a placeholder: hundreds of ordinary words are reserved, and no caller's text may become syntax.
"""

from typing import Any

from knowhub.ports.table import (
    AllOf,
    AnyOf,
    AtLeast,
    Condition,
    Equals,
    Exists,
    LessThan,
    Missing,
    NotEquals,
    Query,
    Update,
    Value,
)
from knowhub.stores.dynamodb.values import Attribute, kind_of, to_attribute


class Placeholders:
    """The names and values that one request's expressions refer to."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: list[Attribute] = []

    def name(self, member: str) -> str:
        """Give the placeholder of a member's name."""
        return self._names.setdefault(member, f"#n{len(self._names)}")

    def value(self, value: Value) -> str:
        """Give the placeholder of a value."""
        self._values.append(to_attribute(value))
        return f":v{len(self._values) - 1}"

    def arguments(self) -> dict[str, Any]:
        """Give the request members that define what was used; DynamoDB refuses empty ones."""
        arguments: dict[str, Any] = {}
        if self._names:
            arguments["ExpressionAttributeNames"] = {placeholder: name for name, placeholder in self._names.items()}
        if self._values:
            arguments["ExpressionAttributeValues"] = {f":v{place}": each for place, each in enumerate(self._values)}
        return arguments


def condition_expression(condition: Condition, places: Placeholders) -> str:
    """Write a checked condition, with parentheses only where its meaning needs them: DynamoDB refuses other ones."""
    match condition:
        case AllOf(conditions=(part,)) | AnyOf(conditions=(part,)):
            return condition_expression(part, places)
        case AllOf(conditions=parts):
            return " AND ".join(_factor(part, places) for part in parts)
        case AnyOf(conditions=parts):
            return " OR ".join(condition_expression(part, places) for part in parts)
        case Exists(member=member):
            return f"attribute_exists({places.name(member)})"
        case Missing(member=member):
            return f"attribute_not_exists({places.name(member)})"
        case _:
            return _comparison(condition, places)


def update_expression(update: Update, places: Placeholders) -> str:
    """Write the changes of a checked update. `ADD` counts an absent number as 0."""
    clauses = {
        "SET": [f"{places.name(name)} = {places.value(value)}" for name, value in update.values.items()],
        "ADD": [f"{places.name(name)} {places.value(value)}" for name, value in update.increments.items()],
        "REMOVE": [places.name(name) for name in update.removals],
    }
    return " ".join(f"{verb} {', '.join(terms)}" for verb, terms in clauses.items() if terms)


def key_expression(query: Query, places: Placeholders) -> str:
    """Write the partition and the range of a checked query that encloses something.

    DynamoDB takes one range only: with both bounds the range includes its end, which the caller drops.
    """
    partition, sort = key_names(query)
    partition_term = f"{places.name(partition)} = {places.value(query.partition)}"
    if query.prefix:
        return f"{partition_term} AND begins_with({places.name(sort)}, {places.value(query.prefix)})"
    if query.start and query.end:
        between = f"BETWEEN {places.value(query.start)} AND {places.value(query.end)}"
        return f"{partition_term} AND {places.name(sort)} {between}"
    if query.start:
        return f"{partition_term} AND {places.name(sort)} >= {places.value(query.start)}"
    if query.end:
        return f"{partition_term} AND {places.name(sort)} < {places.value(query.end)}"
    return partition_term


def key_names(query: Query) -> tuple[str, str]:
    """Name the partition and sort members that a query goes by."""
    return (f"{query.index}_pk", f"{query.index}_sk") if query.index else ("pk", "sk")


def _factor(part: Condition, places: Placeholders) -> str:
    """Write a part of an `AND`, which binds tighter than the `OR` that may stand in it."""
    text = condition_expression(part, places)
    return f"({text})" if _is_sum(part) else text


def _is_sum(condition: Condition) -> bool:
    match condition:
        case AllOf(conditions=(part,)) | AnyOf(conditions=(part,)):
            return _is_sum(part)
        case AnyOf() | NotEquals():
            return True
        case _:
            return False


def _comparison(condition: Equals | NotEquals | LessThan | AtLeast, places: Placeholders) -> str:
    """Compare with the kind made explicit, so that nothing depends on how values of two kinds compare."""
    member, value = places.name(condition.member), places.value(condition.value)
    same_kind = f"attribute_type({member}, {places.value(kind_of(condition.value))})"
    match condition:
        case Equals():
            return f"{same_kind} AND {member} = {value}"
        case NotEquals():
            return f"NOT {same_kind} OR {member} <> {value}"
        case LessThan():
            return f"{same_kind} AND {member} < {value}"
        case AtLeast():
            return f"{same_kind} AND {member} >= {value}"
