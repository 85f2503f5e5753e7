"""The chunk index on an engine: one index of it, which its generation has made.

Importing this module does not load the vendor's client: the first request does.
"""

import threading
from collections.abc import Callable, Sequence

from knowhub.model.chunk import Chunk
from knowhub.ports.chunk_index import IndexedChunk, IndexScope, Leg, LegResult
from knowhub.stores.opensearch.chunk_reader import ChunkReader, Facts
from knowhub.stores.opensearch.chunk_writer import ChunkWriter
from knowhub.stores.opensearch.engine import Engine


class OpenSearchChunkIndex:
    """One generation's index; safe to share between threads, and any number of processes write."""

    def __init__(self, engine: Engine, name: str, writes: str, facts: Callable[[], Facts], *, exact_scope: int) -> None:
        """Remember where; `facts` is asked when they are first needed."""
        self._reader = ChunkReader(engine, name, facts, exact_scope=exact_scope)
        self._writer = ChunkWriter(engine, name, writes, facts)
        self._writing = threading.Lock()

    def write(self, chunks: Sequence[IndexedChunk]) -> None:
        """Add or replace chunks."""
        with self._writing:
            self._writer.write(chunks)

    def refresh(self) -> None:
        """Make this process's writes and deletes findable; without any, do nothing."""
        with self._writing:
            self._writer.refresh()

    def delete_revision(self, doc_id: str, revision: int) -> None:
        """Delete one revision's chunks."""
        with self._writing:
            self._writer.delete_revision(doc_id, revision)

    def delete_document(self, doc_id: str) -> None:
        """Delete a document's chunks."""
        with self._writing:
            self._writer.delete_document(doc_id)

    def delete_kb(self, kb_id: int) -> None:
        """Delete a KB's chunks."""
        with self._writing:
            self._writer.delete_kb(kb_id)

    def search(self, legs: Sequence[Leg], scope: IndexScope, limit: int) -> list[LegResult]:
        """Run the legs in one request."""
        return self._reader.search(legs, scope, limit)

    def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """Read chunks by id."""
        return self._reader.fetch(chunk_ids)

    def count(self, kb_ids: frozenset[int]) -> int:
        """Count the chunks of these KBs."""
        return self._reader.count(kb_ids)
