"""The retrieval kernel's one entrance: plan, run the legs, fuse, pass the gate, rerank, select, show."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from knowhub.errors import InvalidRequest
from knowhub.model.chunk import Chunk
from knowhub.model.hit import Hit, SearchResult
from knowhub.model.query import SearchRequest
from knowhub.ports.chunk_index import MAX_CANDIDATES, ChunkIndex, IndexScope, LegResult
from knowhub.ports.reranker import Reranker
from knowhub.retrieval.debug import debug_block
from knowhub.retrieval.expansion import MAX_EXPAND, expanded, neighbour_ids
from knowhub.retrieval.fusion import Fused, Weights, fuse
from knowhub.retrieval.gate import Gate, Passage, pass_gate
from knowhub.retrieval.highlight import highlights
from knowhub.retrieval.legs import EVERY, TEXT_WEIGHTS, Plan, Serving, plan, strengthened
from knowhub.retrieval.reranking import DEPTH, rerank
from knowhub.retrieval.selection import Selection, select

MAX_TOP_K = 50
_DEPTH_FACTOR, _MIN_DEPTH, _WIDEN = 3, 50, 4


@dataclass(frozen=True, slots=True)
class Round:
    """A round trip to the engine: each leg's result by name, the fused list, and what passed the gate."""

    legs: Mapping[str, LegResult]
    weights: Weights
    fused: Sequence[Fused]
    passage: Passage
    full: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is shown of a round, with the texts it was chosen by."""

    round: Round
    selection: Selection
    chunks: Mapping[str, Chunk]
    rerank: Mapping[str, object] = field(default_factory=dict)


class Kernel:
    """Searches what serves; knows nothing of who asks."""

    def __init__(self, serving: Callable[[], Serving], reranker: Reranker | None = None) -> None:
        """Keep the way to the index that serves now, and the model that judges the best passages, if there is one."""
        self._serving = serving
        self._reranker = reranker

    def search(self, request: SearchRequest, languages: Mapping[int, str], gate: Gate) -> SearchResult:
        """Find the best visible chunks of these KBs, given with their languages, best first.

        Raises `InvalidRequest` for what can't be served, `SearchUnavailable` where the engine or the gate does not
        answer; no hits is an empty list.
        """
        began = perf_counter()
        if request.rerank and self._reranker is None:
            raise InvalidRequest("Reranking needs a reranker, and none is configured", {"rerank": True})
        if not 0 <= request.expand <= MAX_EXPAND:
            raise InvalidRequest(f"A hit is shown with 0 to {MAX_EXPAND} neighbours", {"limit": MAX_EXPAND})
        serving = self._serving()
        planned = plan(request, languages, serving)
        scope = IndexScope(frozenset(languages), filter=request.filter)
        outcome = _Search(serving.index, planned, request, gate, self._reranker).run(scope)
        return SearchResult(
            query=request.query,
            mode=request.mode,
            hits=_hits(serving.index, outcome, planned, request),
            legs=tuple(planned.legs),
            took_ms=round((perf_counter() - began) * 1000, 3),
            debug=_debug(planned, outcome, request) if request.include_debug else None,
        )


class _Search:
    """One search on its way: the rounds to the engine and what is made of them."""

    def __init__(
        self, index: ChunkIndex, planned: Plan, request: SearchRequest, gate: Gate, reranker: Reranker | None
    ) -> None:
        self._index = index
        self._plan = planned
        self._request = request
        self._gate = gate
        self._reranker = reranker if request.rerank and not planned.lists else None

    def run(self, scope: IndexScope) -> Outcome:
        """Run the legs, and once more where too little is left to show: wider, and for outdated documents alone."""
        depth = min(max(_DEPTH_FACTOR * self._request.top_k, _MIN_DEPTH), MAX_CANDIDATES)
        wider = min(depth * _WIDEN, MAX_CANDIDATES)
        found = self._round(scope, depth)
        outcome = self._outcome(found)
        if self._enough(outcome):
            return outcome
        if found.full:
            found = self._round(scope, wider)
            outcome = self._outcome(found)
        if found.passage.outdated and not self._enough(outcome):
            narrow = replace(scope, doc_ids=frozenset(found.passage.outdated))
            outcome = self._outcome(_joined(found, self._round(narrow, wider)))
        return outcome

    def _enough(self, outcome: Outcome) -> bool:
        left_out = outcome.round.passage.dropped or outcome.selection.duplicates
        return len(outcome.selection.shown) >= self._request.top_k or not left_out

    def _round(self, scope: IndexScope, depth: int) -> Round:
        legs = self._plan.legs
        results = dict(zip(legs, self._index.search(list(legs.values()), scope, depth), strict=True))
        found = {name: result.candidates for name, result in results.items()}
        weights = self._weights(results)
        fused = [Fused(one, 1.0) for one in found[EVERY]] if self._plan.lists else fuse(found, weights)
        full = any(len(candidates) >= depth for candidates in found.values())
        return Round(results, weights, fused, pass_gate(self._gate, fused, depth), full)

    def _weights(self, results: Mapping[str, LegResult]) -> Weights:
        """Trust the dense leg in full where the words of the query are hardly found at all."""
        weights = self._plan.weights
        if "dense" not in results or len(results) == 1:
            return weights
        by_words = {one.chunk_id for name in TEXT_WEIGHTS if name in results for one in results[name].candidates}
        return strengthened(weights) if len(by_words) < self._request.top_k else weights

    def _outcome(self, found: Round) -> Outcome:
        top_k, passed = self._request.top_k, found.passage.passed
        if self._reranker is not None:
            chunks = self._fetch(passed[:DEPTH])
            judged = rerank(self._reranker, self._request.query, passed, chunks)
            return Outcome(found, self._select(judged.passages, chunks), chunks, judged.outcome)
        # Twice as many as are shown: most of what is left out repeats another text.
        chunks = self._fetch(passed[: 2 * top_k])
        selection = self._select(passed[: 2 * top_k], chunks)
        if len(selection.shown) < top_k < len(passed):
            chunks = self._fetch(passed)
            selection = self._select(passed, chunks)
        return Outcome(found, selection, chunks)

    def _select(self, ranked: Sequence[Fused], chunks: Mapping[str, Chunk]) -> Selection:
        good = [one for one in ranked if one.score >= self._request.min_score]
        if self._plan.lists:
            return Selection([one for one in good if one.candidate.chunk_id in chunks][: self._request.top_k])
        return select(good, chunks, self._request.top_k)

    def _fetch(self, passages: Sequence[Fused]) -> Mapping[str, Chunk]:
        return self._index.fetch([one.candidate.chunk_id for one in passages]) if passages else {}


def _joined(first: Round, again: Round) -> Round:
    """Put the visible revisions' chunks, found in the second round, among what had passed."""
    known = {one.candidate.chunk_id for one in first.passage.passed}
    more = [one for one in again.passage.passed if one.candidate.chunk_id not in known]
    passed = sorted([*first.passage.passed, *more], key=lambda one: (-one.score, one.candidate.chunk_id))
    return replace(first, passage=Passage(passed, first.passage.dropped), full=False)


