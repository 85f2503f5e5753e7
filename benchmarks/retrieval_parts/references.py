"""What is known of the collections, and the bars that the hub is held to."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from knowhub_cli.evaluation.runs import HIT, NDCG

SLACK = 0.005
"""How much hybrid may lose against keyword."""


@dataclass(frozen=True)
class Known:
    """nDCG@10 of a plain BM25, and bars: keyword's nDCG@10, and hybrid's hit@1 across languages."""

    reference: float = 0.0
    keyword: float = 0.0
    hit: float = 0.0

    def verdicts(self, mode: str, figures: Mapping[str, float], keyword: float) -> Iterator[str]:
        """Say which bars a mode's figures reach; `keyword` is that mode's nDCG@10."""
        if mode == "keyword" and self.keyword:
            yield _verdict(NDCG, figures[NDCG], self.keyword)
        if mode == "hybrid":
            yield _verdict(f"{NDCG} of keyword - {SLACK}", figures[NDCG], keyword - SLACK)
            if self.hit:
                yield _verdict(HIT, figures[HIT], self.hit)


KNOWN = {
    "scifact": Known(reference=0.668, keyword=0.665),
    "cmrc2018": Known(reference=0.980, keyword=0.97),
    "cosqa": Known(reference=0.370, keyword=0.365),
    "en-zh": Known(hit=0.65),
}


def _verdict(what: str, figure: float, bar: float) -> str:
    return f"{'reached' if figure >= bar else 'MISSED'}: {what} >= {bar:.3f}"
