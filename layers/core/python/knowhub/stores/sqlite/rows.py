"""Rows of the table port in an SQLite file: how one is kept, read and changed.

Keys are kept as bytes of UTF-8: SQLite compares them as the port wants, and text with NUL characters would not be safe.
The body is the row's JSON; what an index or the expiry needs stands beside it in columns.
"""

import json
import sqlite3
from contextlib import closing

from knowhub.ports.table import INDEXES, MAX_ITEM_BYTES, Check, Delete, Item, Key, Operation, Put, Update, Value
from knowhub.ports.table_values import check_row_size, incremented, is_number, to_json

_INDEX_COLUMNS = tuple(f"{name}_{part}" for name in INDEXES for part in ("pk", "sk"))
_COLUMNS = ("pk", "sk", "body", "expires_at", *_INDEX_COLUMNS)

SCHEMA = (
    f"""CREATE TABLE IF NOT EXISTS item (
        pk BLOB NOT NULL, sk BLOB NOT NULL, body TEXT NOT NULL, expires_at REAL,
        {", ".join(f"{column} BLOB" for column in _INDEX_COLUMNS)},
        PRIMARY KEY (pk, sk)
    )""",
    "CREATE INDEX IF NOT EXISTS item_expires_at ON item (expires_at) WHERE expires_at IS NOT NULL",
    *(
        f"CREATE INDEX IF NOT EXISTS item_{name} ON item ({name}_pk, {name}_sk, pk, sk) WHERE {name}_pk IS NOT NULL"
        for name in INDEXES
    ),
)
"""The table and its indexes."""

_SAVE = (
    f"INSERT INTO item ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608  our own names
    f" ON CONFLICT (pk, sk) DO UPDATE SET {', '.join(f'{each} = excluded.{each}' for each in _COLUMNS[2:])}"
)


def load(connection: sqlite3.Connection, key: Key) -> Item | None:
    """Read one row; None where it is absent."""
    found = "SELECT body FROM item WHERE pk = ? AND sk = ?"
    with closing(connection.execute(found, (key.pk.encode(), key.sk.encode()))) as rows:
        row = rows.fetchone()
    return None if row is None else read_body(row[0])


def read_body(body: str) -> Item:
    """Read a row's JSON."""
    row: Item = json.loads(body)
    return row


def save(connection: sqlite3.Connection, row: Item) -> None:
    """Create or replace one row."""
    connection.execute(_SAVE, [_column(row, name) for name in _COLUMNS])


def remove(connection: sqlite3.Connection, key: Key) -> None:
    """Remove one row, if it is there."""
    connection.execute("DELETE FROM item WHERE pk = ? AND sk = ?", (key.pk.encode(), key.sk.encode()))


def changed(row: Item | None, operation: Operation) -> Item | None:
    """Work out the row that a checked operation leaves behind; raises where the row as it stands does not allow it."""
    match operation:
        case Put(item=item):
            return dict(item)
        case Update():
            return _updated(row, operation)
        case Delete():
            return None
        case Check():
            return row


def _updated(row: Item | None, update: Update) -> Item:
    new: Item = dict(row or {"pk": update.key.pk, "sk": update.key.sk})
    new.update(update.values)
    for name, increment in update.increments.items():
        new[name] = incremented(new.get(name, 0), increment, f"increments.{name}")
    for name in update.removals:
        new.pop(name, None)
    check_row_size(new, "item", MAX_ITEM_BYTES)
    return new


def _column(row: Item, name: str) -> object:
    value: Value = row.get(name)
    if name == "body":
        return to_json(row)
    if name == "expires_at":
        # Any number may stand there, also one that is too long for an SQLite integer.
        return float(value) if is_number(value) else None  # type: ignore[arg-type]  # a number here
    if name in _INDEX_COLUMNS:
        index = name.rpartition("_")[0]
        if f"{index}_pk" not in row or f"{index}_sk" not in row:
            return None
    return str(value).encode()
