"""How large a chunk may be, and what is refused before cutting starts."""

from dataclasses import dataclass

from knowhub.errors import InvalidRequest, Unreadable
from knowhub.model import knowledge_base

DEFAULT_JSON_SIZE = knowledge_base.DEFAULT_JSON_SIZE
"""Bytes of one JSON chunk as it is serialised, in UTF-8."""

DEFAULT_SIZE = knowledge_base.DEFAULT_SIZE
"""Code points in one chunk, repeated text and added headers included."""


class InvalidChunkSize(InvalidRequest):
    """The size is not positive."""


class InvalidOverlap(InvalidRequest):
    """The overlap is negative."""


class OverlapTooLarge(InvalidRequest):
    """The overlap leaves no room for new text."""


class EmptyDocument(Unreadable):
    """The document has nothing but white space."""


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """Sizes in code points (JSON: bytes), and what changes where a chunker cuts.

    `preserve_lines` (fixed and JSON) is for text with one record a line; the first `header_lines` of it name the
    fields, and the fixed chunker repeats them at the head of later chunks. `trim_whitespace` gives up white space at
    the edges of the document, of every line and of every chunk (not for JSON). `separators` (recursive) are the
    caller's own, by rank; None means those of the chunker.
    """

    size: int = DEFAULT_SIZE
    overlap: int = 0
    preserve_lines: bool = False
    trim_whitespace: bool = False
    header_lines: int = 0
    separators: tuple[str, ...] | None = None

    @property
    def later_budget(self) -> int:
        """How much new text any chunk but the first may take."""
        return self.size - self.overlap


def check(text: str, options: ChunkOptions) -> None:
    """Refuse what can't be chunked; nothing is adjusted silently.

    Raises `InvalidChunkSize`, `InvalidOverlap`, `OverlapTooLarge` or `EmptyDocument`, looked for in this order.
    """
    size, overlap = options.size, options.overlap
    if size <= 0:
        raise InvalidChunkSize(f"chunk size must be positive, not {size}", _detail("size"))
    if overlap < 0:
        raise InvalidOverlap(f"chunk overlap must not be negative, but is {overlap}", _detail("overlap"))
    if overlap >= size:
        raise OverlapTooLarge(f"chunk overlap {overlap} must be less than the chunk size {size}", _detail("overlap"))
    if not text or text.isspace():
        raise EmptyDocument("the document has no text to chunk")


def _detail(field: str) -> dict[str, object]:
    return {"errors": [{"loc": ["chunking", field], "type": "value_error", "message": f"invalid chunk {field}"}]}
