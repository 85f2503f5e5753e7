"""The Markdown chunker: sections first, then blocks, packed in order; fences and tables stay whole Markdown."""

from bisect import bisect_left
from collections.abc import Sequence

from knowhub.chunkers.boundaries import natural_start
from knowhub.chunkers.markdown_blocks import Block, scan
from knowhub.chunkers.markdown_paths import SectionPaths
from knowhub.chunkers.markdown_units import units
from knowhub.chunkers.options import ChunkOptions, check
from knowhub.chunkers.packing import Group, pack
from knowhub.chunkers.pieces import PieceBuilder
from knowhub.chunkers.trimming import chunk_trimmed
from knowhub.model.chunk import Piece


def chunk(text: str, options: ChunkOptions) -> list[Piece]:
    """Cut Markdown along its structure; a text that fits is one piece, untouched and without a header path.

    Raises what `options.check` raises.
    """
    check(text, options)
    if options.trim_whitespace:
        return chunk_trimmed(text, options, _cut)
    return _cut(text, options)


def _cut(text: str, options: ChunkOptions) -> list[Piece]:
    builder = PieceBuilder(text)
    if len(text) <= options.size:
        return [builder.build(0, len(text))]
    blocks = scan(text)
    groups = pack(units(text, blocks, options.later_budget), first=options.size, later=options.later_budget)
    paths = SectionPaths(blocks)
    overlaps = _overlaps(text, blocks, groups, options.overlap)
    pieces = []
    for group, overlap in zip(groups, overlaps, strict=True):
        start, _, first, _, prefix, _ = group[0]
        _, end, _, last, _, suffix = group[-1]
        path = paths.common(first, last) if len(groups) > 1 else None
        chunk_type = _chunk_type(blocks, first, last)
        pieces.append(builder.build(start, end, overlap, prefix, suffix, chunk_type=chunk_type, header_path=path))
    return pieces


def _chunk_type(blocks: Sequence[Block], first: int, last: int) -> str:
    """Name what these blocks are, headings apart: `code`, `table`, or `text` for all else."""
    if blocks[last - 1].kind == "text":
        return "text"
    kinds = {block.kind for block in blocks[first:last] if block.kind != "heading"}
    kind = kinds.pop() if len(kinds) == 1 else "text"
    return kind if kind in ("code", "table") else "text"


def _overlaps(text: str, blocks: Sequence[Block], groups: Sequence[Group], overlap: int) -> list[int]:
    """Say how much of the chunk before each chunk repeats: never a part of a fence or table."""
    found = [0] * len(groups)
    if not overlap:
        return found
    ends = [block.end for block in blocks]
    previous = 0
    for number in range(1, len(groups)):
        *_, suffix = groups[number - 1][-1]
        begin, _, first, _, prefix, _ = groups[number][0]
        start = begin
        if not suffix and not prefix:
            low = max(previous, begin - overlap)
            nearby = blocks[bisect_left(ends, low) : first + 1]
            start = _overlap_start(text, nearby, previous, (low, begin))
        found[number] = begin - start
        previous = start
    return found


def _overlap_start(text: str, nearby: Sequence[Block], previous: int, within: tuple[int, int]) -> int:
    """Find a natural start outside of the fences and tables among the blocks that reach into the range."""
    low, end = within
    start = natural_start(text, previous, low, end)
    for block in nearby:
        if start < end and block.kind in ("code", "table") and block.start < start < block.end:
            start = natural_start(text, previous, min(block.end, end), end)
    return start
