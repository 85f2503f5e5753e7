"""From a leg to the searches that answer it, and from what they found to its candidates."""

from collections.abc import Sequence
from dataclasses import dataclass

from knowhub.ports.chunk_index import DenseLeg, EveryLeg, KeywordLeg, Leg, LegResult
from knowhub.ports.chunk_rules import check_vector
from knowhub.stores.opensearch.answers import DOCUMENT_FIELDS, Found, Hit
from knowhub.stores.opensearch.queries import Query, compared, everything, exact_query, keyword_query, nearest, within
from knowhub.stores.opensearch.schema import CHUNK_ID

MARGIN = 32
"""Hits beyond the limit that are asked for at once, so that most ties at the cut need no second request."""

SCORE_DIGITS = 5
"""Scores are single-precision sums in an order that the engine chooses: closer ones are not told apart."""

_MAX_TIED = 1_024
"""Hits beyond the limit that are asked for, at the most, to settle a tie at the cut."""

_LEAST_NEIGHBOURS = 200
"""What the graph is searched for at the least: with fewer it misses more."""

_BY_SCORE: Sequence[dict[str, str]] = ({"_score": "desc"}, {CHUNK_ID: "asc"})
_BY_ID: Sequence[dict[str, str]] = ({CHUNK_ID: "asc"},)


@dataclass(frozen=True, slots=True)
class Reach:
    """What vectors an index has (0 for none), and up to how many of them are all compared."""

    dimension: int
    exact_scope: int


def questions(leg: Leg, filters: Sequence[Query], size: int, reach: Reach) -> list[Query]:
    """Build the searches of a leg, for `size` hits; none where it can find nothing.

    A dense leg is asked twice in one go: by comparing everything in the scope, which the engine leaves off where that
    is too much, and by the graph. Which of the two counts is known only afterwards.
    """
    if isinstance(leg, EveryLeg):
        return [_body(everything(filters), size, _BY_ID)]
    if isinstance(leg, DenseLeg):
        if not reach.dimension:
            return []
        check_vector(leg.vector, reach.dimension)
        exact = _body(compared(filters, leg.vector), size, _BY_SCORE) | {"terminate_after": reach.exact_scope}
        graph = _body(nearest(filters, leg.vector, max(size, _LEAST_NEIGHBOURS)), size, _BY_SCORE)
        return [exact, graph]
    query = keyword_query(leg) if isinstance(leg, KeywordLeg) else exact_query(leg)
    return [] if query is None else [_body(within(filters, query), size, _BY_SCORE)]


def settled(leg: Leg, found: Sequence[Found], limit: int, size: int) -> LegResult | None:
    """Give a leg's candidates; None where hits that were not asked for could tie with the last of them."""
    took = max((one.took_ms for one in found), default=0.0)
    if not found:
        return LegResult()
    if isinstance(leg, EveryLeg):
        return LegResult(tuple(hit.candidate(1.0) for hit in found[0].hits[:limit]), took)
    scored = _cosines(found) if isinstance(leg, DenseLeg) else _plain(found[0])
    if len(scored) == size and size < limit + _MAX_TIED and scored[-1][0] == scored[limit - 1][0]:
        return None
    candidates = [hit.candidate(score) for score, hit in scored]
    candidates.sort(key=lambda candidate: (-candidate.score, candidate.chunk_id))
    return LegResult(tuple(candidates[:limit]), took)


def wider(limit: int, size: int) -> int:
    """Give how many hits to ask for after so many did not settle a tie."""
    return min(4 * size, limit + _MAX_TIED)


def _plain(found: Found) -> list[tuple[float, Hit]]:
    return [(round(hit.score, SCORE_DIGITS), hit) for hit in found.hits]


def _cosines(found: Sequence[Found]) -> list[tuple[float, Hit]]:
    """Turn the engine's scores, which are never negative, into cosines."""
    exact, graph = found
    hits = graph.hits if exact.cut else exact.hits
    return [(round(max(-1.0, min(1.0, 2 * hit.score - 1)), SCORE_DIGITS), hit) for hit in hits]


def _body(query: Query, size: int, order: Sequence[dict[str, str]]) -> Query:
    return {
        "query": query,
        "size": size,
        "sort": list(order),
        "track_total_hits": False,
        "_source": False,
        "stored_fields": "_none_",
        "docvalue_fields": list(DOCUMENT_FIELDS),
    }
