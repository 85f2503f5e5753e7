"""Values of the table port as DynamoDB's attribute values, and back.

Only the types that the port has are known: `S`, `N`, `BOOL`, `NULL`, `L` and `M`. Numbers travel as decimal text, so
none passes through a binary float on its way.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, TypeAlias

from knowhub.errors import Internal
from knowhub.ports.table import Item, Value
from knowhub.ports.table_values import number_of

Attribute: TypeAlias = Mapping[str, Any]


def to_attributes(members: Mapping[str, Value]) -> dict[str, Attribute]:
    """Convert a row's members, which the port's rules have brought into their normal form."""
    return {name: to_attribute(value) for name, value in members.items()}


def to_attribute(value: Value) -> Attribute:
    """Convert one normal value."""
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case int() | float():
            return {"N": str(Decimal(repr(value)))}
        case str():
            return {"S": value}
        case Mapping():
            return {"M": to_attributes(value)}
        case _:
            return {"L": [to_attribute(each) for each in value]}


def kind_of(value: Value) -> str:
    """Name DynamoDB's type of a value."""
    return next(iter(to_attribute(value)))


def from_attributes(attributes: Mapping[str, Attribute]) -> Item:
    """Read a row's members."""
    return {name: from_attribute(attribute) for name, attribute in attributes.items()}


def from_attribute(attribute: Attribute) -> Value:
    """Read one value; raises `Internal` for a type that no write of ours leaves behind."""
    ((kind, value),) = attribute.items()
    match kind:
        case "NULL":
            return None
        case "N":
            return number_of(Decimal(value))
        case "M":
            return from_attributes(value)
        case "L":
            return [from_attribute(each) for each in value]
        case "S" | "BOOL":
            plain: str | bool = value
            return plain
        case _:
            raise Internal(f"A row of the table holds a value of type {kind}, which was not written by knowhub")
