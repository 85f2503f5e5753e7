"""Weighted reciprocal rank fusion (Cormack, Clarke and Buettcher 2009, k = 60)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from knowhub.ports.chunk_index import Candidate

K = 60


@dataclass(frozen=True, slots=True)
class Fused:
    """A candidate with its fused score, scaled to 0..1 by the best that the legs could give together."""

    candidate: Candidate
    score: float


def fuse(legs: Mapping[str, Sequence[Candidate]], weights: Mapping[str, float]) -> list[Fused]:
    """Merge the legs' candidates (each best first), best first, ties by chunk id.

    A candidate's score is the sum over the legs that found it of weight / (K + rank), rank from 1.
    """
    scores: dict[str, float] = {}
    seen: dict[str, Candidate] = {}
    for name, candidates in legs.items():
        for rank, candidate in enumerate(candidates, start=1):
            seen.setdefault(candidate.chunk_id, candidate)
            scores[candidate.chunk_id] = scores.get(candidate.chunk_id, 0.0) + weights[name] / (K + rank)
    best = sum(weights[name] for name in legs) / (K + 1)
    order = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))
    return [Fused(seen[chunk_id], min(scores[chunk_id] / best, 1.0)) for chunk_id in order]
