"""Cutting one block of text into ranges that fit: by windows, or by whole lines.

A range is `(start, end)` in the source. The first range may be as long as `first`, each later one as `later`. What lies
between two ranges, before the first and behind the last is white space, and nothing else.
"""

from collections.abc import Iterator
from typing import TypeAlias

from knowhub.chunkers.boundaries import cut_in_window, natural_cut
from knowhub.chunkers.graphemes import last_safe

Range: TypeAlias = tuple[int, int]


def cut_block(text: str, start: int, end: int, *, first: int, later: int) -> list[Range]:
    """Cut `text[start:end]` at natural boundaries; white space at a cut stays with one of its sides where it fits."""
    return _fold_blank(text, _windows(text, start, end, first, later), first, later)


def cut_lines(text: str, start: int, end: int, *, first: int, later: int, balance: bool = False) -> list[Range]:
    """Pack whole lines of `text[start:end]`, without the line break behind the last one of each range.

    A line over the budget is cut on its own by the natural rules and shares no range with others. With `balance` the
    last two ranges are made of similar length, by whole lines, where the last is under half the budget.
    """
    packed: list[Range] = []
    whole: list[bool] = []
    while start <= end:
        if packed and is_blank(text, packed[-1]):
            packed.pop()
            whole.pop()
        budget = later if packed else first
        line_end = _last_line_end(text, start, start + budget, end)
        if line_end >= 0:
            pieces = [(start, _before_return(text, start, line_end))]
        else:
            line_end = _line_end(text, start, end)
            pieces = cut_block(text, start, _before_return(text, start, line_end), first=budget, later=later)
            if len(pieces) == 1:
                pieces[0], line_end = _stretched(text, pieces[0], line_end, budget, end)
        packed.extend(pieces)
        whole.extend([len(pieces) == 1] * len(pieces))
        start = line_end + 1
    if packed and is_blank(text, packed[-1]):
        packed.pop()
    return _balance_lines(text, packed, later) if balance and whole and whole[-1] else packed


def _stretched(text: str, piece: Range, line_end: int, budget: int, end: int) -> tuple[Range, int]:
    """Let a range of one line take in those behind it that fit, and say where the last of them ends."""
    start, following = piece[0], line_end + 1
    last = _last_line_end(text, following, start + budget, end) if following <= end else -1
    return (piece, line_end) if last < 0 else ((start, _before_return(text, following, last)), last)


def _line_end(text: str, start: int, end: int) -> int:
    found = text.find("\n", start, end)
    return end if found < 0 else found


def _last_line_end(text: str, start: int, limit: int, end: int) -> int:
    """Find where the last line of `text[start:end]` ends that reaches no further than `limit`; -1 where none does.

    The carriage return of a CRLF may lie beyond.
    """
    if _before_return(text, start, end) <= limit:
        return end
    if limit < start:
        return -1
    return limit + 1 if text.startswith("\r\n", limit, end) else text.rfind("\n", start, limit + 1)


def _before_return(text: str, start: int, line_end: int) -> int:
    """Leave out the carriage return of a CRLF line break as well."""
    return line_end - 1 if line_end > start and text[line_end - 1] == "\r" else line_end


def _balance_lines(text: str, ranges: list[Range], later: int) -> list[Range]:
    if len(ranges) < 2 or 2 * (ranges[-1][1] - ranges[-1][0]) >= later:  # noqa: PLR2004 - two ranges make a pair
        return ranges
    (start, _), (_, end) = ranges[-2:]
    least = (2 * later + 4) // 5
    cut = text.rfind("\n", max(start + least, end - later - 1), min(end - least, ranges[-2][1]))
    pair = [(start, _before_return(text, start, cut)), (cut + 1, end)]
    return ranges if cut < 0 or any(is_blank(text, piece) for piece in pair) else [*ranges[:-2], *pair]


def _windows(text: str, start: int, end: int, first: int, later: int) -> Iterator[Range]:
    solid_end = start + len(text[start:end].rstrip())
    budget = first
    while end - start > budget:
        if solid_end - start <= budget:
            end = max(solid_end, start)
            break
        cut = cut_in_window(text, start, start + budget)
        if 2 * (solid_end - cut) < later:
            better = _without_small_tail(text, (start, solid_end), budget, later)
            cut = cut if better is None else better
        yield start, cut
        if not is_blank(text, (start, cut)):
            budget = later
        start = cut
    yield start, end


def _without_small_tail(text: str, rest: Range, budget: int, later: int) -> int | None:
    """Find a last cut that makes both parts worth having; None where that can't be."""
    start, end = rest
    least = (2 * later + 4) // 5
    low, high = max(start + least, end - later), min(start + budget, end - least)
    natural = natural_cut(text, start, low, high) if low <= high else None
    if natural is not None:
        return natural
    half = (later + 1) // 2
    low, high = max(start + half, end - later), min(start + budget, end - half)
    if low > high:
        return None
    hard = last_safe(text, high, start)
    return hard if hard >= low else None


def _fold_blank(text: str, ranges: Iterator[Range], first: int, later: int) -> list[Range]:
    """Join ranges of white space alone to a neighbour that has room, and drop the rest."""
    kept: list[Range] = []
    waiting: Range | None = None
    for start, end in ranges:
        budget = first if len(kept) <= 1 else later
        if not is_blank(text, (start, end)):
            lead = waiting[0] if waiting and waiting[1] == start else start
            room = first if not kept else later
            kept.append((lead if end - lead <= room else start, end))
            waiting = None
        elif kept and kept[-1][1] == start and end - kept[-1][0] <= budget:
            kept[-1] = (kept[-1][0], end)
        else:
            waiting = (start, end)
    return kept


def is_blank(text: str, piece: Range) -> bool:
    """Whether a range is white space alone, or empty."""
    start, end = piece
    return start >= end or (text[start].isspace() and text[start:end].isspace())
