"""Two runs side by side, query by query."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from statistics import fmean

from knowhub_cli.evaluation.runs import NDCG, Run

_SAME = 1e-9


class Incomparable(Exception):
    """The runs have nothing in common."""


@dataclass(frozen=True, slots=True)
class Change:
    """A query's nDCG@10 in the earlier and in the later run."""

    query: str
    before: float
    after: float

    @property
    def difference(self) -> float:
        """Say how much better the later one is."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Comparison:
    """One mode in two runs: every query that both have, those that changed most first.

    `chance` is the sign test's: how likely at least so uneven a split of the queries that changed is where neither run
    is the better one (two-sided).
    """

    mode: str
    changes: tuple[Change, ...]

    @property
    def mean(self) -> float:
        """Give the mean difference."""
        return fmean(change.difference for change in self.changes)

    @property
    def better(self) -> list[Change]:
        """List the queries that gained, the largest gain first."""
        return [change for change in self.changes if change.difference > _SAME]

    @property
    def worse(self) -> list[Change]:
        """List the queries that lost, the largest loss first."""
        return [change for change in self.changes if change.difference < -_SAME]

    @property
    def unchanged(self) -> int:
        """Count the queries that did neither."""
        return len(self.changes) - len(self.better) - len(self.worse)

    @property
    def chance(self) -> float:
        """Give the sign test's probability."""
        return sign_test(len(self.better), len(self.worse))


def compare(before: Run, after: Run) -> list[Comparison]:
    """Compare the modes and queries that both runs have, in the later run's order; raises `Incomparable` for none."""
    found = []
    for mode, queries in after.modes.items():
        earlier = before.modes.get(mode, {})
        changes = _changes({one: (earlier[one][NDCG], queries[one][NDCG]) for one in queries if one in earlier})
        if changes:
            found.append(Comparison(mode, changes))
    if not found:
        raise Incomparable("The two runs have no query and mode in common")
    return found


def sign_test(better: int, worse: int) -> float:
    """Give the two-sided probability of a split at least so uneven among so many fair coins; 1 for none."""
    count = better + worse
    tail = sum(comb(count, heads) for heads in range(min(better, worse) + 1))
    return min(1.0, 2.0 * tail / float(2**count))


def _changes(pairs: Mapping[str, tuple[float, float]]) -> tuple[Change, ...]:
    changes = [Change(query, before, after) for query, (before, after) in pairs.items()]
    return tuple(sorted(changes, key=lambda change: (-abs(change.difference), change.query)))
