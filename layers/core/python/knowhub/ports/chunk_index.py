"""The chunk index port: write chunks, take them out again, and find candidates by legs.

The index knows nothing of visibility: it may hold chunks of revisions that are not visible, and finds candidates only.
The caller analyses. A token is opaque: not empty, at most `MAX_TOKEN_BYTES` of UTF-8, and without a character for which
`str.isspace` holds; two tokens are the same where their code points are. Whatever breaks one of the limits stated here
raises `InvalidRequest` before anything is written or searched; an engine that fails or is away raises
`SearchUnavailable`, after which the same call may be repeated: writes and deletes are idempotent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from knowhub.model.chunk import Chunk
from knowhub.model.filter import Filter, Scalar

MAX_TOKEN_BYTES = 128
"""Of one token in UTF-8."""

MAX_ID_BYTES = 512
"""Of a chunk id or a document id in UTF-8: the longest id that OpenSearch takes."""

MAX_CANDIDATES = 1_000
"""The largest `limit` of a search."""


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk with what it is found by.

    `terms` is a bag (stems, parts, wholes); `sequence` has one token a position, for phrases. Either may be empty: the
    chunk is then found by other means only. `vector` is None where no embedder is configured or the text has no
    direction; all vectors of one index have the same length, are finite and not all zero, and are L2-normalised by the
    caller. The index may keep them in half precision. `chunk.metadata` holds JSON values (no NaN); a tuple comes back
    as a list. Numbers of KBs and revisions are at least 0 and fit 63 bits.

    `values` is what filters look at: for each field its values, each a string, a finite number or a boolean. Which
    fields there are is the caller's affair; what can't be filtered by (`chunk_values.py`) it leaves out.
    """

    chunk: Chunk
    terms: Sequence[str]
    sequence: Sequence[str]
    vector: Sequence[float] | None = None
    values: Mapping[str, Sequence[Scalar]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KeywordLeg:
    """BM25 (k1 1.2, b 0.75) over `terms`, OR-ed; a repeated term counts once.

    As Lucene computes it, up to one constant factor: idf = ln(1 + (N - n + 0.5) / (n + 0.5)), lengths kept in one byte
    (exact up to 40 tokens), statistics of the whole index, not of the scope. They may count replaced and deleted chunks
    until the engine has merged them away, so scores drift a little after updates; what matches never does.
    """

    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExactLeg:
    """Phrases over `sequence`: BM25 of each phrase that matches, summed; a repeated phrase counts once.

    A phrase matches where its tokens stand side by side in its order; its idf is the sum of its tokens'. No phrase is
    empty. All of `required` must match, and `optional` then only adds to the score; without `required` at least one of
    `optional` must match. A leg without phrases finds nothing.
    """

    optional: tuple[tuple[str, ...], ...] = ()
    required: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class DenseLeg:
    """Cosine similarity (-1 to 1) to this vector; chunks without a vector are not found.

    All vectors of the scope are compared, so that none of the nearest is missed, unless the scope is larger than its
    home says that it compares whole: there a graph may miss a few.

    The vector is finite, not all zero, and as long as those of the index; in an index without vectors any leg of this
    kind finds nothing.
    """

    vector: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class EveryLeg:
    """Every chunk of the scope, each with the score 1, by chunk id."""


Leg: TypeAlias = KeywordLeg | ExactLeg | DenseLeg | EveryLeg


@dataclass(frozen=True, slots=True)
class IndexScope:
    """Where to look: these KBs, only these documents where `doc_ids` is given, and only what the filter lets by.

    Empty `kb_ids` or `doc_ids` mean nowhere. The filter narrows every leg, the dense one inside its search. Where its
    patterns are more than the engines can be asked (`chunk_values.py`), `InvalidRequest` says so.
    """

    kb_ids: frozenset[int]
    doc_ids: frozenset[str] | None = None
    filter: Filter | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that a leg found; `score` is the leg's own and comparable within the leg only."""

    chunk_id: str
    doc_id: str
    kb_id: int
    revision: int
    score: float


@dataclass(frozen=True, slots=True)
class LegResult:
    """Candidates best first, ties (equal to 5 decimals) by chunk id, and the milliseconds spent in the engine."""

    candidates: tuple[Candidate, ...] = field(default=())
    took_ms: float = 0.0


class ChunkIndex(Protocol):
    """One index generation. Writes are durable and findable, in every process, once `refresh` has returned.

    Before that they may be findable or not, and a kill may lose them; it never damages what was refreshed. Writes and
    deletes of one process apply in the order of the calls. A second process that writes may be refused for as long as
    the first one is at it (`SearchUnavailable`); any number of processes read.
    """

    def write(self, chunks: Sequence[IndexedChunk]) -> None:
        """Add chunks, replacing those with the same chunk id; of two with one id in a call the later one stays.

        A replaced chunk is not absent in between.
        """

    def refresh(self) -> None:
        """Make every earlier write and delete of this process durable and findable.

        Where it raises, nothing is forgotten: the next `refresh` that returns has made all of them so.
        """

    def delete_revision(self, doc_id: str, revision: int) -> None:
        """Take out the chunks of exactly this revision; none is no error."""

    def delete_document(self, doc_id: str) -> None:
        """Take out the chunks of every revision; none is no error."""

    def delete_kb(self, kb_id: int) -> None:
        """Take out every chunk of the KB; none is no error."""

    def search(self, legs: Sequence[Leg], scope: IndexScope, limit: int) -> list[LegResult]:
        """Run the legs together, each for up to `limit` (1 to `MAX_CANDIDATES`) candidates.

        They see one state of the index, or, in a home on other machines, states that a refresh in that moment parts.

        One result a leg, in the legs' order. Never a candidate outside the scope. Which of many equally scored chunks
        make the cut is decided by chunk id too, unless more than a thousand of them tie with the last.
        """

    def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """Read stored chunks by id, as of the last refresh; absent ones are left out."""

    def count(self, kb_ids: frozenset[int]) -> int:
        """Count the chunks of these KBs, invisible ones too, as of the last refresh."""
