"""Weighted reciprocal rank fusion (Cormack, Clarke and Buettcher 2009, k = 60)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from knowhub.ports.chunk_index import Candidate

K = 60


@dataclass(frozen=True, slots=True)
class Fused:
    """A candidate with its fused score, scaled to 0..1 by the best that the legs could give together."""

    candidate: Candidate
    score: float


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each leg says, and how much the dense one says of each KB's documents (by its id)."""

    legs: Mapping[str, float]
    dense: Mapping[int, float] = field(default_factory=dict)

    def of(self, leg: str, kb_id: int) -> float:
        """Give a leg's weight for the documents of a KB."""
        return self.dense.get(kb_id, 0.0) if leg == "dense" else self.legs[leg]

    def greatest(self, leg: str) -> float:
        """Give the most that a leg can say of any document."""
        return max(self.dense.values(), default=0.0) if leg == "dense" else self.legs[leg]


def fuse(legs: Mapping[str, Sequence[Candidate]], weights: Weights) -> list[Fused]:
    """Merge the legs' candidates (each best first), best first, ties by chunk id.

    A candidate's score is the sum over the legs that found it of weight / (K + rank), rank from 1. What only legs of
    weight 0 found is left out.
    """
    scores: dict[str, float] = {}
    seen: dict[str, Candidate] = {}
    for name, candidates in legs.items():
        for rank, candidate in enumerate(candidates, start=1):
            weight = weights.of(name, candidate.kb_id)
            if weight:
                seen.setdefault(candidate.chunk_id, candidate)
                scores[candidate.chunk_id] = scores.get(candidate.chunk_id, 0.0) + weight / (K + rank)
    best = sum(weights.greatest(name) for name in legs) / (K + 1)
    order = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))
    return [Fused(seen[chunk_id], min(scores[chunk_id] / best, 1.0)) for chunk_id in order]
