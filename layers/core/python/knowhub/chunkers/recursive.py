"""The recursive chunker: pieces by the strongest separator that makes them fit, merged again while they do."""

from collections.abc import Iterator

from knowhub.chunkers.boundaries import natural_start
from knowhub.chunkers.cutting import Range, is_blank
from knowhub.chunkers.graphemes import FIRST_MARK, is_safe, last_safe
from knowhub.chunkers.options import ChunkOptions, check
from knowhub.chunkers.pieces import PieceBuilder
from knowhub.chunkers.trimming import chunk_trimmed
from knowhub.model.chunk import Piece

SEPARATORS = ("\n\n", "\n", "。", "！", "？", ". ", "! ", "? ", "；", "; ", "，", ", ", " ")
"""By rank; what is still too long is cut anywhere between characters."""

_LINE_FEED = "\n"
"""Behind it and below the first mark, every character may begin a piece, whatever is before."""


def chunk(text: str, options: ChunkOptions) -> list[Piece]:
    """Cut plain text at separators, each of which stays with what stands before it.

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
    separators = SEPARATORS if options.separators is None else options.separators
    parts = _parts(text, [each for each in separators if each], options.later_budget)
    pieces: list[Piece] = []
    previous = 0
    for start, end in _merged(text, parts, options):
        low = max(previous, start - options.overlap)
        overlap = start - natural_start(text, previous, low, start) if pieces and options.overlap else 0
        pieces.append(builder.build(start, end, overlap=overlap))
        previous = start - overlap
    return pieces


def _parts(text: str, separators: list[str], budget: int) -> list[Range]:
    """Take apart, rank by rank, what is over the budget; white space at its end does not count."""
    done: list[Range] = []
    waiting = [((0, len(text)), 0)]
    while waiting:
        part, rank = waiting.pop()
        if _fits(text, part, budget):
            done.append(part)
        elif rank < len(separators):
            smaller = [(each, rank + 1) for each in _split(text, part, separators[rank])]
            waiting.extend(reversed(smaller))
        else:
            done.extend(_hard(text, part, budget))
    return done


def _fits(text: str, part: Range, budget: int) -> bool:
    start, end = part
    over = start + budget
    return end <= over or (text[over].isspace() and text[over:end].isspace())


def _split(text: str, part: Range, separator: str) -> Iterator[Range]:
    """Cut behind each separator, unless that would break a character that is made of several."""
    start, end = part
    found = text.find(separator, start, end)
    while found >= 0:
        cut = found + len(separator)
        if cut < end and (_LINE_FEED < text[cut] < FIRST_MARK or is_safe(text, cut, start)):
            yield start, cut
            start = cut
        found = text.find(separator, cut, end)
    yield start, end


def _hard(text: str, part: Range, budget: int) -> Iterator[Range]:
    start, end = part
    while end - start > budget:
        cut = last_safe(text, start + budget, start)
        yield start, cut
        start = cut
    yield start, end


def _merged(text: str, parts: list[Range], options: ChunkOptions) -> list[Range]:
    """Merge neighbours in order while they fit; white space that fits nowhere is dropped."""
    merged: list[Range] = []
    later = options.later_budget
    for start, end in parts:
        budget = options.size if len(merged) <= 1 else later
        if merged and merged[-1][1] == start and end - merged[-1][0] <= budget:
            merged[-1] = (merged[-1][0], end)
            continue
        solid = start + len(text[start:end].rstrip())
        if merged and merged[-1][1] == start and start < solid <= merged[-1][0] + budget:
            merged[-1] = (merged[-1][0], solid)
            continue
        if merged and is_blank(text, merged[-1]):
            merged.pop()
        room = later if merged else options.size
        merged.append((start, end if end - start <= room else max(solid, start + 1)))
    if is_blank(text, merged[-1]):
        merged.pop()
    return merged
