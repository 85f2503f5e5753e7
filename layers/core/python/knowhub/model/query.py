"""What a search asks for."""

from dataclasses import dataclass
from typing import Literal

Mode = Literal["hybrid", "keyword", "exact", "dense"]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search, the same from every wire; `kb_ids` None means every KB that the principal reads."""

    query: str
    kb_ids: tuple[int, ...] | None = None
    mode: Mode = "hybrid"
    top_k: int = 10
    min_score: float = 0.0
    include_debug: bool = False
