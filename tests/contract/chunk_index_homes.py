"""Where the chunk index suites get their indexes from: one function a home, each giving an empty index."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from knowhub.model.chunk import Chunk, Locator, chunk_id
from knowhub.ports.chunk_index import ChunkIndex, IndexedChunk, IndexScope, Leg
from knowhub.stores.tantivy.index import TantivyChunkIndex
from tests.chunk_oracle import OracleChunkIndex
from tests.opensearch.homes import opensearch_indexes


@dataclass(frozen=True, slots=True)
class Home:
    """An index to write to, and a second view of it, as another process has one."""

    index: ChunkIndex
    other: ChunkIndex


@contextmanager
def tantivy_home(folder: Path) -> Iterator[Home]:
    """Open one new folder twice."""
    index, other = TantivyChunkIndex(folder / "index"), TantivyChunkIndex(folder / "index")
    try:
        yield Home(index, other)
    finally:
        index.close()
        other.close()


@contextmanager
def oracle_home(folder: Path) -> Iterator[Home]:
    """Give the plain Python index: the suite is checked on it, and it by the suite."""
    oracle = OracleChunkIndex()
    yield Home(oracle, oracle)


@contextmanager
def opensearch_home(_: Path) -> Iterator[Home]:
    """Open one new index of the running engine twice."""
    with opensearch_indexes() as (index, other):
        yield Home(index, other)


HOMES: dict[str, Callable[[Path], AbstractContextManager[Home]]] = {
    "tantivy": tantivy_home,
    "opensearch": opensearch_home,
    "oracle": oracle_home,
}


def indexed(
    place: str,
    terms: Sequence[str] | str = (),
    *,
    kb: int = 1,
    sequence: Sequence[str] | str | None = None,
    vector: Sequence[float] | None = None,
    text: str = "text",
) -> IndexedChunk:
    """Make a chunk from `doc:revision:index`; a string of tokens is split, the sequence is the terms by default."""
    doc_id, revision, number = place.rsplit(":", 2)
    bag = terms.split() if isinstance(terms, str) else terms
    line = bag if sequence is None else sequence.split() if isinstance(sequence, str) else sequence
    chunk = Chunk(
        chunk_id(doc_id, int(revision), int(number)), doc_id, kb, int(revision), int(number), "Title", text,
        Locator(0, len(text), 1, 1),
    )  # fmt: skip
    return IndexedChunk(chunk, bag, line, vector)


def found(index: ChunkIndex, leg: Leg, *, kbs: Sequence[int] = (1,), limit: int = 100) -> list[str]:
    """Search KBs with one leg and give the chunk ids, best first."""
    (result,) = index.search([leg], IndexScope(frozenset(kbs)), limit)
    return [candidate.chunk_id for candidate in result.candidates]


def scored(index: ChunkIndex, leg: Leg, *, kbs: Sequence[int] = (1,), limit: int = 100) -> dict[str, float]:
    """Search KBs with one leg and give the scores."""
    (result,) = index.search([leg], IndexScope(frozenset(kbs)), limit)
    return {candidate.chunk_id: candidate.score for candidate in result.candidates}
