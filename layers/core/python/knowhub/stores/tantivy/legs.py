"""From a leg to its candidates."""

from typing import TYPE_CHECKING

from knowhub.ports.chunk_index import Candidate, DenseLeg, EveryLeg, ExactLeg, KeywordLeg
from knowhub.stores.tantivy.queries import Bounds, exact_query, keyword_query
from knowhub.stores.tantivy.ranking import candidates, ranked
from knowhub.stores.tantivy.schema import CHUNK_ID
from knowhub.stores.tantivy.snapshot import Snapshot

if TYPE_CHECKING:
    from knowhub.stores.tantivy.vector_files import VectorRows


def text_candidates(
    snapshot: Snapshot, leg: KeywordLeg | ExactLeg | EveryLeg, bounds: Bounds, limit: int
) -> tuple[Candidate, ...]:
    """Run a leg over the text index."""
    if isinstance(leg, EveryLeg):
        return candidates(snapshot, snapshot.first(bounds.everything(), limit, CHUNK_ID), limit)
    schema = snapshot.schema
    query = keyword_query(schema, leg) if isinstance(leg, KeywordLeg) else exact_query(schema, leg)
    return () if query is None else candidates(snapshot, ranked(snapshot, query, bounds, limit), limit)


def dense_candidates(
    snapshot: Snapshot, vectors: "VectorRows", leg: DenseLeg, bounds: Bounds, limit: int
) -> tuple[Candidate, ...]:
    """Run a leg over the vectors."""
    from knowhub.stores.tantivy.dense import dense_hits  # noqa: PLC0415 - loads numpy

    hits = dense_hits(snapshot, vectors, leg.vector, bounds, limit)
    # Half precision can push a cosine a little beyond its range.
    return candidates(snapshot, [(max(-1.0, min(1.0, score)), address) for score, address in hits], limit)
