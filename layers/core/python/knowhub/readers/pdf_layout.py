"""Reading order: segments of a page into columns, columns into lines, lines into paragraphs."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from knowhub.readers.pdf_text import Segment
from knowhub.readers.pdf_turns import Box

_FEWEST_LINES = 3
"""Of a column; fewer beside each other are a heading's parts or a row."""
_MOST_SPANNING = 0.34
"""Share of the segments that may reach over a gutter: headings, pictures' captions, footers."""
_SHORTEST_MEAN = 8
_SHORTEST_MEAN_BY_ROWS = 24
"""Characters in a segment of a column: cells of a table are shorter. A page that is drawn row by row needs more."""
_MOST_NESTING = 6
_PARAGRAPH_GAP = 0.75
"""Gap between lines, in line heights, that ends a paragraph."""
_FULL = 0.85
"""Share of the column's width that a line fills if the next one goes on with its paragraph."""
_ITEM = re.compile(r"(?:[•◦▪‣*·–—-]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])\s")
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]")
_HYPHEN = "\u0002"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, its box, and what stands between it and the next line."""

    text: str
    box: Box
    ending: str


@dataclass(frozen=True, slots=True)
class _Row:
    """All that stands on one line; gaps tell a row of a table."""

    text: str
    box: Box
    has_gaps: bool


def arrange(segments: Sequence[Segment]) -> list[Line]:
    """Put a page's segments into the order in which they are read."""
    lines: list[Line] = []
    for block in _blocks(list(segments), _MOST_NESTING):
        lines.extend(_paragraphs(_rows(block)))
    return lines


def _blocks(segments: list[Segment], nesting: int) -> list[list[Segment]]:
    """Part segments at a gutter, if there is one: what spans it comes between what is above and below it."""
    gutter = _gutter(segments) if nesting else None
    if gutter is None:
        return [segments] if segments else []
    blocks: list[list[Segment]] = []
    left: list[Segment] = []
    right: list[Segment] = []
    spanning: list[Segment] = []
    for segment in sorted(segments, key=lambda segment: segment.box[1]):
        is_spanning = segment.box[0] < gutter < segment.box[2]
        if is_spanning and (left or right):
            blocks += _blocks(left, nesting - 1) + _blocks(right, nesting - 1)
            left, right = [], []
        if spanning and not is_spanning:
            blocks.append(spanning)
            spanning = []
        (spanning if is_spanning else left if segment.box[2] <= gutter else right).append(segment)
    if spanning:
        blocks.append(spanning)
    return blocks + _blocks(left, nesting - 1) + _blocks(right, nesting - 1)


def _gutter(segments: Sequence[Segment]) -> float | None:
    """Find where most segments end on one side or begin on the other, both sides being running text."""
    rights = sorted(segment.box[2] for segment in segments)
    lefts = sorted(segment.box[0] for segment in segments)
    best, found = 0, None
    for edge in sorted(set(lefts)):
        before = bisect_right(rights, edge)
        after = len(lefts) - bisect_left(lefts, edge)
        smaller = min(before, after)
        spanning = len(segments) - before - after
        if smaller - spanning > best and smaller >= _FEWEST_LINES and spanning <= _MOST_SPANNING * len(segments):
            best, found = smaller - spanning, edge
    if found is None:
        return None
    left = [segment for segment in segments if segment.box[2] <= found]
    right = [segment for segment in segments if segment.box[0] >= found]
    if not _are_columns(left, right):
        return None
    return (max(segment.box[2] for segment in left) + found) / 2


def _are_columns(left: Sequence[Segment], right: Sequence[Segment]) -> bool:
    """Tell columns of text from those of a table by the length of their lines and the order they are drawn in."""
    drawn = sorted([(segment.order, 0) for segment in left] + [(segment.order, 1) for segment in right])
    changes = sum(one[1] != other[1] for one, other in pairwise(drawn))
    by_rows = changes > min(len(left), len(right)) / 2
    shortest = _SHORTEST_MEAN_BY_ROWS if by_rows else _SHORTEST_MEAN
    return all(_width(column) >= shortest for column in (left, right)) and _side_by_side(left, right)


def _width(column: Sequence[Segment]) -> float:
    """Give the mean length of a column's segments, a wide character counting twice."""
    return sum(len(segment.text) + len(_WIDE.findall(segment.text)) for segment in column) / len(column)


def _side_by_side(left: Sequence[Segment], right: Sequence[Segment]) -> bool:
    top = max(min(segment.box[1] for segment in column) for column in (left, right))
    bottom = min(max(segment.box[3] for segment in column) for column in (left, right))
    return bottom > top


def _rows(block: Sequence[Segment]) -> list[_Row]:
    """Join the segments that stand on one line, from left to right."""
    rows: list[list[Segment]] = []
    middle = float("-inf")
    for segment in sorted(block, key=lambda segment: (segment.box[1] + segment.box[3], segment.box[0])):
        height = segment.box[3] - segment.box[1]
        centre = (segment.box[1] + segment.box[3]) / 2
        if not rows or centre - middle > height / 2:
            rows.append([])
            middle = centre
        rows[-1].append(segment)
    return [_row(sorted(row, key=lambda segment: segment.box[0])) for row in rows]


def _row(row: Sequence[Segment]) -> _Row:
    text = " ".join(segment.text.strip() for segment in row)
    lefts, tops, rights, bottoms = zip(*(segment.box for segment in row), strict=True)
    return _Row(text, (min(lefts), min(tops), max(rights), max(bottoms)), len(row) > 1)


def _paragraphs(rows: Sequence[_Row]) -> list[Line]:
    if not rows:
        return []
    left = min(row.box[0] for row in rows)
    width = max(row.box[2] for row in rows) - left
    height = median(row.box[3] - row.box[1] for row in rows)
    pitches = [after.box[1] - before.box[1] for before, after in pairwise(rows)]
    usual = min(median(pitches), 3 * height) if pitches else height
    lines = []
    for row, following in pairwise(rows):
        goes_on = row.box[2] - left >= _FULL * width and not (row.has_gaps or following.has_gaps)
        apart = following.box[1] - row.box[1] - usual
        lines.append(_line(row, following.text, apart > _PARAGRAPH_GAP * height, goes_on))
    return [*lines, Line(rows[-1].text.replace(_HYPHEN, "-"), rows[-1].box, "\n\n")]


def _line(row: _Row, following: str, is_apart: bool, goes_on: bool) -> Line:  # noqa: FBT001 - two findings
    """Choose what joins a line and the next: nothing within a word or CJK text, a space within a paragraph."""
    inside = row.text.rstrip(_HYPHEN).replace(_HYPHEN, "-")
    if row.text.endswith(_HYPHEN) and not is_apart:
        return Line(inside if following[:1].islower() else f"{inside}-", row.box, "")
    if is_apart or not goes_on or _ITEM.match(following):
        return Line(inside, row.box, "\n\n" if is_apart else "\n")
    is_wide = bool(_WIDE.match(inside[-1:]) and _WIDE.match(following[:1]))
    return Line(inside, row.box, "" if is_wide else " ")
