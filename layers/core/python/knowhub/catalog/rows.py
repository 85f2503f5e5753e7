"""Records to rows and back: a row is the record's fields beside its key, its index members and the schema version."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from knowhub.errors import Internal
from knowhub.model.document import Loss
from knowhub.ports.table import Item, Key, Query, Table, Value

SCHEMA_VERSION = 1

Record = TypeVar("Record")


def to_item(key: Key, record: Any, **index_members: str) -> Item:
    """Build the row of a dataclass record; members that are None are left out."""
    item: Item = {"pk": key.pk, "sk": key.sk, "schema_version": SCHEMA_VERSION, **index_members}
    for field in fields(record):
        value = plain(getattr(record, field.name))
        if value is not None:
            item[field.name] = value
    return item


def from_item(kind: type[Record], item: Item, **nested: Any) -> Record:
    """Rebuild a record; `nested` gives members that are not plain values. A newer schema raises `Internal`."""
    version = item.get("schema_version")
    if version != SCHEMA_VERSION:
        raise Internal(f"a stored row has schema version {version}, this version reads {SCHEMA_VERSION}")
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type] # every record kind is a dataclass
    values = {name: value for name, value in item.items() if name in known}
    return kind(**{**values, **nested})


def read_all(table: Table, query: Query) -> Iterator[Item]:
    """Read every page of a query."""
    page = table.query(query)
    yield from page.items
    while page.cursor is not None:
        page = table.query(replace(query, cursor=page.cursor))
        yield from page.items


def losses_of(item: Item) -> tuple[Loss, ...]:
    """Read the losses that a row lists."""
    losses = item.get("losses") or []
    return tuple(Loss(**loss) for loss in losses) if isinstance(losses, list) else ()


def plain(value: Any) -> Value:
    """Turn nested dataclasses, tuples and sets into what a row may hold."""
    if hasattr(value, "__dataclass_fields__"):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(member) for name, member in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(member) for member in value]
    if isinstance(value, (set, frozenset)):
        return sorted(plain(member) for member in value)  # type: ignore[type-var] # sets here hold strings or ints
    known: Value = value
    return known
