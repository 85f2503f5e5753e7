"""The reranker port: a slower, better judgement over the best candidates."""

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Judges how well documents answer a query."""

    def rerank(self, query: str, documents: Sequence[str], top_n: int) -> list[tuple[int, float]]:
        """Give up to `top_n` pairs of a document's position and its score of 0 to 1, best first, ties by position.

        Raises `Unavailable` where the model does not answer in time or answers with what can't be read.
        """
