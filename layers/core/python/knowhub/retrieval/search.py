"""The retrieval kernel's one entrance: analyse, run the legs, fuse, pass the gate, show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

from knowhub.errors import InvalidRequest
from knowhub.model.hit import Hit, SearchResult
from knowhub.model.query import SearchRequest
from knowhub.ports.chunk_index import ChunkIndex, ExactLeg, IndexScope, KeywordLeg, Leg, LegResult
from knowhub.retrieval.analysis import AnalysedQuery, analyse_query
from knowhub.retrieval.fusion import Fused, fuse
from knowhub.retrieval.gate import Gate, Passage, pass_gate
from knowhub.retrieval.highlight import highlights

WEIGHTS: Mapping[str, float] = {"keyword": 1.0, "exact": 0.5}
"""An exact match mostly repeats what the keyword leg found: at half weight it decides between near equals."""

MODES: Mapping[str, tuple[str, ...]] = {
    "hybrid": ("keyword", "exact"),
    "keyword": ("keyword",),
    "exact": ("exact",),
}

MAX_QUERY = 2000
MAX_TOP_K = 50
_DEPTH_FACTOR, _MIN_DEPTH, _WIDEN = 3, 50, 4


@dataclass(frozen=True, slots=True)
class Round:
    """One round trip to the engine: each leg's result by name, the fused list, and what passed the gate."""

    legs: Mapping[str, LegResult]
    fused: Sequence[Fused]
    passage: Passage
    full: bool


class Kernel:
    """Searches one chunk index; knows nothing of who asks."""

    def __init__(self, index: ChunkIndex) -> None:
        """Keep the index."""
        self._index = index

    def search(self, request: SearchRequest, kb_ids: frozenset[int], gate: Gate) -> SearchResult:
        """Find the best visible chunks of these KBs, best first.

        Raises `InvalidRequest` for a query or mode that can't be served, `SearchUnavailable` where the engine or the
        gate does not answer; no hits is an empty list.
        """
        began = perf_counter()
        names = _legs_of(request)
        query = analyse_query(request.query)
        legs = {name: _leg(name, query, alone=len(names) == 1) for name in names}
        outcome = self._rounds(legs, IndexScope(kb_ids), gate, request.top_k)
        hits = self._hits(outcome.passage.passed, query, request)
        return SearchResult(
            query=request.query,
            mode=request.mode,
            hits=hits,
            legs=names,
            took_ms=round((perf_counter() - began) * 1000, 3),
            debug=_debug(query, outcome) if request.include_debug else None,
        )

    def _rounds(self, legs: Mapping[str, Leg], scope: IndexScope, gate: Gate, top_k: int) -> Round:
        """Run the legs, and once more where the gate left the answer short: for outdated documents, or wider."""
        depth = max(_DEPTH_FACTOR * top_k, _MIN_DEPTH)
        first = self._round(legs, scope, gate, depth, top_k)
        if len(first.passage.passed) >= top_k or not first.passage.dropped:
            return first
        found = first
        if first.full:
            found = self._round(legs, scope, gate, depth * _WIDEN, top_k)
        if found.passage.outdated and len(found.passage.passed) < top_k:
            narrow = IndexScope(scope.kb_ids, frozenset(found.passage.outdated))
            again = self._round(legs, narrow, gate, depth * _WIDEN, top_k)
            found = _joined(found, again, top_k)
        return found

    def _round(self, legs: Mapping[str, Leg], scope: IndexScope, gate: Gate, depth: int, top_k: int) -> Round:
        results = dict(zip(legs, self._index.search(list(legs.values()), scope, depth), strict=True))
        fused = fuse({name: result.candidates for name, result in results.items()}, WEIGHTS)
        full = any(len(result.candidates) >= depth for result in results.values())
        return Round(results, fused, pass_gate(gate, fused, top_k), full)

    def _hits(self, passed: Sequence[Fused], query: AnalysedQuery, request: SearchRequest) -> tuple[Hit, ...]:
        kept = [one for one in passed if one.score >= request.min_score]
        chunks = self._index.fetch([one.candidate.chunk_id for one in kept])
        shown = [one for one in kept if one.candidate.chunk_id in chunks]
        return tuple(
            Hit(rank, round(one.score, 6), chunk, highlights(chunk.text, query.terms))
            for rank, one in enumerate(shown, start=1)
            for chunk in (chunks[one.candidate.chunk_id],)
        )


def _legs_of(request: SearchRequest) -> tuple[str, ...]:
    if not request.query.strip():
        raise InvalidRequest("A search needs a query")
    if len(request.query) > MAX_QUERY:
        raise InvalidRequest(f"A query has at most {MAX_QUERY} characters", {"limit": MAX_QUERY})
    if request.mode not in MODES:
        raise InvalidRequest(f"Mode {request.mode} needs an embedder, and none is configured", {"mode": request.mode})
    return MODES[request.mode]


def _leg(name: str, query: AnalysedQuery, *, alone: bool) -> Leg:
    if name == "keyword":
        return KeywordLeg(query.terms)
    # Loose phrases are too common to be fused; without them the exact leg alone finds nothing for a long query.
    optional = (*query.optional, *query.loose) if alone else query.optional
    return ExactLeg(optional=optional, required=query.required)


def _joined(first: Round, again: Round, top_k: int) -> Round:
    """Put the visible revisions' chunks, found in the second round, behind what had passed."""
    known = {one.candidate.chunk_id for one in first.passage.passed}
    more = [one for one in again.passage.passed if one.candidate.chunk_id not in known]
    passed = sorted([*first.passage.passed, *more], key=lambda one: (-one.score, one.candidate.chunk_id))
    return Round(first.legs, first.fused, Passage(passed[:top_k], first.passage.dropped), full=False)


def _debug(query: AnalysedQuery, outcome: Round) -> dict[str, object]:
    return {
        "terms": list(query.terms),
        "phrases": [list(phrase) for phrase in (*query.required, *query.optional)],
        "legs": {
            name: {
                "took_ms": round(result.took_ms, 3),
                "weight": WEIGHTS[name],
                "hits": [
                    {"chunk_id": one.chunk_id, "rank": rank, "raw_score": one.score}
                    for rank, one in enumerate(result.candidates, start=1)
                ],
            }
            for name, result in outcome.legs.items()
        },
        "fused": [{"chunk_id": one.candidate.chunk_id, "score": one.score} for one in outcome.fused],
        "dropped": [{"chunk_id": chunk_id, "reason": why} for chunk_id, why in outcome.passage.dropped.items()],
    }


def clamp_top_k(top_k: int) -> int:
    """Bring a caller's number of hits into 1 to `MAX_TOP_K`, as the HTTP and Dify wires promise."""
    return max(1, min(top_k, MAX_TOP_K))
