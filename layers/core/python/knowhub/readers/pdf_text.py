"""The characters of a PDF page as segments: runs of text on one line without a wide gap."""

import ctypes
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from knowhub.readers.pdf_turns import LEVEL, Box, Size, Way, shown_size, turned, way_of

_MOST_CHARACTERS = 500_000
"""Of one page; a page of a newspaper has 30,000."""
_WIDE_GAP = 1.0
"""Gap, in heights of the line, that parts two segments: columns and cells are further apart, words are not."""
_CODES = re.compile(r"\(cid:\d+\)")
_MOST_GARBAGE = 0.2


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of text and its box; `order` counts in the order the page draws its text.

    `turn` says how the text stands on the page as it is shown, in quarters counter-clockwise; the box is that of the
    page turned so that the text is level (`pdf_turns.py`). `is_skew` is text that stands at another angle.
    """

    text: str
    box: Box
    order: int
    turn: int = 0
    is_skew: bool = False


def garbled(text: str) -> bool:
    """Tell a text layer whose characters stand for nothing: codes of glyphs, private and replacement characters."""
    letters = [char for char in text if not char.isspace()]
    codes = sum(len(match) for match in _CODES.findall(text))
    broken = sum(
        char == "\ufffd" or char < " " or "\ue000" <= char <= "\uf8ff" or char > "\U000effff" for char in letters
    )
    return codes + broken > _MOST_GARBAGE * len(letters)


def segments(page: Any) -> tuple[list[Segment], int]:
    """Read a page's segments in the order the page draws them; says how many characters were too many."""
    placed, size, rotation = placing(page), shown_size(page), page.get_rotation()
    text_page = page.get_textpage()
    try:
        runs = list(_runs(_characters(text_page, placed, rotation), size))
        left_out = max(0, text_page.count_chars() - _MOST_CHARACTERS)
    finally:
        text_page.close()
    cleaned = [(_clean(run), boxes, way) for run, boxes, way in runs]
    found = [
        Segment(run, _union(boxes), order, way.turn, way.is_skew)
        for order, (run, boxes, way) in enumerate(cleaned)
        if run.strip()
    ]
    return found, left_out


_Character = tuple[str, Box | None, Way]


def _runs(characters: Iterator[_Character], size: Size) -> Iterator[tuple[str, list[Box], Way]]:
    run: list[str] = []
    boxes: list[Box] = []
    way = LEVEL
    for char, shown, current in characters:
        box = shown if shown is None or not current.turn else turned(shown, current.turn, size)
        ends_line = char in "\r\n"
        if boxes and (ends_line or (box is not None and (current is not way or _apart(boxes[-1], box)))):
            yield "".join(run), boxes, way
            run, boxes = [], []
        if not ends_line:
            run.append(char)
        if box is not None and not ends_line:
            boxes.append(box)
            way = current
    if boxes:
        yield "".join(run), boxes, way


def _characters(
    text_page: Any, placed: Callable[[float, float, float, float], Box], rotation: int
) -> Iterator[_Character]:
    """Walk the page's characters with their boxes and ways; no box for spaces and what takes no room."""
    from pypdfium2 import raw  # type: ignore[import-untyped] # it ships no types # noqa: PLC0415 - as in `pdf`

    handle = text_page.raw
    # The loose box has the font's height, so that the letters of a line agree on where the line is.
    box = raw.FS_RECTF()
    place = ctypes.byref(box)
    unicode, find, angle = raw.FPDFText_GetUnicode, raw.FPDFText_GetLooseCharBox, raw.FPDFText_GetCharAngle
    way, last = LEVEL, None
    for index in range(min(text_page.count_chars(), _MOST_CHARACTERS)):
        char = chr(unicode(handle, index))
        if char <= " " or not find(handle, index, place):
            yield char, None, way
            continue
        left, bottom, right, top = box.left, box.bottom, box.right, box.top
        shown = placed(left, bottom, right, top) if right > left and top > bottom else None
        # Most text is level and goes on to the right: only what does not is asked for its angle.
        if shown is not None:
            if last is None or way is not LEVEL or not _goes_on(last, shown):
                way = way_of(angle(handle, index), rotation)
            last = shown
        yield char, shown, way


def _goes_on(before: Box, after: Box) -> bool:
    """Whether a character stands to the right of another on its line, near enough to be of its word."""
    height = after[3] - after[1]
    return 0 < after[0] - before[0] < 2 * height and abs(after[1] - before[1]) < height / 10


def _apart(before: Box, after: Box) -> bool:
    """Whether a character begins another segment: far to the right, back to the left, or on another line."""
    left, top, _, bottom = after
    height = bottom - top
    gap = left - before[2]
    return gap > _WIDE_GAP * height or gap < -2 * height or top - before[3] > height or before[1] - bottom > height


def placing(page: Any) -> Callable[[float, float, float, float], Box]:
    """Give the way from left, bottom, right, top in the page's own coordinates to the page as it is shown."""
    left, bottom, right, top = page.get_cropbox()
    turns: dict[int, Callable[[float, float, float, float], Box]] = {
        0: lambda x0, y0, x1, y1: (x0 - left, top - y1, x1 - left, top - y0),
        90: lambda x0, y0, x1, y1: (y0 - bottom, x0 - left, y1 - bottom, x1 - left),
        180: lambda x0, y0, x1, y1: (right - x1, y0 - bottom, right - x0, y1 - bottom),
        270: lambda x0, y0, x1, y1: (top - y1, right - x1, top - y0, right - x0),
    }
    return turns[page.get_rotation()]


def _union(boxes: list[Box]) -> Box:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return round(min(lefts), 2), round(min(tops), 2), round(max(rights), 2), round(max(bottoms), 2)


def _clean(run: str) -> str:
    """Join the halves of characters beyond 16 bits, and drop what is no text but the mark of a broken word."""
    # PDFium gives U+0002 for a hyphen at a line's end.
    whole = run.encode("utf-16-le", errors="surrogatepass").decode("utf-16-le", errors="replace")
    kept = "".join(char for char in whole if char >= " " or char in "\t\u0002")
    return re.sub(r"[\t\u00a0 ]+", " ", kept).removesuffix(" ")
