"""The embedded home of the chunk index: tantivy for text, numpy for vectors, in one folder.

Importing this module loads neither: a function's start does not pay for a search that may never come.
"""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from knowhub.model.chunk import Chunk
from knowhub.ports.chunk_index import IndexedChunk, IndexScope, Leg, LegResult

if TYPE_CHECKING:
    from knowhub.stores.tantivy.chunk_reader import ChunkReader
    from knowhub.stores.tantivy.chunk_writer import ChunkWriter


class TantivyChunkIndex:
    """A chunk index in a folder, made where it is absent; opened by the first call, safe to share between threads.

    One process writes: from its first write until `close` (or its death) others that write wait `lock_seconds` and then
    get `SearchUnavailable`. Every search sees what any process has refreshed before it.
    """

    def __init__(self, path: str | Path, *, lock_seconds: float = 5.0, create: bool = True) -> None:
        """Remember where; nothing is opened yet. Without `create` a folder that is absent is `SearchUnavailable`."""
        self._folder = Path(path)
        self._lock_seconds = lock_seconds
        self._create = create
        self._opening = threading.Lock()
        self._writing = threading.Lock()
        self._opened: tuple[ChunkReader, ChunkWriter] | None = None

    def write(self, chunks: Sequence[IndexedChunk]) -> None:
        """Add or replace chunks."""
        with self._writing:
            self._writer().write(chunks)

    def refresh(self) -> None:
        """Commit this process's writes and deletes; without any, do nothing."""
        with self._writing:
            if self._opened is not None:
                self._writer().commit()

    def delete_revision(self, doc_id: str, revision: int) -> None:
        """Delete one revision's chunks."""
        with self._writing:
            self._writer().delete_revision(doc_id, revision)

    def delete_document(self, doc_id: str) -> None:
        """Delete a document's chunks."""
        with self._writing:
            self._writer().delete_document(doc_id)

    def delete_kb(self, kb_id: int) -> None:
        """Delete a KB's chunks."""
        with self._writing:
            self._writer().delete_kb(kb_id)

    def search(self, legs: Sequence[Leg], scope: IndexScope, limit: int) -> list[LegResult]:
        """Run each leg on the newest committed state, the same for all of them."""
        return self._reader().search(legs, scope, limit)

    def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """Read chunks by id."""
        return self._reader().fetch(chunk_ids)

    def count(self, kb_ids: frozenset[int]) -> int:
        """Count the chunks of these KBs."""
        return self._reader().count(kb_ids)

    def compact(self) -> None:
        """Commit, and take the vectors of deleted and replaced chunks out of their files.

        `refresh` does it by itself once more than half of them are dead.
        """
        with self._writing:
            self._writer().compact()

    def close(self) -> None:
        """Let go of the folder; what was not refreshed is lost. A later call opens it again."""
        with self._writing, self._opening:
            if self._opened is not None:
                self._opened[1].close()
                self._opened = None

    def _reader(self) -> "ChunkReader":
        return self._parts()[0]

    def _writer(self) -> "ChunkWriter":
        return self._parts()[1]

    def _parts(self) -> "tuple[ChunkReader, ChunkWriter]":
        with self._opening:
            if self._opened is None:
                from knowhub.stores.tantivy.chunk_reader import ChunkReader  # noqa: PLC0415 - loads tantivy
                from knowhub.stores.tantivy.chunk_writer import ChunkWriter  # noqa: PLC0415 - loads tantivy
                from knowhub.stores.tantivy.folder import open_index  # noqa: PLC0415 - loads tantivy

                index = open_index(self._folder, create=self._create)
                self._opened = (
                    ChunkReader(self._folder, index),
                    ChunkWriter(self._folder, index, self._lock_seconds),
                )
            return self._opened
