"""The blocks of a Markdown text: headings, fences, tables, HTML, and runs of other lines between blank ones.

A line that begins nothing is never looked at by itself: one search finds the next line that may, or that follows a
blank one. A block's range begins at its first line and ends behind its last character; only blank lines and line breaks
lie between blocks.
"""

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from knowhub.chunkers import markdown_lines as lines_of
from knowhub.chunkers import markdown_starts as starts
from knowhub.chunkers.markdown_fences import FenceEnds
from knowhub.chunkers.markdown_lines import Fence

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


_Opener = Callable[[re.Match[str], int, int], int]


def scan(text: str) -> list[Block]:
    """Split the text into blocks, in order; white space alone gives none."""
    return _Scanner(text).run()


class _Scanner:
    """Goes from one line that may begin a block to the next one.

    An opener is given such a line, and where the run of lines began that it would end, or -1. It adds both blocks and
    says where the line behind them begins; the line's own place means that it begins nothing.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        solid = len(text.rstrip())
        self._end = self._line_end(solid) if solid else 0
        self._has_returns = "\r" in text
        self._fences = FenceEnds(text, self._end)
        self._blocks: list[Block] = []
        self._openers: dict[int | None, _Opener] = {
            starts.HEADING: self._heading,
            starts.FENCE: self._fence,
            starts.TAG: self._html,
            starts.UNDERLINE: self._underlined,
            starts.DELIMITER: self._table,
        }

    def run(self) -> list[Block]:
        """Scan the text; `first` is where the run of other lines begins that is being collected, or -1."""
        text, end, openers = self._text, self._end, self._openers
        search, first = starts.NEXT_LINE.search, -1
        match = starts.FIRST_LINE.match(text, 0, end)
        while match is not None:
            start = match.start(2)
            if first >= 0 and match.end(1) >= 0:
                self._add("text", first, match.start())
                first = -1
            opener = openers.get(match.lastindex)
            behind = start if opener is None else opener(match, start, first)
            if behind != start:
                first = -1
                match = starts.FIRST_LINE.match(text, behind, end) if behind < end else None
                continue
            if first < 0:
                first = start
            match = search(text, start, end)
        if 0 <= first < end:
            self._add("text", first, end)
        return self._blocks

    def _line_end(self, position: int) -> int:
        found = self._text.find("\n", position)
        return len(self._text) if found < 0 else found

    def _add(self, kind: Kind, start: int, stop: int, *extra: object) -> int:
        """Add a block whose last line ends at `stop`, and say where the line behind it begins."""
        end = start + len(self._text[start:stop].rstrip("\r")) if self._has_returns else stop
        self._blocks.append(Block(kind, start, end, *extra))  # type: ignore[arg-type]  # the members of Block
        return stop + 1

    def _flush(self, first: int, start: int) -> None:
        """Close the run of lines before the line at `start`, where there is one."""
        if 0 <= first < start:
            self._add("text", first, start - 1)

    def _heading(self, match: re.Match[str], start: int, first: int) -> int:
        indent, marks, raw = match.group(2, 3, 4)
        if indent and not lines_of.is_little(indent):
            return start
        self._flush(first, start)
        title = lines_of.heading_title(raw)
        return self._add("heading", start, self._line_end(match.end()), len(marks) + 1, title)

    def _underlined(self, match: re.Match[str], start: int, first: int) -> int:
        text = self._text
        if not lines_of.is_little(match.group(2)) or lines_of.NOT_SETEXT_TEXT.match(text, first):
            return start
        title = " ".join(part.strip() for part in text[first : start - 1].split("\n"))
        return self._add("heading", first, match.end(), 1 if "=" in match.group() else 2, title)

    def _fence(self, _: re.Match[str], start: int, first: int) -> int:
        line_end = self._line_end(start)
        opened = lines_of.fence(self._text[start:line_end])
        found = opened and self._fences.find(opened, line_end)
        if not found:
            return start
        self._flush(first, start)
        return self._add("code", start, found.stop, 0, "", self._body(line_end), opened, found.closed)

    def _table(self, _: re.Match[str], start: int, first: int) -> int:
        text, line_end = self._text, self._line_end(start)
        head = max(first, text.rfind("\n", first, start - 1) + 1)
        if not lines_of.table_width(text[head : start - 1], text[start:line_end]):
            return start
        self._flush(first, head)
        end = starts.TABLE_END.search(text, line_end, self._end)
        return self._add("table", head, end.start() if end else self._end, 0, "", self._body(line_end))

    def _body(self, line_end: int) -> int:
        """Say where the line behind the one that ends here begins, or that there is none."""
        return min(line_end + 1, len(self._text))

    def _html(self, _: re.Match[str], start: int, first: int) -> int:
        line = self._text[start : self._line_end(start)]
        closing = lines_of.html_end(line)
        if closing is not None:
            found = closing.search(self._text, start, self._end)
            end = self._line_end(found.end()) if found else self._end
        elif lines_of.begins_html_until_blank(line, in_paragraph=first >= 0):
            found = starts.BLANK_LINE.search(self._text, start, self._end)
            end = found.start() if found else self._end
        else:
            return start
        self._flush(first, start)
        return self._add("html", start, end)
