"""The embedded home of the chunk index: tantivy for text, numpy for vectors, in one folder."""

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import tantivy

from knowhub.errors import InvalidRequest
from knowhub.model.chunk import Chunk
from knowhub.ports.chunk_index import MAX_CANDIDATES, Candidate, DenseLeg, IndexedChunk, IndexScope, Leg, LegResult
from knowhub.stores.tantivy import schema
from knowhub.stores.tantivy.chunk_writer import ChunkWriter
from knowhub.stores.tantivy.codec import check_id, check_number, decode_chunk
from knowhub.stores.tantivy.folder import open_index, vector_folder
from knowhub.stores.tantivy.legs import dense_candidates, text_candidates
from knowhub.stores.tantivy.queries import one_of
from knowhub.stores.tantivy.snapshot import Snapshot, stored_bytes, stored_text

if TYPE_CHECKING:
    from knowhub.stores.tantivy.vector_files import VectorRows
    from knowhub.stores.tantivy.vector_view import VectorView

_FETCH = 500


class TantivyChunkIndex:
    """A chunk index in a folder, made where it is absent; opened by the first call, safe to share between threads.

    One process writes: from its first write until `close` (or its death) others that write wait `lock_seconds` and then
    get `SearchUnavailable`. Every search sees what any process has refreshed before it.
    """

    def __init__(self, path: str | Path, *, lock_seconds: float = 5.0) -> None:
        """Remember where; nothing is opened yet."""
        self._folder = Path(path)
        self._lock_seconds = lock_seconds
        self._opening = threading.Lock()
        self._writing = threading.Lock()
        self._index: tantivy.Index | None = None
        self._writer: ChunkWriter | None = None
        self._view: VectorView | None = None

    def write(self, chunks: Sequence[IndexedChunk]) -> None:
        """Add or replace chunks."""
        with self._writing:
            self._opened_writer().write(chunks)

    def refresh(self) -> None:
        """Commit this process's writes and deletes; without any, do nothing."""
        with self._writing:
            if self._writer is not None:
                self._writer.commit()

    def delete_revision(self, doc_id: str, revision: int) -> None:
        """Delete one revision's chunks."""
        check_id(doc_id)
        check_number(revision)
        self._delete(schema.REVISION_KEY, schema.revision_key(doc_id, revision))

    def delete_document(self, doc_id: str) -> None:
        """Delete a document's chunks."""
        check_id(doc_id)
        self._delete(schema.DOC_ID, doc_id)

    def delete_kb(self, kb_id: int) -> None:
        """Delete a KB's chunks."""
        check_number(kb_id)
        self._delete(schema.KB_ID, kb_id)

    def search(self, legs: Sequence[Leg], scope: IndexScope, limit: int) -> list[LegResult]:
        """Run each leg on the newest committed state, the same for all of them."""
        _check_search(scope, limit)
        if not scope.kb_ids or (scope.doc_ids is not None and not scope.doc_ids):
            return [LegResult() for _ in legs]
        dense = any(isinstance(leg, DenseLeg) for leg in legs)
        snapshot, vectors = self._with_vectors() if dense else (Snapshot(self._opened()), None)
        return [_timed(snapshot, vectors, leg, scope, limit) for leg in legs]

    def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """Read chunks by id."""
        wanted = list(dict.fromkeys(chunk_ids))
        for chunk_id in wanted:
            check_id(chunk_id)
        snapshot = Snapshot(self._opened())
        found: dict[str, Chunk] = {}
        for start in range(0, len(wanted), _FETCH):
            part = wanted[start : start + _FETCH]
            for stored in snapshot.stored(snapshot.top(one_of(snapshot.schema, schema.CHUNK_ID, part), len(part))):
                found[stored_text(stored, schema.CHUNK_ID)] = decode_chunk(stored_bytes(stored, schema.CHUNK))
        return found

    def count(self, kb_ids: frozenset[int]) -> int:
        """Count the chunks of these KBs."""
        for kb_id in kb_ids:
            check_number(kb_id)
        snapshot = Snapshot(self._opened())
        return snapshot.count(one_of(snapshot.schema, schema.KB_ID, kb_ids))

    def compact(self) -> None:
        """Commit, and take the vectors of deleted and replaced chunks out of their files.

        `refresh` does it by itself once more than half of them are dead.
        """
        with self._writing:
            self._opened_writer().compact()

    def close(self) -> None:
        """Let go of the folder; what was not refreshed is lost. A later call opens it again."""
        with self._writing, self._opening:
            if self._writer is not None:
                self._writer.close()
            self._writer = self._index = self._view = None

    def _delete(self, field: str, value: str | int) -> None:
        with self._writing:
            self._opened_writer().delete(field, value)

    def _opened(self) -> tantivy.Index:
        with self._opening:
            if self._index is None:
                self._index = open_index(self._folder)
            return self._index

    def _opened_writer(self) -> ChunkWriter:
        if self._writer is None:
            self._writer = ChunkWriter(self._folder, self._opened(), self._lock_seconds)
        return self._writer

    def _with_vectors(self) -> "tuple[Snapshot, VectorRows | None]":
        from knowhub.stores.tantivy.vector_view import VectorView  # noqa: PLC0415 - numpy, for those with vectors only

        index = self._opened()
        if self._view is None:
            self._view = VectorView(vector_folder(self._folder))
        return self._view.read(index)


def _check_search(scope: IndexScope, limit: int) -> None:
    if not 1 <= limit <= MAX_CANDIDATES:
        raise InvalidRequest(f"A search has a limit of 1 to {MAX_CANDIDATES}")
    for kb_id in scope.kb_ids:
        check_number(kb_id)
    for doc_id in scope.doc_ids or ():
        check_id(doc_id)


def _timed(snapshot: Snapshot, vectors: "VectorRows | None", leg: Leg, scope: IndexScope, limit: int) -> LegResult:
    started = time.perf_counter()
    found: tuple[Candidate, ...]
    if isinstance(leg, DenseLeg):
        found = () if vectors is None else dense_candidates(snapshot, vectors, leg, scope, limit)
    else:
        found = text_candidates(snapshot, leg, scope, limit)
    return LegResult(found, (time.perf_counter() - started) * 1_000)
