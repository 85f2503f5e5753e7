"""The fixed chunker: windows over plain text, or packed lines."""

from knowhub.chunkers.boundaries import natural_start
from knowhub.chunkers.cutting import cut_block, cut_lines
from knowhub.chunkers.options import ChunkOptions, check
from knowhub.chunkers.pieces import PieceBuilder
from knowhub.chunkers.trimming import chunk_trimmed
from knowhub.model.chunk import Piece


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
    cut = cut_lines if options.preserve_lines else cut_block
    ranges = cut(text, 0, len(text), first=options.size, later=options.later_budget)
    pieces: list[Piece] = []
    previous = 0
    for start, end in ranges:
        overlap = start - _overlap_start(text, previous, start, options.overlap) if pieces else 0
        pieces.append(builder.build(start, end, overlap=overlap))
        previous = start - overlap
    return pieces


def _overlap_start(text: str, previous: int, start: int, overlap: int) -> int:
    low = max(previous, start - overlap)
    return natural_start(text, previous, low, start)
