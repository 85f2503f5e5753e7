"""Chunking what a reader gave: no chunk over a break, and every chunk with its page, sheet, rows or slide."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from knowhub.chunkers.options import ChunkOptions, EmptyDocument
from knowhub.model.chunk import Locator, Piece, Span
from knowhub.model.extraction import Place

Cut = Callable[[str, ChunkOptions], list[Piece]]


def chunk_sections(text: str, breaks: Sequence[int], options: ChunkOptions, cut: Cut) -> list[Piece]:
    """Chunk each section by itself, and let positions count in the whole text; empty sections give nothing.

    Raises what the chunker raises, and `EmptyDocument` where every section is empty.
    """
    if not breaks:
        return cut(text, options)
    pieces: list[Piece] = []
    line = 0
    for start, end in _sections(text, breaks):
        section = text[start:end]
        if section.strip():
            pieces.extend(_moved(piece, start, line) for piece in cut(section, options))
        line += section.count("\n")
    if not pieces:
        raise EmptyDocument("the document has no text to chunk")
    return pieces


def _sections(text: str, breaks: Sequence[int]) -> Iterator[tuple[int, int]]:
    bounds = sorted({0, len(text), *(position for position in breaks if 0 < position < len(text))})
    return pairwise(bounds)


def _moved(piece: Piece, by: int, lines: int) -> Piece:
    where = piece.locator
    locator = where._replace(
        char_start=where.char_start + by,
        char_end=where.char_end + by,
        line_start=where.line_start + lines,
        line_end=where.line_end + lines,
    )
    own = tuple(Span(span.start + by, span.end + by) for span in piece.own_spans)
    return piece._replace(own_spans=own, locator=locator)


class Places:
    """The places of one text by position."""

    def __init__(self, text: str, places: Sequence[Place]) -> None:
        """Keep the places, which are in order and don't overlap."""
        self._places = places
        has_rows = any(place.row is not None for place in places)
        self._line_ends = [match.start() for match in re.finditer("\n", text)] if has_rows else []
        self._starts = [place.start for place in places]
        self._ends = [place.end for place in places]

    def located(self, locator: Locator, start: int, end: int) -> Locator:
        """Add the format's own members for a range of the text.

        A chunk over several pages, sheets or slides has those of its first; its boxes are those on its first page.
        """
        low, high = bisect_right(self._ends, start), bisect_left(self._starts, end)
        met = self._places[low:high]
        if not met:
            return locator
        first = met[0]
        rows = [place for place in met if place.row is not None and place.sheet == first.sheet]
        boxes = tuple(place.box for place in met if place.box is not None and place.page == first.page)
        return locator._replace(
            page=first.page,
            boxes=boxes or None,
            sheet=first.sheet,
            slide=first.slide,
            row_start=self._row(rows[0], start) if rows else None,
            row_end=self._row(rows[-1], end - 1) if rows else None,
        )

    def _row(self, place: Place, position: int) -> int:
        """Count lines from the place's own row to a position, which may lie outside of it."""
        inside = min(max(position, place.start), place.end - 1)
        lines = bisect_left(self._line_ends, inside) - bisect_left(self._line_ends, place.start)
        return (place.row or 0) + lines
