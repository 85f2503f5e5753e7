"""From a leg to its candidates."""

from typing import TYPE_CHECKING

from knowhub.ports.chunk_index import Candidate, DenseLeg, ExactLeg, IndexScope, KeywordLeg
from knowhub.stores.tantivy.queries import exact_query, keyword_query
from knowhub.stores.tantivy.ranking import candidates, ranked
from knowhub.stores.tantivy.snapshot import Snapshot

if TYPE_CHECKING:
    from knowhub.stores.tantivy.vector_files import VectorRows


def text_candidates(
    snapshot: Snapshot, leg: KeywordLeg | ExactLeg, scope: IndexScope, limit: int
) -> tuple[Candidate, ...]:
    """Run a leg over the text index."""
    schema = snapshot.schema
    query = keyword_query(schema, leg) if isinstance(leg, KeywordLeg) else exact_query(schema, leg)
    return () if query is None else candidates(snapshot, ranked(snapshot, query, scope, limit), limit)


def dense_candidates(
    snapshot: Snapshot, vectors: "VectorRows", leg: DenseLeg, scope: IndexScope, limit: int
) -> tuple[Candidate, ...]:
    """Run a leg over the vectors."""
    from knowhub.stores.tantivy.dense import dense_hits  # noqa: PLC0415 - loads numpy

    hits = dense_hits(snapshot, vectors, leg.vector, scope, limit)
    # Half precision can push a cosine a little beyond its range.
    return candidates(snapshot, [(max(-1.0, min(1.0, score)), address) for score, address in hits], limit)
