"""The figures of one ranked list, as trec_eval and BEIR compute them.

A grade is what a document is worth to a query; documents that nobody has judged are worth nothing, and so are grades
below 0. A ranking has no document twice.
"""

from collections.abc import Mapping, Sequence
from math import log2

Grades = Mapping[str, int]


def ndcg(ranking: Sequence[str], grades: Grades, k: int) -> float:
    """Give the discounted gain of the first `k` places over that of the best order there is.

    The gain is the grade itself and the discount log2(rank + 1), as in trec_eval's `ndcg_cut`; the other convention in
    use, 2^grade - 1, agrees where grades are 0 and 1. Without a relevant document it is 0.
    """
    best = _discounted(sorted((_gain(grade) for grade in grades.values()), reverse=True)[:k])
    return _discounted([_gain(grades.get(one, 0)) for one in ranking[:k]]) / best if best else 0.0


def recall(ranking: Sequence[str], grades: Grades, k: int) -> float:
    """Give the share of the relevant documents that stand in the first `k` places; 0 where there are none."""
    relevant = _relevant(grades)
    return len(relevant.intersection(ranking[:k])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], grades: Grades, k: int) -> float:
    """Give 1 over the rank of the first relevant document, 0 where none is in the first `k` places."""
    relevant = _relevant(grades)
    return next((1 / rank for rank, one in enumerate(ranking[:k], start=1) if one in relevant), 0.0)


def hit(ranking: Sequence[str], grades: Grades, k: int) -> float:
    """Give 1 where a relevant document is in the first `k` places, else 0."""
    return float(not _relevant(grades).isdisjoint(ranking[:k]))


def _gain(grade: int) -> int:
    return max(grade, 0)


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _relevant(grades: Grades) -> frozenset[str]:
    return frozenset(one for one, grade in grades.items() if grade > 0)
