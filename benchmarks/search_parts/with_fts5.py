"""A plain FTS5 table of SQLite: its own Porter stems, its own bm25()."""

import re
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.search_parts.rows import Query, batches

_WORD = re.compile(r"\w+")


class Fts5:
    """One table with title and text; the topic is a column that is not indexed."""

    KINDS = ("keyword",)

    def __init__(self) -> None:
        """Begin without a file."""
        self._file: sqlite3.Connection | None = None

    def build(self, rows: Path, count: int, store: Path) -> None:
        """Write the rows, a transaction a batch."""
        self._file = sqlite3.connect(store / "rows.sqlite3", isolation_level=None)
        self._file.execute("PRAGMA journal_mode = WAL")
        columns = "id UNINDEXED, topic UNINDEXED, title, text, tokenize = 'porter unicode61'"
        self._file.execute(f"CREATE VIRTUAL TABLE rows USING fts5({columns})")
        for batch, _ in batches(rows, count):
            self._file.execute("BEGIN")
            values = [(row.id, row.topic, row.title, row.text) for row in batch]
            self._file.executemany("INSERT INTO rows VALUES (?, ?, ?, ?)", values)
            self._file.execute("COMMIT")
        self._file.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def ask(self, kind: str, query: Query, vector: Any, top: int, *, filtered: bool) -> Sequence[str]:
        """Match any of the query's words."""
        del kind, vector
        if self._file is None:
            raise ValueError("There is no table")
        words = " OR ".join(f'"{word}"' for word in _WORD.findall(query.text))
        narrowed, values = ("AND topic = ?", (words, query.topic, top)) if filtered else ("", (words, top))
        statement = f"SELECT id, text FROM rows WHERE rows MATCH ? {narrowed} ORDER BY rank LIMIT ?"  # noqa: S608 - fixed words
        return [row[0] for row in self._file.execute(statement, values)]

    def notes(self) -> Mapping[str, list[float]]:
        """Give nothing more."""
        return {}

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def engine(_: Sequence[str]) -> Fts5:
    """Make it."""
    return Fts5()
