"""Where a code fence ends."""

from typing import NamedTuple

from knowhub.chunkers.markdown_lines import Fence
from knowhub.chunkers.markdown_starts import CLOSING_FENCES

_MOST_FRUITLESS_LOOKS = 64
"""Passes over the rest of the text for nested fences that nothing closes; more would not be linear any longer."""


class FenceEnd(NamedTuple):
    """Where a fence's last line ends, and whether that line closes it."""

    stop: int
    closed: bool


class FenceEnds:
    """Finds the ends of the fences of one text, whose last line that is not blank ends at `end`."""

    def __init__(self, text: str, end: int) -> None:
        self._text = text
        self._end = end
        self._missing: set[str] = set()

    def find(self, opened: Fence, line_end: int) -> FenceEnd | None:
        """Find the end of the fence whose first line ends at `line_end`; one that nothing closes ends with the text.

        None for an indented fence that nothing closes, which is no fence.
        """
        search = self._quoted if opened.is_quoted else self._closing
        if not opened.is_nested:
            return search(opened, line_end) or FenceEnd(self._end, closed=False)
        key = f"{opened.continued}{opened.marker}"
        if key in self._missing or len(self._missing) >= _MOST_FRUITLESS_LOOKS:
            return None
        found = search(opened, line_end)
        if found is None:
            self._missing.add(key)
        return found

    def _closing(self, opened: Fence, line_end: int) -> FenceEnd | None:
        for match in CLOSING_FENCES[opened.marker[0]].finditer(self._text, line_end, self._end):
            indent, marker = match.groups()
            if opened.is_closed_with(indent, marker):
                return FenceEnd(match.end(), closed=True)
        return None

    def _quoted(self, opened: Fence, line_end: int) -> FenceEnd | None:
        """Go through the lines of a quote, which ends the fence where it ends itself."""
        text, last = self._text, line_end
        while last < len(text):
            start = last + 1
            following = text.find("\n", start)
            following = len(text) if following < 0 else following
            line = text[start:following]
            if opened.is_left_by(line):
                return FenceEnd(last, closed=False)
            if opened.is_closed_by(line):
                return FenceEnd(following, closed=True)
            last = following
        return None
