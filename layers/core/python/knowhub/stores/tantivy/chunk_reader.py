"""The reading side: legs, chunks by id, counts, each on the newest committed state."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import tantivy

from knowhub.model.chunk import Chunk
from knowhub.ports.chunk_index import Candidate, DenseLeg, IndexScope, Leg, LegResult
from knowhub.ports.chunk_rules import check_id, check_number, check_search
from knowhub.stores.tantivy import schema
from knowhub.stores.tantivy.codec import decode_chunk
from knowhub.stores.tantivy.folder import vector_folder
from knowhub.stores.tantivy.legs import dense_candidates, text_candidates
from knowhub.stores.tantivy.queries import Bounds, bounds_of, one_of
from knowhub.stores.tantivy.snapshot import Snapshot, stored_bytes, stored_text

if TYPE_CHECKING:
    from knowhub.stores.tantivy.vector_files import VectorRows
    from knowhub.stores.tantivy.vector_view import VectorView

_FETCH = 500


class ChunkReader:
    """Reads one index folder, for any number of threads."""

    def __init__(self, folder: Path, index: tantivy.Index) -> None:
        self._folder = vector_folder(folder)
        self._index = index
        self._view: VectorView | None = None

    def search(self, legs: Sequence[Leg], scope: IndexScope, limit: int) -> list[LegResult]:
        """Run each leg on one state."""
        check_search(scope, limit)
        if not scope.kb_ids or (scope.doc_ids is not None and not scope.doc_ids):
            return [LegResult() for _ in legs]
        dense = any(isinstance(leg, DenseLeg) for leg in legs)
        snapshot, vectors = self._with_vectors() if dense else (Snapshot(self._index), None)
        bounds = bounds_of(snapshot.schema, scope)
        return [_timed(snapshot, vectors, leg, bounds, limit) for leg in legs]

    def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """Read chunks by id."""
        wanted = list(dict.fromkeys(chunk_ids))
        for chunk_id in wanted:
            check_id(chunk_id)
        snapshot = Snapshot(self._index)
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
        snapshot = Snapshot(self._index)
        return snapshot.count(one_of(snapshot.schema, schema.KB_ID, kb_ids))

    def _with_vectors(self) -> "tuple[Snapshot, VectorRows | None]":
        if self._view is None:
            from knowhub.stores.tantivy.vector_view import VectorView  # noqa: PLC0415 - loads numpy

            self._view = VectorView(self._folder)
        return self._view.read(self._index)


def _timed(snapshot: Snapshot, vectors: "VectorRows | None", leg: Leg, bounds: Bounds, limit: int) -> LegResult:
    started = time.perf_counter()
    found: tuple[Candidate, ...]
    if isinstance(leg, DenseLeg):
        found = () if vectors is None else dense_candidates(snapshot, vectors, leg, bounds, limit)
    else:
        found = text_candidates(snapshot, leg, bounds, limit)
    return LegResult(found, (time.perf_counter() - started) * 1_000)
