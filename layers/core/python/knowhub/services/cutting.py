"""From a document's text to located pieces: transformers, chunker, and the places that its reader gave."""

from bisect import bisect_left
from collections.abc import Sequence

from knowhub.chunkers import registry as chunkers
from knowhub.chunkers.options import DEFAULT_SIZE, ChunkOptions
from knowhub.chunkers.sections import Places, chunk_sections
from knowhub.model.chunk import Piece
from knowhub.model.document import Loss
from knowhub.model.extraction import ReadDocument
from knowhub.model.knowledge_base import Chunking
from knowhub.transformers.offsets import OffsetMap
from knowhub.transformers.pipeline import postprocess, preprocess
from knowhub.transformers.transformer import Transformer


def cut(read: ReadDocument, chunking: Chunking, transformers: Sequence[Transformer]) -> tuple[str, list[Piece]]:
    """Give the text in which `char_start` and `char_end` count, and its pieces in order.

    Lines, pages, rows and the like are those of the text before the transformers. Raises the chunker's errors.
    """
    name = strategy(read, chunking)
    options = ChunkOptions(
        size=_size(name, chunking),
        overlap=chunking.overlap,
        preserve_lines=_keeps_lines(name, read, chunking),
        # In JSON there is no white space to trim, whatever its KB asks for.
        trim_whitespace=chunking.trim_whitespace and name != "json",
        header_lines=read.header_lines,
        separators=chunking.separators,
    )
    text, offsets = preprocess(read.text, transformers)
    breaks = [offsets.from_source(position) for position in read.breaks]
    pieces = chunk_sections(text, breaks, options, chunkers.chunker(name))
    if read.places or text != read.text:
        pieces = _located(pieces, read, offsets, changed=text != read.text)
    return text, postprocess(pieces, transformers)


def strategy(read: ReadDocument, chunking: Chunking) -> str:
    """Name the chunker: the one that was asked for, else the format's own."""
    return chunking.strategy or read.chunker_name


def warnings(read: ReadDocument, chunking: Chunking) -> list[Loss]:
    """Say what of the chunking that was asked for has no effect on this document."""
    name = strategy(read, chunking)
    if not chunking.overlap or chunkers.overlaps(name):
        return []
    return [Loss("OVERLAP_IGNORED", "chunking", f"chunks of the {name} chunker never overlap")]


def _keeps_lines(name: str, read: ReadDocument, chunking: Chunking) -> bool:
    """Only plain text leaves a choice: whether JSON is one value a line is the document's to say."""
    chosen = chunking.preserve_lines if name == "fixed" else None
    return read.preserve_lines if chosen is None else chosen


def _size(name: str, chunking: Chunking) -> int:
    """Take the chunker's own size where nobody chose one."""
    chosen = chunking.strategy is not None or chunking.size != DEFAULT_SIZE
    return chunking.size if chosen else chunkers.default_size(name)


def _located(pieces: Sequence[Piece], read: ReadDocument, offsets: OffsetMap, *, changed: bool) -> list[Piece]:
    places = Places(read.text, read.places)
    line_ends = [at for at, char in enumerate(read.text) if char == "\n"] if changed else []
    located = []
    for piece in pieces:
        where = piece.locator
        start, end = offsets.to_source(where.char_start), offsets.to_source(where.char_end - 1) + 1
        if changed:
            lines = bisect_left(line_ends, start) + 1, bisect_left(line_ends, end - 1) + 1
            where = where._replace(line_start=lines[0], line_end=lines[1])
        located.append(piece._replace(locator=places.located(where, start, end)))
    return located
