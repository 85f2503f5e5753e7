"""Expansion: a hit is shown with the chunks before and after it, joined where they meet."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from knowhub.model.chunk import Chunk, Locator, chunk_id

MAX_EXPAND = 5
"""Neighbours on either side of a hit."""


def neighbour_ids(chunks: Sequence[Chunk], reach: int) -> list[str]:
    """Name the chunks within reach on either side of each, without those that are given."""
    given = {chunk.chunk_id for chunk in chunks}
    wanted = [
        chunk_id(chunk.doc_id, chunk.revision, index)
        for chunk in chunks
        for index in range(max(1, chunk.index - reach), chunk.index + reach + 1)
    ]
    return [one for one in dict.fromkeys(wanted) if one not in given]


def expanded(chunk: Chunk, reach: int, known: Mapping[str, Chunk]) -> Chunk:
    """Join a chunk with its neighbours; the first that is missing on a side ends that side.

    The chunk keeps its id and its headings; text and locator are those of the whole stretch.
    """
    stretch = [chunk]
    for step in (-1, 1):
        for index in range(chunk.index + step, chunk.index + step * (reach + 1), step):
            neighbour = known.get(chunk_id(chunk.doc_id, chunk.revision, index))
            if neighbour is None:
                break
            stretch.insert(0 if step < 0 else len(stretch), neighbour)
    text = stretch[0].text
    for before, after in pairwise(stretch):
        text += _seam(before, after) + after.text[after.overlap :]
    return replace(chunk, text=text, locator=_joined([one.locator for one in stretch]))


def _seam(before: Chunk, after: Chunk) -> str:
    """Give what stands between two chunks: nothing where the second repeats the first or goes on where it ends."""
    here, there = before.locator, after.locator
    if after.overlap or there.char_start <= here.char_end:
        return ""
    if there.line_start == here.line_end:
        return " "
    return "\n" if there.line_start == here.line_end + 1 else "\n\n"


def _joined(locators: Sequence[Locator]) -> Locator:
    """Span all locators; a page, slide, sheet or path holds for the whole only where all of them share it."""
    first, last = locators[0], locators[-1]
    same_page = first.page == last.page
    same_sheet = first.sheet == last.sheet
    return Locator(
        char_start=first.char_start,
        char_end=last.char_end,
        line_start=first.line_start,
        line_end=last.line_end,
        page=first.page,
        boxes=tuple(box for one in locators for box in one.boxes or ()) or None if same_page else first.boxes,
        json_path=first.json_path if first.json_path == last.json_path else None,
        sheet=first.sheet,
        row_start=first.row_start,
        row_end=last.row_end if same_sheet else first.row_end,
        slide=first.slide if first.slide == last.slide else None,
    )
