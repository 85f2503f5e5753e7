"""What a search asks for."""

from dataclasses import dataclass
from typing import Literal

from knowhub.model.filter import Filter

Mode = Literal["hybrid", "keyword", "exact", "dense"]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search, the same from every wire; `kb_ids` None means every KB that the principal reads.

    Without a query the filter alone says what is listed. `expand` is the number of neighbours on either side of a hit
    that are shown with it.
    """

    query: str
    kb_ids: tuple[int, ...] | None = None
    mode: Mode = "hybrid"
    top_k: int = 10
    filter: Filter | None = None
    min_score: float = 0.0
    rerank: bool = False
    expand: int = 0
    include_debug: bool = False
