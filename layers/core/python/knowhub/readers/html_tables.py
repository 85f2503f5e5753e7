"""A table of data while it is being read: cells in a grid, those that span several filled with nothing."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

_MOST_SPAN = 100
_MOST_DIGITS = 5


class Table:
    """Rows of cells; a table within a cell adds words to that cell."""

    def __init__(self, mem_id: int, blanks: Iterator[str]) -> None:
        """Begin the table of a node; `blanks` are the cells that spans may be filled with in the whole document."""
        self.mem_id = mem_id
        self.rows: list[list[str]] = []
        self.in_cell = False
        self._blanks = blanks
        self._span = (1, 1)
        self._covered: frozenset[int] = frozenset()
        self._hanging: dict[int, int] = {}

    def open(self, tag: str, node: Any) -> bool:
        """Begin a row or a cell; says whether the tag was one."""
        if self.in_cell or tag not in {"tr", "td", "th"}:
            return False
        if tag == "tr":
            self._begin_row()
            return True
        if not self.rows:
            self._begin_row()
        self._fill_covered()
        self.in_cell = True
        attributes = node.attributes
        self._span = _span(attributes.get("colspan")), _span(attributes.get("rowspan"))
        return True

    def closes_cell(self, tag: str) -> bool:
        """Whether an end tag ends the cell that is open."""
        return self.in_cell and tag in {"td", "th"}

    def end_cell(self, words: str) -> None:
        """Put the cell into the grid."""
        self.in_cell = False
        columns, rows = self._span
        row = self.rows[-1]
        if rows > 1:
            self._hanging.update(dict.fromkeys(range(len(row), len(row) + columns), rows - 1))
        row.append(words)
        row.extend(islice(self._blanks, columns - 1))

    def _begin_row(self) -> None:
        """Cells of rows above reach into this one where rows are left of them."""
        self._covered = frozenset(self._hanging)
        self._hanging = {column: rows - 1 for column, rows in self._hanging.items() if rows > 1}
        self.rows.append([])

    def _fill_covered(self) -> None:
        row = self.rows[-1]
        while len(row) in self._covered and (blank := next(self._blanks, None)) is not None:
            row.append(blank)


def _span(value: str | None) -> int:
    text = value or "1"
    is_number = text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
    return min(max(int(text), 1), _MOST_SPAN) if is_number else 1
