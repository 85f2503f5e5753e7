"""Connections to the one SQLite file that all local processes share.

A file carries knowhub's application id and one schema version for all that is in it. Readers never wait for a writer
(WAL); writers take turns. SQLite's own busy handler sleeps longer the longer it has waited, so a busy loop of short
writes could starve a patient one: here it gives up early, and everyone tries again at random short intervals instead.
"""

import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from os import getpid
from pathlib import Path
from typing import TypeVar

from knowhub.errors import Contention, Internal, KnowhubError, Unavailable

SCHEMA_VERSION = 1
"""Of everything in the file; goes up with any change to a table, whichever module owns it."""

APPLICATION_ID = 0x6B687562
"""Marks a file as ours, so that somebody else's database is never written to."""

PATIENCE = 15.0
"""Seconds that a call tries for the lock before it ends in `Contention`."""

_BUSY_MILLISECONDS = 20
_LONGEST_PAUSE = 0.008
_WAL_BYTES_KEPT = 64 * 1024 * 1024

# SQLITE_PROTOCOL is a lost race for the WAL's own locks.
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT})
_AWAY = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_NOMEM,
    }
)

T = TypeVar("T")


def connect(path: str | Path, schema: Sequence[str] = (), *, patience: float = PATIENCE) -> sqlite3.Connection:
    """Open the file, making it and its folder where absent, and bring the caller's tables into being.

    `schema` holds `CREATE ... IF NOT EXISTS` statements. The connection is in autocommit mode (begin by yourself, as
    `Connections.write` does), may move between threads, but serves one at a time. Raises `Internal` for a file that is
    damaged, not ours, or of another schema version; `Unavailable` where it can't be opened; `Contention` after
    `patience` seconds.
    """
    target = Path(path)
    with _translated(target):
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Unavailable(f"The store file {target.name} can't be opened: its folder is not usable") from error
        connection = sqlite3.connect(target, isolation_level=None, check_same_thread=False, timeout=0)
        try:
            _patiently(lambda: _prepare(connection, target, schema), patience)
        except BaseException:
            connection.close()
            raise
    return connection


class Connections:
    """A growing set of connections to one file, lent out one call at a time, so that threads never share one."""

    def __init__(self, path: str | Path, schema: Sequence[str] = (), *, patience: float = PATIENCE) -> None:
        self._path = Path(path)
        self._schema = tuple(schema)
        self._patience = patience
        self._lock = threading.Lock()
        # By process: a connection that a fork has inherited must be neither used nor closed in the child.
        self._idle: dict[int, list[sqlite3.Connection]] = {}

    def read(self, action: Callable[[sqlite3.Connection], T]) -> T:
        """Run an action that only reads; it may run again where SQLite was busy.

        Several statements see several states unless the action begins a transaction and ends it.
        """
        with _translated(self._path), self._lent() as connection:
            return _patiently(lambda: action(connection), self._patience)

    def write(self, action: Callable[[sqlite3.Connection], T]) -> T:
        """Run an action within one immediate transaction; what it returns is on disk by then.

        An exception rolls back and passes on. The action may run again where SQLite was busy, always after a rollback.
        """
        with _translated(self._path), self._lent() as connection:
            return _patiently(lambda: _transact(connection, action), self._patience)

    def close(self) -> None:
        """Close what this process has open and idle; the next call opens anew."""
        with self._lock:
            idle = self._idle.pop(getpid(), [])
        for connection in idle:
            connection.close()

    @contextmanager
    def _lent(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            idle = self._idle.setdefault(getpid(), [])
            connection = idle.pop() if idle else None
        if connection is None:
            connection = connect(self._path, self._schema, patience=self._patience)
        try:
            yield connection
        except sqlite3.Error:
            connection.close()
            raise
        except BaseException:
            self._return(connection)
            raise
        self._return(connection)

    def _return(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            self._idle.setdefault(getpid(), []).append(connection)


def _transact(
    connection: sqlite3.Connection, action: Callable[[sqlite3.Connection], T], begin: str = "BEGIN IMMEDIATE"
) -> T:
    connection.execute(begin)
    try:
        result = action(connection)
        connection.execute("COMMIT")
    except BaseException:
        # SQLite has rolled back by itself after some errors; the first error is the one to tell.
        with suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        raise
    return result


def _patiently(action: Callable[[], T], patience: float) -> T:
    deadline = time.monotonic() + patience
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            if not _is_busy(error) or time.monotonic() >= deadline:
                raise
        time.sleep(random.uniform(0, _LONGEST_PAUSE))  # noqa: S311  spreads the writers out, guards nothing


def _prepare(connection: sqlite3.Connection, path: Path, schema: Sequence[str]) -> None:
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
    _adopt(connection, path)
    with closing(connection.execute("PRAGMA journal_mode = WAL")) as rows:
        mode = rows.fetchone()[0]
    if mode != "wal":
        raise Internal(f"The store file {path.name} is on a file system that several processes can't share (no WAL)")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES_KEPT}")
    # Not immediate: where everything is there already, opening a connection waits for no writer.
    _transact(connection, lambda each: [each.execute(statement) for statement in schema], "BEGIN")


def _adopt(connection: sqlite3.Connection, path: Path) -> None:
    """Mark an empty file as ours, or make sure that it is."""
    if _marks(connection) == (0, 0) and _is_empty(connection):
        _transact(connection, lambda each: _mark(each) if _is_empty(each) else None)
    application, version = _marks(connection)
    if application != APPLICATION_ID:
        raise Internal(f"The file {path.name} is a database, but not one of knowhub's; choose another path")
    if version != SCHEMA_VERSION:
        age = "an older" if version < SCHEMA_VERSION else "a newer"
        raise Internal(
            f"The store file {path.name} was written by {age} knowhub: it has schema {version}, this one needs"
            f" {SCHEMA_VERSION}. Use the version that wrote it, or a new path",
            {"schema": version, "needed": SCHEMA_VERSION},
        )


def _mark(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _marks(connection: sqlite3.Connection) -> tuple[int, int]:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    return application, version


def _is_empty(connection: sqlite3.Connection) -> bool:
    marks = _marks(connection)
    return marks == (0, 0) and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        meaning = _meaning(error, path)
        if meaning is None:
            raise
        raise meaning from error


def _meaning(error: sqlite3.DatabaseError, path: Path) -> KnowhubError | None:
    """Say what an SQLite error means to the caller; None for what only a bug of ours can cause."""
    code = _primary_code(error)
    if code in _BUSY:
        return Contention("Another writer held the store for too long")
    if code in _DAMAGED:
        return Internal(f"The store file {path.name} is damaged or is no database; restore it from a copy")
    if code in _AWAY:
        return Unavailable(f"The store file {path.name} can't be read or written: {error}")
    return None


def _is_busy(error: sqlite3.Error) -> bool:
    return _primary_code(error) in _BUSY


def _primary_code(error: sqlite3.Error) -> int | None:
    # Errors of the module itself (a closed connection, a wrong binding) have no code of SQLite's.
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
