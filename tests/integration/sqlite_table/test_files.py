"""Goal: a file that can't be used says so plainly, and is left as it was found."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from knowhub.errors import Contention, Internal, Unavailable
from knowhub.ports.table import Item, Key, Put, Query, Update
from knowhub.stores.sqlite.connection import SCHEMA_VERSION, Connections, connect
from knowhub.stores.sqlite.table import SqliteTable

KEY = Key("a", "1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.db"


@pytest.fixture
def table(path: Path) -> Iterator[SqliteTable]:
    with closing(SqliteTable(path, patience=0.05)) as table:
        yield table


def fill(table: SqliteTable, rows: int = 1) -> None:
    for number in range(1, rows + 1):
        table.write(Put({"pk": "a", "sk": str(number), "body": "x" * 2000, "list_pk": "L", "list_sk": str(number)}))


def test_a_file_is_durable_shared_and_marked(path: Path, table: SqliteTable) -> None:
    fill(table)
    with closing(connect(path)) as connection:
        pragmas = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "user_version")
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "user_version": SCHEMA_VERSION}


def test_rows_outlive_the_table_that_wrote_them(path: Path, table: SqliteTable) -> None:
    written = table.write(Put({"pk": "a", "sk": "1", "body": "x"}))
    table.close()
    with closing(SqliteTable(path)) as other:
        assert written == other.get(KEY) == table.get(KEY)


def test_bytes_that_are_no_database_are_called_damaged_and_kept(path: Path, table: SqliteTable) -> None:
    path.write_bytes(b"these are notes, not rows\n" * 100)
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(Internal, match=r"table\.db is damaged or is no database"):
            table.get(KEY)
    assert path.read_bytes() == before


def test_a_damaged_page_is_told_and_not_read_as_rows(path: Path, table: SqliteTable) -> None:
    fill(table, 30)
    table.close()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(Internal, match="damaged"):
        table.query(Query("a"))
    with pytest.raises(Internal, match="damaged"):
        table.write(Update(KEY, {"a": 1}))


@pytest.mark.parametrize(("version", "age"), [(SCHEMA_VERSION - 1, "an older"), (SCHEMA_VERSION + 1, "a newer")])
def test_another_schema_version_is_refused_in_words(path: Path, table: SqliteTable, version: int, age: str) -> None:
    fill(table)
    table.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(Internal, match=f"written by {age} knowhub: it has schema {version}, this one needs"):
        table.get(KEY)


def test_somebody_elses_database_is_left_alone(path: Path, table: SqliteTable) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(Internal, match="not one of knowhub's"):
        table.write(Put({"pk": "a", "sk": "1"}))
    assert path.read_bytes() == before


def test_a_path_that_can_not_be_a_file_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    for path in (tmp_path, tmp_path / "taken" / "table.db"):
        with closing(SqliteTable(path)) as table, pytest.raises(Unavailable, match="can't be"):
            table.get(KEY)


def test_memory_is_no_place_for_rows_that_processes_share() -> None:
    with closing(SqliteTable(":memory:")) as table, pytest.raises(Internal, match="no WAL"):
        table.get(KEY)


def test_an_error_that_only_a_bug_can_cause_is_not_dressed_up(path: Path) -> None:
    connections = Connections(path)
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        connections.read(lambda connection: connection.execute("SELECT * FROM nowhere"))
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        connections.write(lambda connection: connection.execute("DELETE FROM nowhere"))
    connections.close()


def test_an_action_that_raises_leaves_nothing_behind(path: Path) -> None:
    connections = Connections(path, ("CREATE TABLE IF NOT EXISTS notes (text TEXT)",))

    def fail(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO notes VALUES ('half')")
        raise LookupError

    with pytest.raises(LookupError):
        connections.write(fail)
    assert connections.read(lambda each: each.execute("SELECT count(*) FROM notes").fetchone()) == (0,)
    connections.close()


def test_a_writer_that_never_gets_its_turn_meets_contention_while_readers_go_on(path: Path, table: SqliteTable) -> None:
    fill(table)
    with closing(connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Contention):
            table.write(Update(KEY, {"body": "y"}))
        with pytest.raises(Contention):
            table.transact([Update(KEY, {"body": "y"})])
        assert (table.get(KEY) or {})["body"] == "x" * 2000
        assert len(table.query(Query("L", index="list")).items) == 1
        other.execute("ROLLBACK")
    assert (table.write(Update(KEY, {"body": "y"})) or {})["body"] == "y"


def test_expired_rows_are_dropped_when_asked_and_no_others(table: SqliteTable) -> None:
    for number in range(0, 600, 100):
        table.transact(
            [Put({"pk": "old", "sk": f"{each}", "expires_at": each / 100}) for each in range(number, number + 100)]
        )
    kept: list[Item] = [
        {"pk": "new", "sk": "1", "expires_at": 6},
        {"pk": "new", "sk": "2", "expires_at": 10**37},
        {"pk": "new", "sk": "3", "expires_at": "never", "list_pk": "L", "list_sk": "1"},
        {"pk": "new", "sk": "4"},
    ]
    table.transact([Put(row) for row in kept])
    assert table.drop_expired(6) == 600
    assert table.drop_expired(6) == 0
    assert table.query(Query("old")).items == ()
    assert list(table.query(Query("new")).items) == kept
