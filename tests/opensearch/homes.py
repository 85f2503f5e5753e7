"""Chunk indexes on a real OpenSearch, for the suites that are run on every home."""

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from knowhub.model.chunk import Chunk
from knowhub.ports.chunk_index import ChunkIndex, IndexedChunk, IndexScope, Leg, LegResult
from knowhub.stores.opensearch.engine import Engine
from knowhub.stores.opensearch.generations import OpenSearchGenerations
from knowhub.stores.opensearch.places import Place, Tuning, place_of
from knowhub.stores.opensearch.wire import ClientWire, Refused
from tests.opensearch.running import opensearch_url

ANALYSER = 1


@contextmanager
def generations(tuning: Tuning | None = None) -> Iterator[tuple[OpenSearchGenerations, OpenSearchGenerations]]:
    """Open a new prefix of the running engine twice, as two processes do; its indexes go at the end."""
    with indexes_of(uuid.uuid4().hex) as place:
        engines = [Engine(ClientWire(place)), Engine(ClientWire(place))]
        first, second = (OpenSearchGenerations(engine, place.prefix, tuning) for engine in engines)
        try:
            yield first, second
        finally:
            for engine in engines:
                engine.close()


@contextmanager
def indexes_of(prefix: str) -> Iterator[Place]:
    """Give a place on the running engine, and take out what was made there."""
    place = place_of(f"opensearch:{opensearch_url()}/{prefix}")
    try:
        yield place
    finally:
        engine = Engine(ClientWire(place))
        for name in engine.told("GET", f"/{place.prefix}-*", params={"filter_path": "*.aliases"}):
            remove(engine, name)
        engine.close()


def remove(engine: Engine, name: str) -> None:
    """Remove an index by its whole name; one that is gone is no trouble."""
    try:
        engine.told("DELETE", f"/{name}")
    except Refused as error:
        if error.status != 404:
            raise


@contextmanager
def opensearch_indexes(tuning: Tuning | None = None) -> Iterator[tuple[ChunkIndex, ChunkIndex]]:
    """Give an empty index, and a second view of it."""
    with generations(tuning) as (first, second):
        current = Current(first.create("", 0, ANALYSER).number)
        yield FirstVectorDecides(first, current), FirstVectorDecides(second, current)


@dataclass
class Current:
    """The generation in use, and what was done to it."""

    number: int
    dimension: int = 0
    done: list[Callable[[ChunkIndex], None]] = field(default_factory=list)


@dataclass
class FirstVectorDecides:
    """An index whose vectors are as long as the first one is, which a generation has to be told when it is made.

    With the first vector everything that was done so far is done again to a generation that is made for its length.
    """

    made: OpenSearchGenerations
    current: Current

    @property
    def index(self) -> ChunkIndex:
        return self.made.index(self.current.number)

    def write(self, chunks: Sequence[IndexedChunk]) -> None:
        first = next((len(one.vector) for one in chunks if one.vector is not None), 0)
        if first and not self.current.dimension:
            self._begin_again(first)
        self._do(lambda index: index.write(chunks))

    def refresh(self) -> None:
        self._do(lambda index: index.refresh())

    def delete_revision(self, doc_id: str, revision: int) -> None:
        self._do(lambda index: index.delete_revision(doc_id, revision))

    def delete_document(self, doc_id: str) -> None:
        self._do(lambda index: index.delete_document(doc_id))

    def delete_kb(self, kb_id: int) -> None:
        self._do(lambda index: index.delete_kb(kb_id))

    def search(self, legs: Sequence[Leg], scope: IndexScope, limit: int) -> list[LegResult]:
        return self.index.search(legs, scope, limit)

    def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        return self.index.fetch(chunk_ids)

    def count(self, kb_ids: frozenset[int]) -> int:
        return self.index.count(kb_ids)

    def _do(self, change: Callable[[ChunkIndex], None]) -> None:
        change(self.index)
        if not self.current.dimension:
            self.current.done.append(change)

    def _begin_again(self, dimension: int) -> None:
        made = self.made.create("", dimension, ANALYSER)
        self.made.serve(made.number)
        self.made.drop(self.current.number)
        self.current.number, self.current.dimension = made.number, dimension
        for change in self.current.done:
            change(self.index)
