"""The table port on one SQLite file, which many threads and processes may use at once."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from knowhub.errors import ConditionFailed
from knowhub.ports.table import Item, Key, Operation, Page, Query, Write
from knowhub.ports.table_paging import checked_query, is_void, read_cursor
from knowhub.ports.table_rules import checked_key, checked_transaction, checked_write, key_of
from knowhub.stores.sqlite.conditions import holds
from knowhub.stores.sqlite.connection import PATIENCE, Connections
from knowhub.stores.sqlite.queries import read_page
from knowhub.stores.sqlite.rows import SCHEMA, changed, load, remove, save

_DROP_BATCH = 500
"""Rows dropped in one transaction, so that other writers get their turn."""


class SqliteTable:
    """Rows in an SQLite file; every write is one immediate transaction, on disk when the call returns."""

    def __init__(self, path: str | Path, *, patience: float = PATIENCE) -> None:
        """Name the file, which the first call opens; `patience` bounds, in seconds, the wait for other writers."""
        self._connections = Connections(path, SCHEMA, patience=patience)

    def get(self, key: Key) -> Item | None:
        """Read one row, consistently; None where it is absent."""
        checked = checked_key(key)
        return self._connections.read(lambda connection: load(connection, checked))

    def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
        """Read any number of rows, each consistently, absent ones left out."""
        wanted = [checked_key(key, f"keys[{place}]") for place, key in enumerate(keys)]
        found = self._connections.read(lambda connection: {key: load(connection, key) for key in wanted})
        return {key: row for key, row in found.items() if row is not None}

    def write(self, operation: Write) -> Item | None:
        """Apply one write and return the row as it then stands, None after a delete."""
        checked = checked_write(operation)
        return self._connections.write(lambda connection: _apply(connection, [checked])[0])

    def transact(self, operations: Sequence[Operation]) -> None:
        """Apply all operations or none."""
        checked = checked_transaction(operations)
        self._connections.write(lambda connection: _apply(connection, checked))

    def query(self, query: Query) -> Page:
        """Read one page; consistent on the base table and on the indexes."""
        checked = checked_query(query)
        after = read_cursor(checked)
        if is_void(checked):
            return Page((), None)
        return self._connections.read(lambda connection: read_page(connection, checked, after))

    def drop_expired(self, now: float) -> int:
        """Remove the rows whose `expires_at` is a number below `now`, in epoch seconds, and count them."""
        dropped = 0
        while count := self._connections.write(lambda connection: _drop_some(connection, now)):
            dropped += count
        return dropped

    def close(self) -> None:
        """Close the file; the next call opens it anew."""
        self._connections.close()


def _apply(connection: sqlite3.Connection, operations: Sequence[Operation]) -> list[Item | None]:
    """Carry out checked operations within the transaction that is open, and give each one's row."""
    before = [load(connection, key_of(operation)) for operation in operations]
    pairs = list(zip(before, operations, strict=True))
    failed = [place for place, (row, operation) in enumerate(pairs) if not holds(operation.condition, row)]
    if failed:
        raise ConditionFailed("A row is not in the state that was expected", {"operations": failed})
    after = [changed(row, operation) for row, operation in pairs]
    for old, new, operation in zip(before, after, operations, strict=True):
        if new is None:
            remove(connection, key_of(operation))
        elif new is not old:
            save(connection, new)
    return after


def _drop_some(connection: sqlite3.Connection, now: float) -> int:
    some = "SELECT rowid FROM item WHERE expires_at < ? LIMIT ?"
    statement = f"DELETE FROM item WHERE rowid IN ({some})"  # noqa: S608  made of constants
    return connection.execute(statement, (now, _DROP_BATCH)).rowcount
