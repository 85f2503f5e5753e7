"""Writing blocks of Markdown: paragraphs, headings, items, fences and tables, within lists and quotes."""

import re
from dataclasses import dataclass

BREAK = "\v"
"""Stands for a line break among pieces of text; white space of the source never holds it by the time it is written."""

_TICKS = re.compile(r"`+")
_MISREAD = re.compile(r"(?:#{1,6}(?:\s|\Z)|`{3}|~{3}|[<|]|=+\s*\Z|-+\s*\Z)")
"""How a line of plain text would begin that Markdown takes for something else."""


@dataclass(slots=True)
class Container:
    """A quote or a list item: what stands before its first line, and before each further one."""

    first: str
    rest: str
    is_item: bool
    begun: bool = False


class Blocks:
    """Blocks in order; a blank line stands between two, but not between the items of a list."""

    def __init__(self) -> None:
        """Begin an empty document."""
        self.containers: list[Container] = []
        self._parts: list[str] = []
        self._after_item = False

    def paragraph(self, text: str) -> None:
        """Write a paragraph, unless it is empty; lines in it that Markdown would misread are escaped."""
        lines = [f"\\{line}" if _MISREAD.match(line) else line for line in _lines(text)]
        if lines:
            self._write(lines)

    def heading(self, level: int, text: str) -> None:
        """Write a heading on one line, unless it is empty."""
        words = " ".join(_lines(text))
        if words:
            self._write([f"{'#' * level} {words}"])

    def code(self, text: str, language: str) -> None:
        """Write a fence around text that stays as it is."""
        body = text.removeprefix("\n").rstrip()
        if body:
            ticks = "`" * max(3, 1 + max(map(len, _TICKS.findall(body)), default=0))
            self._write([f"{ticks}{language}", *body.split("\n"), ticks])

    def table(self, rows: list[list[str]]) -> None:
        """Write rows under the first of them; a table of one column or row is written as paragraphs."""
        filled = [row for row in rows if any(row)]
        width = max(map(len, filled), default=0)
        if width < 2 or len(filled) < 2:  # noqa: PLR2004 - a table has two of both
            for row in filled:
                self.paragraph(" ".join(each for each in row if each))
            return
        head = filled[0] + [""] * (width - len(filled[0]))
        self._write([_row(head), "|" + " --- |" * width, *map(_row, filled[1:])])

    def text(self) -> str:
        """Give the document."""
        return "".join(self._parts)

    def _write(self, lines: list[str]) -> None:
        begins_item = any(each.is_item and not each.begun for each in self.containers)
        if self._parts:
            between = "".join(each.rest for each in self.containers if each.begun).rstrip()
            self._parts.append("\n" if begins_item and self._after_item else f"\n{between}\n")
        indents = "".join(each.rest if each.begun else each.first for each in self.containers)
        rest = "".join(each.rest for each in self.containers)
        self._parts.append("\n".join([indents + lines[0], *((rest + line).rstrip() for line in lines[1:])]))
        self._after_item = any(each.is_item for each in self.containers)
        for each in self.containers:
            each.begun = True


def inline_code(text: str) -> str:
    """Write words as code, with as many marks as they need."""
    words = " ".join(text.split())
    if not words:
        return ""
    ticks = "`" * (1 + max(map(len, _TICKS.findall(words)), default=0))
    room = " " if words.startswith("`") or words.endswith("`") else ""
    return f"{ticks}{room}{words}{room}{ticks}"


def cell(text: str) -> str:
    """Write the text of a table's cell: one line, in which a bar is no border."""
    return " ".join(_lines(text)).replace("|", "\\|")


def _lines(text: str) -> list[str]:
    return [words for line in text.split(BREAK) if (words := " ".join(line.split()))]


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
