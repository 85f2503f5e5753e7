"""Natural boundaries: where a writer paused.

In descending rank: the end of a line, of a sentence, of a clause, and white space. All searches look at one window
only, so that a chunker that moves a window over a text stays linear in it.
"""

import re

from knowhub.chunkers.graphemes import is_safe, last_safe

_SENTENCE_MARKS = re.compile(r"[.!?。！？…]++[\"'”’」』）)】》〉\]]*+")
_FULL_STOPS = frozenset("。！？")
_CLAUSE_MARKS = re.compile(r"[,，;；:：、]")
_WHITE_SPACE = re.compile(r"\s++")
_NATURAL_START = re.compile(r"(?<=[\s,，;；:：、。！？])[^\s,，;；:：、.!?。！？…\"'”’」』）)】》〉\]]")


def cut_in_window(text: str, start: int, limit: int) -> int:
    """Choose where a piece that begins at `start` ends, at most at `limit`, which lies before the end of the text.

    A natural boundary counts only at or past half of the window; without one the cut is hard, but keeps graphemes whole
    unless one alone fills the window.
    """
    half = start + (limit - start + 1) // 2
    natural = natural_cut(text, start, max(half, start + 1), limit)
    return last_safe(text, limit, start) if natural is None else natural


def natural_cut(text: str, start: int, low: int, high: int) -> int | None:
    """Find the last natural boundary of the best rank with `low <= cut <= high`; needs `start < low`."""
    line_end = text.rfind("\n", low - 1, high) + 1
    if line_end:
        return line_end
    for search in (_sentence_ends, _clause_ends, _gaps):
        for cut in reversed(search(text, low, high)):
            if cut == len(text) or is_safe(text, cut, start):
                return cut
    return None


def natural_start(text: str, origin: int, low: int, high: int) -> int:
    """Find the first place in `low..high` where repeated text may begin; `high` where there is none.

    Natural is what follows white space, a sentence or a clause; else the cut is hard at `low`, moved right to a safe
    place. `origin` is a safe place before `low`, or `low` itself.
    """
    if low == origin and not text[low].isspace():
        return low
    for match in _NATURAL_START.finditer(text, low, high):
        if is_safe(text, match.start(), match.start() - 1):
            return match.start()
    for position in range(max(low, origin + 1), high):
        if is_safe(text, position, origin) and not text[position].isspace():
            return position
    return high


def _sentence_ends(text: str, low: int, high: int) -> list[int]:
    """Find where runs of closing marks end; `.`, `!` and `?` count only before white space or the end of the text."""
    ends = []
    for match in _SENTENCE_MARKS.finditer(text, low - 1, min(high + 1, len(text))):
        end = match.end()
        if end < low or end > high:
            continue
        if end == len(text) or text[end].isspace() or not _FULL_STOPS.isdisjoint(match.group()):
            ends.append(end)
    return ends


def _clause_ends(text: str, low: int, high: int) -> list[int]:
    return [match.end() for match in _CLAUSE_MARKS.finditer(text, low - 1, high)]


def _gaps(text: str, low: int, high: int) -> list[int]:
    return [match.start() for match in _WHITE_SPACE.finditer(text, low, min(high + 1, len(text)))]
