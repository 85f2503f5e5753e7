"""What an answer is made of, in the order it comes: sources, deltas, done; or an error that ends it.

Each wire writes these its own way; none adds to them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from knowhub.model.chunk import Locator, Span

FinishReason = Literal["stop", "no_evidence", "length", "error"]


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered chunk that an answer may cite: `idx` counts from 1, `score` is the hit's."""

    idx: int
    chunk_id: str
    doc_id: str
    kb_id: int
    title: str
    url: str | None
    text: str
    score: float
    locator: Locator


@dataclass(frozen=True, slots=True)
class Citation:
    """`[n]` supports the passage `start..end` of the answer, half-open in code points."""

    n: int
    chunk_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SourcesFrame:
    """The first frame: everything that `[n]` can refer to. The ids are the caller's to fill in."""

    sources: tuple[Source, ...]
    session_id: str | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class DeltaFrame:
    """The next part of the answer; all parts joined are the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Generation:
    """What was found in a generated answer: numbers and links that had to go, and the ranges that cite nothing.

    The counts of tokens are None where the model does not tell them.
    """

    citations_removed: int = 0
    links_removed: int = 0
    uncited: tuple[Span, ...] = ()
    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class DoneFrame:
    """The whole answer with its citations, in their order, and why it ends here; `took_ms` since the request.

    `generation` is there for a generated answer, `message_id` where a session keeps it.
    """

    answer: str
    citations: tuple[Citation, ...]
    extractive: bool
    finish_reason: FinishReason
    took_ms: int
    generation: Generation | None = None
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class ErrorFrame:
    """The last frame of an answer that failed after its head was sent: the members of the error envelope."""

    code: str
    message: str
    detail: Mapping[str, object] = field(default_factory=dict)
    request_id: str | None = None


Frame: TypeAlias = SourcesFrame | DeltaFrame | DoneFrame | ErrorFrame
