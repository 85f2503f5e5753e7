"""The writing side: vectors first, then the text that refers to them, then the commit."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import tantivy

from knowhub.errors import SearchUnavailable
from knowhub.ports.chunk_index import IndexedChunk
from knowhub.ports.chunk_rules import MAX_NUMBER, check_id, check_number
from knowhub.stores.tantivy.folder import vector_folder
from knowhub.stores.tantivy.indexing import Entry, removal
from knowhub.stores.tantivy.queries import rows_between
from knowhub.stores.tantivy.schema import DOC_ID, KB_ID, NO_ROW, REVISION_KEY, ROW, revision_key
from knowhub.stores.tantivy.snapshot import Snapshot
from knowhub.stores.tantivy.writer import TextWriter

if TYPE_CHECKING:
    from knowhub.stores.tantivy.vector_log import VectorLog

_SPARE_ROWS = 1_024
_WASTE = 2
"""Vectors are compacted where there are more rows than this many times the living ones, and some to spare."""

_log = logging.getLogger(__name__)


class ChunkWriter:
    """Writes to one index folder; not for two threads at a time."""

    def __init__(self, folder: Path, index: tantivy.Index, lock_seconds: float) -> None:
        self._folder = vector_folder(folder)
        self._index = index
        self._text = TextWriter(folder, index, lock_seconds, self._sync_vectors)
        self._vectors: VectorLog | None = None

    def write(self, chunks: Sequence[IndexedChunk]) -> None:
        """Check every chunk, then write them all."""
        entries = [Entry(indexed) for indexed in chunks]
        if not entries:
            return
        rows = self._append([(entry.kb_id, entry.vector) for entry in entries if entry.vector is not None])
        numbers = iter(rows)
        self._text.apply([entry.replacement(NO_ROW if entry.vector is None else next(numbers)) for entry in entries])

    def delete_revision(self, doc_id: str, revision: int) -> None:
        """Delete one revision's chunks."""
        check_id(doc_id)
        check_number(revision)
        self._text.apply([removal(REVISION_KEY, revision_key(doc_id, revision))])

    def delete_document(self, doc_id: str) -> None:
        """Delete a document's chunks."""
        check_id(doc_id)
        self._text.apply([removal(DOC_ID, doc_id)])

    def delete_kb(self, kb_id: int) -> None:
        """Delete a KB's chunks."""
        check_number(kb_id)
        self._text.apply([removal(KB_ID, kb_id)])

    def commit(self) -> None:
        """Commit, and compact the vectors where too many are dead."""
        if not self._text.commit():
            return  # perhaps not even the writing process
        try:
            self._compact_where_worthwhile()
        except SearchUnavailable:
            # The commit stands; the next one tries again.
            _log.warning("The chunk index could not compact its vectors", exc_info=True)

    def compact(self) -> None:
        """Commit, then take dead vectors out of their files."""
        self._text.acquire()
        self._text.commit()
        if self._has_vectors():
            self._compact(Snapshot(self._index))

    def close(self) -> None:
        """Let go of the files and the lock; what was not committed is lost."""
        if self._vectors is not None:
            self._vectors.close()
            self._vectors = None
        self._text.close()

    def _append(self, vectors: Sequence[tuple[int, Sequence[float]]]) -> list[int]:
        if not vectors:
            return []
        from knowhub.stores.tantivy.vector_log import half_vectors  # noqa: PLC0415 - loads numpy

        halves = half_vectors([vector for _, vector in vectors])
        log = self._opened_log()
        log.check_dimension(halves.shape[1])
        self._text.acquire()
        return log.append([kb_id for kb_id, _ in vectors], halves)

    def _opened_log(self) -> "VectorLog":
        if self._vectors is None:
            from knowhub.stores.tantivy.vector_log import VectorLog  # noqa: PLC0415 - loads numpy

            self._vectors = VectorLog(self._folder)
        return self._vectors

    def _sync_vectors(self) -> None:
        if self._vectors is not None:
            self._vectors.sync()

    def _has_vectors(self) -> bool:
        return (self._folder / "manifest.json").exists()

    def _compact_where_worthwhile(self) -> None:
        if not self._has_vectors():
            return
        size = self._opened_log().size()
        if size <= _SPARE_ROWS:
            return
        snapshot = Snapshot(self._index)
        if size > _SPARE_ROWS + _WASTE * snapshot.count(rows_between(snapshot.schema, 1, MAX_NUMBER)):
            self._compact(snapshot)

    def _compact(self, snapshot: Snapshot) -> None:
        def living(first: int, last: int) -> list[int]:
            hits = snapshot.top(rows_between(snapshot.schema, first, last), last - first + 1)
            return snapshot.numbers(ROW, hits)

        self._opened_log().compact(living)
