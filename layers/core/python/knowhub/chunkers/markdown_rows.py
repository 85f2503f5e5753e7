"""Cutting a fence at its lines and a table at its rows, so that every part is whole Markdown by itself."""

import re

from knowhub.chunkers.cutting import Range, cut_lines
from knowhub.chunkers.markdown_blocks import Block

_SOLID = re.compile(r"\S")


def worn_by_parts(text: str, block: Block) -> tuple[str, str] | None:
    """Give what a later part of the block wears in front and an earlier one behind; None where it is cut as plain text.

    A fence is opened again with the same marker and info string, and closed; a table repeats its header and delimiter.
    """
    if block.body >= block.end or not _SOLID.search(text, block.body, block.end):
        return None
    if block.kind == "table":
        return text[block.start : block.body], ""
    if block.fence is None or _code_end(text, block) <= block.body:
        return None
    closing = f"\n{block.fence.closing}"
    return f"{block.fence.reopening}\n", closing


def cut_rows(text: str, block: Block, *, first: int, later: int, wrapper: tuple[str, str]) -> list[Range]:
    """Cut a fence or table into ranges; with what they wear they take `first` and then `later` code points at most.

    The head of the block belongs to the first range and a closing fence to the last one, unless so many blank lines lie
    between that they do not fit.
    """
    prefix, suffix = wrapper
    code_end = _code_end(text, block)
    tail = max(len(suffix), block.end - code_end)
    head = block.body - block.start
    ranges = cut_lines(
        text, block.body, code_end, first=first - head - tail, later=later - len(prefix) - tail, balance=True
    )
    if not ranges or ranges[0][0] > block.body:
        ranges.insert(0, (block.start, block.body - 1))
    else:
        ranges[0] = (block.start, ranges[0][1])
    _take_closing(block, ranges, code_end, room=later - len(prefix))
    return ranges


def _take_closing(block: Block, ranges: list[Range], code_end: int, room: int) -> None:
    """Let the last range take in the closing line, or give that line a range of its own."""
    if code_end == block.end:
        return
    start, _ = ranges[-1]
    if len(ranges) > 1 and block.end - start <= room:
        ranges[-1] = (start, block.end)
    else:
        ranges.append((code_end + 1, block.end))


def _code_end(text: str, block: Block) -> int:
    """Find the end of the rows: before the line break in front of a closing fence, else the block's end."""
    if not block.closed:
        return block.end
    return max(text.rfind("\n", block.body - 1, block.end), block.body)
