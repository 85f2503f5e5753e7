"""A run over a collection: the figures of every query in every mode, and their means; a file keeps them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from knowhub.model.query import Mode
from knowhub_cli.evaluation import metrics
from knowhub_cli.evaluation.dataset import Dataset
from knowhub_cli.evaluation.library import Library

NDCG, RECALL, MRR, HIT = "ndcg@10", "recall@100", "mrr@10", "hit@1"
FIGURES = (NDCG, RECALL, MRR, HIT)

Figures = Mapping[str, float]

_SHOWN = 30
"""Chunks for the figures of the first ten places: ten documents, of which none may take more than three."""

_DEEP = (100, 300)
"""Chunks for the first hundred documents, where the shorter list misses a relevant one: as few as give so many."""

_DOCUMENTS = 100
_FORMAT = 1


class BadRun(Exception):
    """A file is no saved run; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Run:
    """Figures by mode, then by query, then by name."""

    dataset: str
    modes: Mapping[str, Mapping[str, Figures]]

    def summary(self) -> dict[str, Any]:
        """Give the means, rounded to 4 decimals, as `--json` prints them."""
        return {"dataset": self.dataset, "modes": [_mean(mode, queries) for mode, queries in self.modes.items()]}


def evaluate(library: Library, dataset: Dataset, modes: Sequence[Mode], after: Callable[[], object]) -> Run:
    """Search for every query of the collection in every mode; `after` is called with each query that is done."""
    found: dict[str, dict[str, Figures]] = {mode: {} for mode in modes}
    for query, text in dataset.queries.items():
        for mode in modes:
            found[mode][query] = _figures(library, text, mode, dataset.judgements[query])
        after()
    return Run(dataset.name, found)


def save(run: Run, path: Path) -> None:
    """Write a run to a file."""
    text = json.dumps({"format": _FORMAT, "dataset": run.dataset, "modes": run.modes}, ensure_ascii=False, indent=1)
    path.write_text(f"{text}\n", encoding="utf-8")


def restore(path: Path) -> Run:
    """Read what `save` wrote; raises `BadRun` for anything else, and `OSError` where it can't be read."""
    try:
        kept = json.loads(path.read_bytes())
        if kept["format"] != _FORMAT:
            raise BadRun(f"{path} was saved by another version of this command")
        modes = {
            str(mode): {
                str(query): {name: float(figures[name]) for name in FIGURES} for query, figures in found.items()
            }
            for mode, found in kept["modes"].items()
        }
        return Run(str(kept["dataset"]), modes)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise BadRun(f"{path} is no saved run") from None


def _figures(library: Library, query: str, mode: Mode, grades: metrics.Grades) -> Figures:
    shown, complete = library.ranking(query, mode, _SHOWN)
    deep = shown
    for top_k in _DEEP:
        if complete or len(deep) >= _DOCUMENTS or metrics.recall(deep, grades, _DOCUMENTS) == 1:
            break
        deep, complete = library.ranking(query, mode, top_k)
    return {
        NDCG: metrics.ndcg(shown, grades, 10),
        RECALL: metrics.recall(deep, grades, _DOCUMENTS),
        MRR: metrics.reciprocal_rank(shown, grades, 10),
        HIT: metrics.hit(shown, grades, 1),
    }


def _mean(mode: str, queries: Mapping[str, Figures]) -> dict[str, Any]:
    means = {name: round(fmean(one[name] for one in queries.values()), 4) for name in FIGURES}
    return {"mode": mode, **means, "queries": len(queries)}
