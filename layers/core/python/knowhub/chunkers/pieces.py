"""Turning ranges of a source into pieces with locators, in one pass over its lines."""

from knowhub.model.chunk import Locator, Piece, Span


class PieceBuilder:
    """Builds the pieces of one text; ranges must come in the order of their ends."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._line = 1

    def build(
        self,
        start: int,
        end: int,
        overlap: int = 0,
        prefix: str = "",
        suffix: str = "",
        *,
        chunk_type: str = "text",
        header_path: str | None = None,
    ) -> Piece:
        """Make the piece that owns `start..end`, repeats `overlap` code points before it, and wears added text."""
        first = start - overlap
        text = self._text[first:end]
        synthetic: tuple[Span, ...] = ()
        if prefix or suffix:
            text = f"{prefix}{text}{suffix}"
            synthetic = _added(len(text), len(prefix), len(suffix))
        return Piece(text, (Span(start, end),), self._locate(first, end), chunk_type, header_path, overlap, synthetic)

    def _locate(self, first: int, end: int) -> Locator:
        """Count the lines from the place where the piece before ended, forwards or back."""
        count, last = self._text.count, end - 1
        if first >= self._position:
            line_start = self._line + count("\n", self._position, first)
        else:
            line_start = self._line - count("\n", first, self._position)
        self._position = last
        self._line = line_start + count("\n", first, last)
        return Locator(first, end, line_start, self._line)


def _added(length: int, prefix: int, suffix: int) -> tuple[Span, ...]:
    """Give the ranges of what was added at either end, without empty ones."""
    ends = (Span(0, prefix), Span(length - suffix, length))
    return tuple(span for span in ends if span.start < span.end)
