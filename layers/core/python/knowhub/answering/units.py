"""A streamed answer in units that can be judged: a sentence with the numbers behind it, or a line."""

import re

from knowhub.answering.sentences import sentence_ends

LONGEST = 2000
"""Characters of a unit; a longer one is cut at white space."""

MARK = re.compile(r"[\[［【]\^?(\d{1,20}(?:\s*[,，、;-]\s*\d{1,20})*)[\]］】]")
"""One or several numbers of sources, in the forms in which models write them."""

_OPENING = "[［【"
_GAP = re.compile(r"[ \t]*")
_LONGEST_MARK = 40


class Units:
    """Holds back what is not complete yet."""

    def __init__(self) -> None:
        self._held = ""

    def take(self, text: str) -> list[str]:
        """Give the units that are complete now; joined, all units are the text."""
        self._held += text
        return self._cut(final=False)

    def rest(self) -> list[str]:
        """Give what is left at the end."""
        units = self._cut(final=True)
        if self._held:
            units.append(self._held)
        self._held = ""
        return units

    def _cut(self, *, final: bool) -> list[str]:
        units = []
        while end := _first_end(self._held, final=final):
            units.append(self._held[:end])
            self._held = self._held[end:]
        return units


def _first_end(held: str, *, final: bool) -> int:
    """Give where the first unit ends, 0 where that can't be told yet."""
    line_end = held.find("\n") + 1
    for end in sentence_ends(held, 0, line_end or len(held)):
        behind = _behind_marks(held, end, final=final)
        if behind is not None and (final or behind < len(held)):
            return behind
        if behind is None and not final:
            return 0
    if line_end:
        return line_end
    if len(held) <= LONGEST:
        return 0
    return max(held.rfind(" ", 0, LONGEST), held.rfind("\t", 0, LONGEST)) + 1 or LONGEST


def _behind_marks(held: str, end: int, *, final: bool) -> int | None:
    """Go on behind the numbers that follow a sentence; None where one may still be coming."""
    while True:
        gap = _GAP.match(held, end)
        start = gap.end() if gap else end
        if start == len(held) or held[start] not in _OPENING:
            return start if start < len(held) and held[start] != "\n" else _line_end(held, start)
        mark = MARK.match(held, start)
        if mark is None:
            # Unless it is closed soon, it is no number.
            return None if len(held) - start < _LONGEST_MARK and not re.search(r"[\]］】]", held[start:]) else start
        if mark.end() == len(held):
            return mark.end() if final else None
        if held[mark.end()] == "(":
            return start
        end = mark.end()


def _line_end(held: str, start: int) -> int:
    return start + 1 if start < len(held) else start
