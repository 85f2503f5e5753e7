"""An index that is asked each thing once, for runs that differ in what is made of its answers alone."""

from collections.abc import Sequence

from knowhub.model.chunk import Chunk
from knowhub.ports.chunk_index import ChunkIndex, IndexScope, Leg, LegResult


class Remembered:
    """Remembers what an index that is not written any more has answered."""

    def __init__(self, index: ChunkIndex) -> None:
        """Begin without an answer."""
        self._index = index
        self._results: dict[tuple[tuple[Leg, ...], IndexScope, int], list[LegResult]] = {}
        self._chunks: dict[str, Chunk] = {}

    def search(self, legs: Sequence[Leg], scope: IndexScope, limit: int) -> list[LegResult]:
        """Search, or give the answer from before."""
        asked = tuple(legs), scope, limit
        if asked not in self._results:
            self._results[asked] = self._index.search(legs, scope, limit)
        return self._results[asked]

    def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """Give chunks, reading those that are new."""
        new = [chunk_id for chunk_id in chunk_ids if chunk_id not in self._chunks]
        if new:
            self._chunks |= self._index.fetch(new)
        return {chunk_id: self._chunks[chunk_id] for chunk_id in chunk_ids if chunk_id in self._chunks}
