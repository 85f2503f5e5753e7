"""The blocks of a Markdown text: headings, fences, tables, HTML, and runs of other lines between blank ones.

One pass over the lines. A block's range begins at its first line and ends behind its last character; only blank lines
and line breaks lie between blocks.
"""

import re
from collections.abc import Callable
from itertools import accumulate
from typing import Literal, NamedTuple

from knowhub.chunkers import markdown_lines as lines_of
from knowhub.chunkers.markdown_lines import Fence

_MOST_FRUITLESS_LOOKS = 64
"""Passes over the rest of the text for nested fences that nothing closes; more would not be linear any longer."""

Kind = Literal["text", "heading", "code", "table", "html"]


class Block(NamedTuple):
    """A range of the source; `level` and `title` are a heading's, `body` is where a fence's or table's rows begin."""

    kind: Kind
    start: int
    end: int
    level: int = 0
    title: str = ""
    body: int = 0
    fence: Fence | None = None
    closed: bool = False


def scan(text: str) -> list[Block]:
    """Split the text into blocks, in order; white space alone gives none."""
    return _Scanner(text).run()


class _Scanner:
    """Walks over the lines; `_paragraph` is the first line of the run that is being collected, or -1."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._starts = _line_starts(self._lines)
        self._blocks: list[Block] = []
        self._paragraph = -1
        self._missing_ends: set[str] = set()
        self._openers: dict[str, Callable[[int, str], int]] = {
            "#": self._atx,
            "`": self._fence,
            "~": self._fence,
            "<": self._html,
            "=": self._setext,
            "-": self._dash,
            "|": self._table,
            ":": self._table,
        }
        self._openers.update(dict.fromkeys("+*>0123456789", self._nested_fence))

    def run(self) -> list[Block]:
        """Scan every line; each opener says which line comes next, its own where it recognises nothing."""
        lines, openers = self._lines, self._openers
        at, count = 0, len(lines)
        while at < count:
            line = lines[at]
            mark = line[:1]
            if mark <= " " or mark.isspace():
                mark = line.lstrip()[:1]
            if not mark:
                self._flush(at)
                at += 1
                continue
            opener = openers.get(mark)
            following = opener(at, line) if opener is not None else at
            if following == at:
                if self._paragraph < 0:
                    self._paragraph = at
                following = at + 1
            at = following
        self._flush(count)
        return self._blocks

    def _flush(self, end: int) -> None:
        """Close the run of lines before line `end`."""
        if 0 <= self._paragraph < end:
            self._add("text", self._paragraph, end)
        self._paragraph = -1

    def _add(self, kind: Kind, first: int, end: int, **extra: object) -> int:
        last = end - 1
        while not (line := self._lines[last].rstrip("\r")) or line.isspace():
            last -= 1
        stop = self._starts[last] + len(line)
        self._blocks.append(Block(kind, self._starts[first], stop, **extra))  # type: ignore[arg-type]  # names of Block
        return end

    def _atx(self, at: int, line: str) -> int:
        match = lines_of.ATX.match(line)
        if match is None:
            return at
        self._flush(at)
        title = lines_of.heading_title(match.group(2) or "")
        return self._add("heading", at, at + 1, level=len(match.group(1)), title=title)

    def _setext(self, at: int, line: str) -> int:
        first = self._paragraph
        match = lines_of.SETEXT.match(line) if first >= 0 else None
        if match is None or lines_of.NOT_SETEXT_TEXT.match(self._lines[first]):
            return at
        self._paragraph = -1
        title = " ".join(part.strip() for part in self._lines[first:at])
        return self._add("heading", first, at + 1, level=1 if match.group(1) else 2, title=title)

    def _dash(self, at: int, line: str) -> int:
        for opener in (self._setext, self._table, self._nested_fence):
            following = opener(at, line)
            if following != at:
                return following
        return at

    def _nested_fence(self, at: int, line: str) -> int:
        return self._fence(at, line) if "```" in line or "~~~" in line else at

    def _fence(self, at: int, line: str) -> int:
        opened = lines_of.fence(line)
        if opened is None:
            return at
        end, closed = self._fence_end(at, opened)
        if end < 0:
            return at
        self._flush(at)
        body = self._starts[at + 1] if at + 1 < len(self._starts) else self._starts[at] + len(line)
        return self._add("code", at, end, body=body, fence=opened, closed=closed)

    def _fence_end(self, at: int, opened: Fence) -> tuple[int, bool]:
        """Find the line behind the fence; -1 for an indented fence that nothing closes, which is no fence."""
        key = f"{opened.continued}{opened.marker}"
        if opened.is_nested and (key in self._missing_ends or len(self._missing_ends) >= _MOST_FRUITLESS_LOOKS):
            return -1, False
        for number in range(at + 1, len(self._lines)):
            line = self._lines[number]
            if opened.is_left_by(line):
                return number, False
            if opened.marker[0] in line and opened.is_closed_by(line):
                return number + 1, True
        if opened.is_nested:
            self._missing_ends.add(key)
            return -1, False
        return len(self._lines), False

    def _table(self, at: int, line: str) -> int:
        if self._paragraph < 0 or not lines_of.table_width(self._lines[at - 1], line):
            return at
        self._flush(at - 1)
        end = at + 1
        while end < len(self._lines) and self._continues_table(self._lines[end]):
            end += 1
        body = self._starts[at + 1] if at + 1 < len(self._starts) else self._starts[at] + len(line)
        return self._add("table", at - 1, end, body=body)

    def _continues_table(self, line: str) -> bool:
        bare = line.lstrip()
        if not bare or bare[0] == ">":
            return False
        return bare[0] not in "#`~" or not (lines_of.ATX.match(line) or lines_of.fence(line))

    def _html(self, at: int, line: str) -> int:
        pattern = lines_of.html_end(line)
        if pattern is not None:
            end = self._line_with(pattern, at)
        elif lines_of.begins_html_until_blank(line, in_paragraph=self._paragraph >= 0):
            end = self._next_blank(at)
        else:
            return at
        self._flush(at)
        return self._add("html", at, end)

    def _line_with(self, pattern: re.Pattern[str], at: int) -> int:
        for number in range(at, len(self._lines)):
            if pattern.search(self._lines[number]):
                return number + 1
        return len(self._lines)

    def _next_blank(self, at: int) -> int:
        while at < len(self._lines) and self._lines[at].strip():
            at += 1
        return at


def _line_starts(lines: list[str]) -> list[int]:
    return list(accumulate([len(line) + 1 for line in lines[:-1]], initial=0))
