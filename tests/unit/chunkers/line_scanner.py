"""Markdown blocks found the slow and plain way, line by line: what the real scanner must agree with."""

import re

from knowhub.chunkers import markdown_lines as lines_of
from knowhub.chunkers.markdown_blocks import Block, Kind
from knowhub.chunkers.markdown_lines import Fence

_ATX = re.compile(r" {0,3}+(#{1,6}+)(?:[ \t]++([^\r\n]*+)|(?=[\r\n]|\Z))")
_SETEXT = re.compile(r" {0,3}+(?:(=++)|(-++))[ \t]*+\r?\Z")
_DELIMITER_ROW = re.compile(r"[ \t]*+\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+\r?\Z")


def scan_lines(text: str) -> list[Block]:
    """Split the text into blocks, in order."""
    return _LineScanner(text).run()


class _LineScanner:
    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.starts.pop()
        self.blocks: list[Block] = []
        self.paragraph = -1

    def run(self) -> list[Block]:
        at = 0
        while at < len(self.lines):
            if not self.lines[at].strip():
                self.flush(at)
                at += 1
                continue
            for opener in (self.heading, self.underlined, self.table, self.fence, self.html):
                following = opener(at, self.lines[at])
                if following != at:
                    at = following
                    break
            else:
                self.paragraph = at if self.paragraph < 0 else self.paragraph
                at += 1
        self.flush(at)
        return self.blocks

    def flush(self, end: int) -> None:
        if 0 <= self.paragraph < end:
            self.add("text", self.paragraph, end)
        self.paragraph = -1

    def add(self, kind: Kind, first: int, end: int, **extra: object) -> int:
        last = end - 1
        while not self.lines[last].strip():
            last -= 1
        stop = self.starts[last] + len(self.lines[last].rstrip("\r"))
        self.blocks.append(Block(kind, self.starts[first], stop, **extra))  # type: ignore[arg-type]  # names of Block
        return end

    def body(self, at: int) -> int:
        return self.starts[at + 1] if at + 1 < len(self.lines) else self.starts[at] + len(self.lines[at])

    def heading(self, at: int, line: str) -> int:
        match = _ATX.match(line)
        if match is None:
            return at
        self.flush(at)
        title = lines_of.heading_title(match.group(2) or "")
        return self.add("heading", at, at + 1, level=len(match.group(1)), title=title)

    def underlined(self, at: int, line: str) -> int:
        first = self.paragraph
        match = _SETEXT.match(line) if first >= 0 else None
        if match is None or lines_of.NOT_SETEXT_TEXT.match(self.lines[first]):
            return at
        self.paragraph = -1
        title = " ".join(part.strip() for part in self.lines[first:at])
        return self.add("heading", first, at + 1, level=1 if match.group(1) else 2, title=title)

    def table(self, at: int, line: str) -> int:
        if self.paragraph < 0 or not _DELIMITER_ROW.match(line) or not lines_of.table_width(self.lines[at - 1], line):
            return at
        self.flush(at - 1)
        end = at + 1
        while end < len(self.lines) and self.continues_table(self.lines[end]):
            end += 1
        return self.add("table", at - 1, end, body=self.body(at))

    def continues_table(self, line: str) -> bool:
        bare = line.lstrip()
        if not bare or bare[0] == ">":
            return False
        return bare[0] not in "#`~" or not (_ATX.match(line) or lines_of.fence(line))

    def fence(self, at: int, line: str) -> int:
        opened = lines_of.fence(line) if line.lstrip()[0] in "`~>-*+0123456789" else None
        end, closed = self.fence_end(at, opened) if opened else (-1, False)
        if end < 0:
            return at
        self.flush(at)
        return self.add("code", at, end, body=self.body(at), fence=opened, closed=closed)

    def fence_end(self, at: int, opened: Fence) -> tuple[int, bool]:
        for number in range(at + 1, len(self.lines)):
            line = self.lines[number]
            if opened.is_quoted:
                if opened.is_left_by(line):
                    return number, False
                if opened.is_closed_by(line):
                    return number + 1, True
            elif (bare := line.strip()) and not bare.strip(opened.marker[0]):
                indent = line[: len(line) - len(line.lstrip())]
                if opened.is_closed_with(indent, bare):
                    return number + 1, True
        return (-1, False) if opened.is_nested else (len(self.lines), False)

    def html(self, at: int, line: str) -> int:
        if not line.lstrip().startswith("<"):
            return at
        pattern = lines_of.html_end(line)
        end = at
        if pattern is not None:
            while end < len(self.lines) and not pattern.search(self.lines[end]):
                end += 1
            end = min(end + 1, len(self.lines))
        elif lines_of.begins_html_until_blank(line, in_paragraph=self.paragraph >= 0):
            while end < len(self.lines) and self.lines[end].strip():
                end += 1
        else:
            return at
        self.flush(at)
        return self.add("html", at, end)
