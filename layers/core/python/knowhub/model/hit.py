"""What a search found."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from knowhub.model.chunk import Chunk, Span


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that the kernel returned: rank from 1, score 0..1, highlights in code points of `chunk.text`."""

    rank: int
    score: float
    chunk: Chunk
    highlights: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The kernel's answer, best first; `legs` names the legs that ran."""

    query: str
    mode: str
    hits: tuple[Hit, ...]
    legs: tuple[str, ...]
    took_ms: float
    scope_truncated: bool = False
    debug: Mapping[str, object] | None = field(default=None)
