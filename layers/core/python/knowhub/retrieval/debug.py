"""The debug block of a search, made in one place for every wire and route that shows it."""

from collections.abc import Mapping, Sequence

from knowhub.model.filter import AllOf, AnyOf, Comparison, Filter
from knowhub.ports.chunk_index import LegResult
from knowhub.retrieval.fusion import Fused
from knowhub.retrieval.legs import Plan


def debug_block(
    planned: Plan,
    *,
    legs: Mapping[str, LegResult],
    weights: Mapping[str, float],
    fused: Sequence[Fused],
    dropped: Mapping[str, str],
    reranked: Mapping[str, object],
    asked: Filter | None,
) -> dict[str, object]:
    """Say how a search went: the terms, each leg, the fused order, what was dropped and why, and what was asked."""
    query = planned.query
    return {
        "terms": list(query.terms),
        "phrases": [list(phrase) for phrase in (*query.required, *query.optional)],
        "legs": {name: _leg(result, weights[name]) for name, result in legs.items()},
        "unavailable": dict(planned.unavailable),
        "fused": [{"chunk_id": one.candidate.chunk_id, "score": one.score} for one in fused],
        "dropped": [{"chunk_id": chunk_id, "reason": why} for chunk_id, why in dropped.items()],
        "rerank": dict(reranked) or None,
        "filter": None if asked is None else filter_members(asked),
    }


def filter_members(asked: Filter) -> dict[str, object]:
    """Show a filter as a caller writes it."""
    if isinstance(asked, Comparison):
        shown: dict[str, object] = {"field": asked.field, "operator": asked.operator}
        if asked.operator in {"in", "not in", "between"}:
            shown["value"] = list(asked.values)
        elif asked.values:
            shown["value"] = asked.values[0]
        return shown
    if isinstance(asked, (AllOf, AnyOf)):
        operator = "and" if isinstance(asked, AllOf) else "or"
        return {"operator": operator, "value": [filter_members(part) for part in asked.parts]}
    return {"operator": "not", "value": filter_members(asked.part)}


def _leg(result: LegResult, weight: float) -> dict[str, object]:
    return {
        "took_ms": round(result.took_ms, 3),
        "weight": weight,
        "hits": [
            {"chunk_id": one.chunk_id, "rank": rank, "raw_score": one.score}
            for rank, one in enumerate(result.candidates, start=1)
        ],
    }