def _hits(index: ChunkIndex, outcome: Outcome, planned: Plan, request: SearchRequest) -> tuple[Hit, ...]:
    shown = [outcome.chunks[one.candidate.chunk_id] for one in outcome.selection.shown]
    if request.expand and shown:
        known = {**index.fetch(neighbour_ids(shown, request.expand)), **{one.chunk_id: one for one in shown}}
        shown = [expanded(chunk, request.expand, known) for chunk in shown]
    return tuple(
        Hit(rank, round(one.score, 6), chunk, highlights(chunk.text, planned.query.terms))
        for rank, (one, chunk) in enumerate(zip(outcome.selection.shown, shown, strict=True), start=1)
    )


def _debug(planned: Plan, outcome: Outcome, request: SearchRequest) -> dict[str, object]:
    found = outcome.round
    dropped = {**found.passage.dropped, **dict.fromkeys(outcome.selection.duplicates, "duplicate")}
    weights = {name: found.weights.greatest(name) for name in found.legs}
    return debug_block(
        planned,
        legs=found.legs,
        weights=weights,
        fused=found.fused,
        dropped=dropped,
        reranked=outcome.rerank,
        asked=request.filter,
    )


def clamp_top_k(top_k: int) -> int:
    """Bring a caller's number of hits into 1 to `MAX_TOP_K`, as the HTTP and Dify wires promise."""
    return max(1, min(top_k, MAX_TOP_K))
