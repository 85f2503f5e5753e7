"""The fixed chunker: windows over plain text, or packed lines under a header that is repeated."""

from knowhub.chunkers.boundaries import natural_start
from knowhub.chunkers.cutting import cut_block, cut_lines
from knowhub.chunkers.options import ChunkOptions, check
from knowhub.chunkers.pieces import PieceBuilder
from knowhub.chunkers.trimming import chunk_trimmed
from knowhub.model.chunk import Piece

_MOST_HEADER = 0.75
"""Share of the room for new text that a header may take; a longer one is not repeated."""


def chunk(text: str, options: ChunkOptions) -> list[Piece]:
    """Cut plain text at natural boundaries, or between lines where the options ask for it.

    A text that fits is one piece, untouched. Raises what `options.check` raises.
    """
    check(text, options)
    if options.trim_whitespace:
        return chunk_trimmed(text, options, _cut)
    return _cut(text, options)


def _cut(text: str, options: ChunkOptions) -> list[Piece]:
    builder = PieceBuilder(text)
    if len(text) <= options.size:
        return [builder.build(0, len(text))]
    header = _header(text, options)
    later = options.later_budget - len(header)
    cut = cut_lines if options.preserve_lines else cut_block
    ranges = cut(text, 0, len(text), first=options.size, later=later)
    pieces: list[Piece] = []
    # Behind a header that is repeated, an overlap does not repeat it once more.
    previous = len(header)
    for start, end in ranges:
        overlap = start - _overlap_start(text, previous, start, options.overlap) if pieces else 0
        pieces.append(builder.build(start, end, overlap=overlap, prefix=header if pieces else ""))
        previous = max(previous, start - overlap)
    return pieces


def _header(text: str, options: ChunkOptions) -> str:
    """Give the lines that later chunks repeat, with their line ends; nothing where they are too long for that."""
    end = 0
    for _ in range(options.header_lines if options.preserve_lines else 0):
        end = text.find("\n", end) + 1
        if not end:
            return ""
    return text[:end] if end <= _MOST_HEADER * options.later_budget else ""


def _overlap_start(text: str, previous: int, start: int, overlap: int) -> int:
    low = max(previous, start - overlap)
    return natural_start(text, previous, low, start)
