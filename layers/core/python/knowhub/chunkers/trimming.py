"""The lossy mode: chunk a text without the white space at its edges and at those of its lines, then point back."""

from bisect import bisect_right
from collections.abc import Callable, Iterator

from knowhub.chunkers.options import ChunkOptions
from knowhub.model.chunk import Locator, Piece, Span


def chunk_trimmed(text: str, options: ChunkOptions, cut: Callable[[str, ChunkOptions], list[Piece]]) -> list[Piece]:
    """Trim the document, its lines and the edges of each piece; spans and locators stay those of `text`."""
    trimmed, offsets = _trim_lines(text)
    return [_point_back(_trim_edges(piece, trimmed), offsets) for piece in cut(trimmed, options)]


_Offsets = tuple[list[int], list[int], int]


def _trim_lines(text: str) -> tuple[str, _Offsets]:
    """Strip each line; the offsets say where each one begins in the trimmed text and in the source."""
    lines: list[str] = []
    ours: list[int] = []
    theirs: list[int] = []
    position = at = 0
    lead = len(text) - len(text.lstrip())
    first_line = text.count("\n", 0, lead)
    for number, line in enumerate(text.rstrip().split("\n")):
        bare = line.strip()
        if number >= first_line:
            lines.append(bare)
            ours.append(at)
            theirs.append(position + len(line) - len(line.lstrip()))
            at += len(bare) + 1
        position += len(line) + 1
    return "\n".join(lines), (ours, theirs, first_line)


def _trim_edges(piece: Piece, source: str) -> Piece:
    """Drop white space at the edges of a piece that wears nothing added there."""
    own = piece.own_spans[0]
    lead = tail = 0
    if not any(span.start == 0 for span in piece.synthetic_spans):
        lead = len(piece.text) - len(piece.text.lstrip())
    if not any(span.end == len(piece.text) for span in piece.synthetic_spans):
        tail = len(piece.text) - len(piece.text.rstrip())
    start, end = own.start + max(0, lead - piece.overlap), own.end - tail
    locator = piece.locator._replace(char_start=piece.locator.char_start + lead, char_end=end)
    return piece._replace(
        text=piece.text[lead : len(piece.text) - tail],
        own_spans=(Span(start, end),),
        overlap=max(0, piece.overlap - lead),
        synthetic_spans=tuple(Span(span.start - lead, span.end - lead) for span in piece.synthetic_spans),
        locator=locator._replace(
            line_start=locator.line_start + source.count("\n", piece.locator.char_start, locator.char_start),
            line_end=locator.line_end - source.count("\n", max(end - 1, 0), piece.locator.char_end - 1),
        ),
    )


def _point_back(piece: Piece, offsets: _Offsets) -> Piece:
    own = tuple(span for whole in piece.own_spans for span in _source_spans(whole, offsets))
    ours, theirs, first_line = offsets
    head = bisect_right(ours, piece.locator.char_start) - 1
    start = theirs[head] + piece.locator.char_start - ours[head]
    locator = Locator(start, own[-1].end, piece.locator.line_start + first_line, piece.locator.line_end + first_line)
    return piece._replace(own_spans=own, locator=locator)


def _source_spans(span: Span, offsets: _Offsets) -> Iterator[Span]:
    """Give the source ranges of a range of the trimmed text, one a line, without empty ones."""
    ours, theirs, _ = offsets
    line = bisect_right(ours, span.start) - 1
    while line < len(ours) and ours[line] < span.end:
        start = max(span.start, ours[line])
        end = min(span.end, ours[line + 1] - 1) if line + 1 < len(ours) else span.end
        if start < end:
            yield Span(theirs[line] + start - ours[line], theirs[line] + end - ours[line])
        line += 1
