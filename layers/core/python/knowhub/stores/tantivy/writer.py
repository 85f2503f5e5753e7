"""The one writer of an index folder: lazily opened, committed on refresh, opened again when the engine lost it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import tantivy

from knowhub.stores.tantivy.failures import engine_failures
from knowhub.stores.tantivy.folder import writer_lock

_HEAP_BYTES = 96_000_000
_MAX_PENDING_BYTES = 32_000_000
"""Kept for a replay; more is committed early, which the port allows."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A change that may be applied twice, and about how many bytes it keeps in memory."""

    run: Callable[[tantivy.IndexWriter], object]
    size: int = 100


class TextWriter:
    """Applies operations in order and keeps them until they are committed.

    The engine's writer dies of any failure and takes what was not committed with it. Then the next call opens another
    one and applies everything that is pending again, so that no caller has to remember what it wrote. The lock on the
    folder is held from the first write to `close`, over such deaths too.
    """

    def __init__(self, folder: Path, index: tantivy.Index, lock_seconds: float, sync_first: Callable[[], None]) -> None:
        """Prepare only; `sync_first` makes durable what the operations refer to and runs before each commit."""
        self._index = index
        self._lock = writer_lock(folder)
        self._lock_seconds = lock_seconds
        self._sync_first = sync_first
        self._writer: tantivy.IndexWriter | None = None
        self._pending: list[Operation] = []
        self._pending_bytes = 0
        self._applied = 0

    def acquire(self) -> None:
        """Become the writing process, or raise `SearchUnavailable` after the wait."""
        with engine_failures("be locked"):
            self._lock.acquire(self._lock_seconds)

    def apply(self, operations: Iterable[Operation]) -> None:
        """Apply operations; where this raises once it has the lock, they are pending and the next call applies them."""
        self.acquire()
        for operation in operations:
            self._pending.append(operation)
            self._pending_bytes += operation.size
        with self._working():
            self._catch_up()
        if self._pending_bytes > _MAX_PENDING_BYTES:
            self.commit()

    def commit(self) -> bool:
        """Make everything that is pending durable, and tell whether that was anything; where this raises it stays."""
        if not self._pending:
            return False
        self._sync_first()
        with self._working():
            self._catch_up().commit()
        self._forget()
        return True

    def close(self) -> None:
        """Wait for the engine's merges, let go of the folder, and forget what was not committed."""
        self._drop()
        self._forget()
        self._lock.release()

    def _catch_up(self) -> tantivy.IndexWriter:
        """Apply what the writer has not seen yet, which is everything that is pending where it is new."""
        if self._writer is None:
            self._applied = 0
            self._writer = self._index.writer(_HEAP_BYTES, 1)
        for operation in self._pending[self._applied :]:
            operation.run(self._writer)
            self._applied += 1
        return self._writer

    @contextmanager
    def _working(self) -> Iterator[None]:
        try:
            with engine_failures("be written"):
                yield
        except BaseException:
            self._drop()
            raise

    def _drop(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            # It frees the engine's own lock, which the traceback's references to the writer would keep.
            with suppress(Exception):
                writer.wait_merging_threads()

    def _forget(self) -> None:
        self._pending.clear()
        self._pending_bytes = 0
        self._applied = 0
