"""Chunks: what is indexed, found and cited."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range in code points: `start` inclusive, `end` exclusive."""

    start: int
    end: int


class Locator(NamedTuple):
    """Where a chunk stands in the extracted text: code points half-open, lines from 1 and inclusive.

    The format-specific members are None where the format has no such place.
    """

    char_start: int
    char_end: int
    line_start: int
    line_end: int
    page: int | None = None
    boxes: tuple[tuple[float, float, float, float], ...] | None = None
    json_path: str | None = None
    sheet: str | None = None
    row_start: int | None = None
    row_end: int | None = None
    slide: int | None = None


class Piece(NamedTuple):
    """What a chunker yields: text within the size, and how it relates to its source.

    `own_spans` are the source ranges that this piece is the first to carry; `overlap` is the number of code points at
    its head that repeat the previous piece; `synthetic_spans` are ranges of `text` that the chunker added.
    """

    text: str
    own_spans: tuple[Span, ...]
    locator: Locator
    chunk_type: str = "text"
    header_path: str | None = None
    overlap: int = 0
    synthetic_spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of one revision of a document, as it is stored and returned.

    `chunk_id` is `doc_id:revision:index`, with the index counting from 1. `name` is the document's file name.
    """

    chunk_id: str
    doc_id: str
    kb_id: int
    revision: int
    index: int
    title: str
    text: str
    locator: Locator
    chunk_type: str = "text"
    header_path: str | None = None
    overlap: int = 0
    url: str | None = None
    source: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    name: str = ""


def chunk_id(doc_id: str, revision: int, index: int) -> str:
    """Build the id by which a chunk is indexed and cited."""
    return f"{doc_id}:{revision}:{index}"
