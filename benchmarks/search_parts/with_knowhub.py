"""The hub: its kernel over one of its chunk indexes, the embedded one or the OpenSearch whose URL is given."""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.search_parts.rows import Query, Row, batches
from knowhub.model.chunk import Chunk, Locator
from knowhub.model.document import DocumentHead
from knowhub.model.filter import Comparison
from knowhub.model.query import SearchRequest
from knowhub.ports.chunk_index import ChunkIndex, IndexedChunk, IndexScope, Leg, LegResult
from knowhub.ports.embedder import EmbedderProfile
from knowhub.retrieval.gate import Gate
from knowhub.retrieval.legs import Serving
from knowhub.retrieval.search import Kernel
from knowhub.services.chunk_entries import indexed
from knowhub.stores.tantivy.index import TantivyChunkIndex
from knowhub_cli.evaluation.places import EMBEDDED, passing_index


class Given:
    """An embedder that is told the vector of the query that comes next."""

    def __init__(self, length: int) -> None:
        """Begin without a query."""
        self.profile = EmbedderProfile("given", length)
        self.next: Sequence[float] = ()

    def embed_documents(self, texts: Sequence[str]) -> list[Sequence[float] | None]:
        """Embed nothing: rows come with their vectors."""
        return [None for _ in texts]

    def embed_query(self, _: str) -> Sequence[float]:
        """Give the vector that was told."""
        return self.next


class Watched:
    """An index whose time is taken."""

    def __init__(self, index: ChunkIndex) -> None:
        """Begin at 0; `used` is processor time, the others are by the clock."""
        self._index = index
        self.legs = self.fetching = self.used = 0.0

    def search(self, legs: Sequence[Leg], scope: IndexScope, limit: int) -> list[LegResult]:
        """Search, and count the time."""
        began, used = time.perf_counter(), time.thread_time()
        found = self._index.search(legs, scope, limit)
        self.legs += time.perf_counter() - began
        self.used += time.thread_time() - used
        return found

    def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """Fetch, and count the time."""
        began, used = time.perf_counter(), time.thread_time()
        found = self._index.fetch(chunk_ids)
        self.fetching += time.perf_counter() - began
        self.used += time.thread_time() - used
        return found


class Hub:
    """The kernel over one index with every row visible."""

    KINDS = ("keyword", "exact", "vector", "hybrid")

    def __init__(self, store: str) -> None:
        """Keep where the index is to be."""
        self._store = store
        self._open = ExitStack()
        self._notes: dict[str, list[float]] = {}

    def build(self, rows: Path, count: int, store: Path) -> None:
        """Analyse and write the rows as the hub does; their documents are all visible."""
        heads: dict[str, DocumentHead] = {}
        kbs: dict[int, str] = {}
        index: ChunkIndex | None = None
        for batch, vectors in batches(rows, count):
            if index is None:
                self._embedder = Given(vectors.shape[1])
                index = self._opened(store)
            index.write([_entry(row, vector) for row, vector in zip(batch, vectors.tolist(), strict=True)])
            heads |= {row.doc: _head(row) for row in batch}
            kbs |= {row.kb: "" for row in batch}
        if index is None:
            raise ValueError("There are no rows")
        index.refresh()
        self._watched, self._kbs = Watched(index), kbs
        self._kernel = Kernel(lambda: Serving(self._watched, self._embedder))  # type: ignore[arg-type]  # it only reads
        self._gate = Gate(lambda ids: {one: heads[one] for one in ids}, lambda found: found)

    def _opened(self, store: Path) -> ChunkIndex:
        if self._store != EMBEDDED:
            return self._open.enter_context(passing_index(self._store, self._embedder))
        index = TantivyChunkIndex(store)
        self._open.callback(index.close)
        return index

    def ask(self, kind: str, query: Query, vector: Any, top: int, *, filtered: bool) -> Sequence[str]:
        """Search as a wire does."""
        self._embedder.next = vector.tolist()
        request = SearchRequest(
            query.text,
            mode="dense" if kind == "vector" else kind,  # type: ignore[arg-type]  # the other kinds are its modes
            top_k=top,
            filter=Comparison("metadata.topic", "eq", (query.topic,)) if filtered else None,
        )
        watched = self._watched
        watched.legs = watched.fetching = watched.used = 0.0
        began = time.thread_time()
        result = self._kernel.search(request, self._kbs, self._gate)
        kernel = time.thread_time() - began - watched.used
        for name, seconds in (("legs", watched.legs), ("fetching", watched.fetching), ("kernel", kernel)):
            self._notes.setdefault(name, []).append(seconds * 1000)
        return [hit.chunk.chunk_id for hit in result.hits]

    def notes(self) -> Mapping[str, list[float]]:
        """Give where the time went: in the engine's legs, in reading chunks, and in the kernel itself."""
        notes, self._notes = self._notes, {}
        return notes

    def close(self) -> None:
        """Remove the index."""
        self._open.close()


def engine(arguments: Sequence[str]) -> Hub:
    """Make it; the argument is where its index is."""
    return Hub(arguments[0] if arguments else EMBEDDED)


def _entry(row: Row, vector: list[float]) -> IndexedChunk:
    chunk = Chunk(row.id, row.doc, row.kb, 1, int(row.id.rpartition(":")[2]), row.title, row.text,
                  Locator(0, len(row.text), 1, 1), metadata={"topic": row.topic}, name=f"{row.title}.txt")  # fmt: skip
    entry = indexed(chunk, {"metadata.topic": [row.topic], "title": [row.title]})
    return IndexedChunk(entry.chunk, entry.terms, entry.sequence, vector, entry.values)


def _head(row: Row) -> DocumentHead:
    then = "2026-01-01T00:00:00Z"
    return DocumentHead(row.doc, row.kb, row.title, "ready", 1, 1, 0, 1, "", "", 0, then, then)
