"""The chunk index of a hub in which nothing was ever indexed."""

from collections.abc import Sequence

from knowhub.errors import SearchUnavailable
from knowhub.model.chunk import Chunk
from knowhub.ports.chunk_index import IndexedChunk, IndexScope, Leg, LegResult


class NoChunks:
    """Finds nothing, so that a search needs no right to make an index; what would write to it is told to come back."""

    def write(self, chunks: Sequence[IndexedChunk]) -> None:
        """Refuse chunks, unless there are none."""
        if chunks:
            raise SearchUnavailable("There is no generation of the chunk index yet")

    def refresh(self) -> None:
        """Do nothing."""

    def delete_revision(self, doc_id: str, revision: int) -> None:
        """Do nothing: there is nothing to delete."""

    def delete_document(self, doc_id: str) -> None:
        """Do nothing: there is nothing to delete."""

    def delete_kb(self, kb_id: int) -> None:
        """Do nothing: there is nothing to delete."""

    def search(self, legs: Sequence[Leg], scope: IndexScope, limit: int) -> list[LegResult]:  # noqa: ARG002 - the port's
        """Find nothing."""
        return [LegResult() for _ in legs]

    def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:  # noqa: ARG002 - the port's
        """Have nothing."""
        return {}

    def count(self, kb_ids: frozenset[int]) -> int:  # noqa: ARG002 - the port's
        """Count nothing."""
        return 0
