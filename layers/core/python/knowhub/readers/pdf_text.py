"""The characters of a PDF page as segments: runs of text on one line without a wide gap."""

import ctypes
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in points, from the top left corner of the page as it is shown."""

_MOST_CHARACTERS = 500_000
"""Of one page; a page of a newspaper has 30,000."""
_WIDE_GAP = 1.0
"""Gap, in heights of the line, that parts two segments: columns and cells are further apart, words are not."""
_CODES = re.compile(r"\(cid:\d+\)")
_MOST_GARBAGE = 0.2


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of text and its box; `order` counts in the order the page draws its text."""

    text: str
    box: Box
    order: int


def garbled(text: str) -> bool:
    """Tell a text layer whose characters stand for nothing: codes of glyphs, private and replacement characters."""
    letters = [char for char in text if not char.isspace()]
    codes = sum(len(match) for match in _CODES.findall(text))
    broken = sum(
        char == "\ufffd" or char < " " or "\ue000" <= char <= "\uf8ff" or char > "\U000effff" for char in letters
    )
    return codes + broken > _MOST_GARBAGE * len(letters)


def segments(page: Any) -> list[Segment]:
    """Read a page's segments in the order the page draws them."""
    placed = _placing(page)
    text_page = page.get_textpage()
    try:
        runs = [(_clean(run), boxes) for run, boxes in _runs(text_page, placed)]
        return [Segment(run, _union(boxes), order) for order, (run, boxes) in enumerate(runs) if run.strip()]
    finally:
        text_page.close()


def _runs(text_page: Any, placed: Callable[[float, float, float, float], Box]) -> Iterator[tuple[str, list[Box]]]:
    run: list[str] = []
    boxes: list[Box] = []
    for char, box in _characters(text_page, placed):
        ends_line = char in "\r\n"
        if boxes and (ends_line or (box is not None and _apart(boxes[-1], box))):
            yield "".join(run), boxes
            run, boxes = [], []
        if not ends_line:
            run.append(char)
        if box is not None and not ends_line:
            boxes.append(box)
    if boxes:
        yield "".join(run), boxes


def _characters(
    text_page: Any, placed: Callable[[float, float, float, float], Box]
) -> Iterator[tuple[str, Box | None]]:
    """Walk the page's characters with their boxes; None for spaces and what takes no room."""
    from pypdfium2 import raw  # type: ignore[import-untyped] # it ships no types # noqa: PLC0415 - as in `pdf`

    handle = text_page.raw
    # The loose box has the font's height, so that the letters of a line agree on where the line is.
    box = raw.FS_RECTF()
    place = ctypes.byref(box)
    unicode, find = raw.FPDFText_GetUnicode, raw.FPDFText_GetLooseCharBox
    for index in range(min(text_page.count_chars(), _MOST_CHARACTERS)):
        char = chr(unicode(handle, index))
        if char <= " " or not find(handle, index, place):
            yield char, None
            continue
        left, bottom, right, top = box.left, box.bottom, box.right, box.top
        yield char, placed(left, bottom, right, top) if right > left and top > bottom else None


def _apart(before: Box, after: Box) -> bool:
    """Whether a character begins another segment: far to the right, back to the left, or on another line."""
    left, top, _, bottom = after
    height = bottom - top
    gap = left - before[2]
    return gap > _WIDE_GAP * height or gap < -2 * height or top - before[3] > height or before[1] - bottom > height


def _placing(page: Any) -> Callable[[float, float, float, float], Box]:
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
