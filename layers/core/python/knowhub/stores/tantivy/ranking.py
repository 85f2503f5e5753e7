"""The best hits of a scored query within a scope, with ties settled by chunk id."""

from collections.abc import Sequence
from math import ceil

from tantivy import Query

from knowhub.ports.chunk_index import Candidate, IndexScope
from knowhub.stores.tantivy.queries import Bounds
from knowhub.stores.tantivy.schema import CHUNK_ID, DOC_ID, KB_ID, REVISION
from knowhub.stores.tantivy.snapshot import Hit, Snapshot, stored_text

SCORE_DIGITS = 5
"""Scores are single-precision sums in an order that the engine chooses: closer ones are not told apart."""

_MARGIN = 32
_MAX_TIED = 1_024
"""Hits beyond the limit that are read, at the most, to settle a tie at the cut."""

_WIDE = 0.5
_WIDE_KBS = 512


def ranked(snapshot: Snapshot, query: Query, bounds: Bounds, limit: int) -> list[Hit]:
    """Find the best hits in the scope: at least those that `candidates` needs for a cut at `limit`."""
    share = _share(snapshot, bounds.scope)
    if share >= _WIDE:
        found = _sifted(snapshot, query, bounds.scope, limit, share)
        if found is not None:
            return found
    restricted = bounds.within(query)
    asked = limit + _MARGIN
    while True:
        hits = snapshot.top(restricted, asked)
        if _settled(hits, limit, exhausted=len(hits) < asked) or asked >= limit + _MAX_TIED:
            return hits
        asked = min(asked * 4, limit + _MAX_TIED)


def candidates(snapshot: Snapshot, hits: Sequence[Hit], limit: int) -> tuple[Candidate, ...]:
    """Turn the best of the hits (given best first) into candidates, reading no more of them than the cut needs."""
    rounded = [(round(score, SCORE_DIGITS), address) for score, address in hits]
    if len(rounded) > limit:
        lowest = rounded[limit - 1][0]
        rounded = [hit for hit in rounded if hit[0] >= lowest]
    kbs = snapshot.numbers(KB_ID, rounded)
    revisions = snapshot.numbers(REVISION, rounded)
    read = [
        Candidate(stored_text(document, CHUNK_ID), stored_text(document, DOC_ID), kb_id, revision, score)
        for document, kb_id, revision, (score, _) in zip(snapshot.stored(rounded), kbs, revisions, rounded, strict=True)
    ]
    read.sort(key=lambda candidate: (-candidate.score, candidate.chunk_id))
    return tuple(read[:limit])


def _settled(hits: Sequence[Hit], limit: int, *, exhausted: bool) -> bool:
    """Whether no hit beyond these could tie with the last one that is wanted."""
    if exhausted:
        return True
    return len(hits) > limit and round(hits[-1][0], SCORE_DIGITS) < round(hits[limit - 1][0], SCORE_DIGITS)


def _share(snapshot: Snapshot, scope: IndexScope) -> float:
    """Estimate which part of the index is in the scope; 0 where that is not worth knowing."""
    if scope.doc_ids is not None or scope.filter is not None or len(scope.kb_ids) > _WIDE_KBS or not snapshot.size:
        return 0.0
    return min(1.0, sum(snapshot.frequency(KB_ID, kb_id) for kb_id in scope.kb_ids) / snapshot.size)


def _sifted(snapshot: Snapshot, query: Query, scope: IndexScope, limit: int, share: float) -> list[Hit] | None:
    """Search the whole index and keep what is in the scope; None where that does not give enough.

    The same hits with the same scores as with a filter. Where the scope is most of the index it takes a third of the
    time: without a filter the engine skips what can't reach the top.
    """
    asked = ceil((limit + _MARGIN) / share)
    hits = snapshot.top(query, asked)
    kbs = snapshot.numbers(KB_ID, hits)
    kept = [hit for hit, kb_id in zip(hits, kbs, strict=True) if kb_id in scope.kb_ids]
    settled = len(hits) < asked or (len(kept) > limit and _settled(kept, limit, exhausted=False))
    return kept if settled else None
