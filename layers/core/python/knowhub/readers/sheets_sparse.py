"""Sheets whose cells are far apart, packed together for a library that makes room for all that is between them."""

import re
from dataclasses import dataclass
from itertools import groupby

from knowhub.errors import Unreadable

MOST_ROOM = 20_000_000
"""Cells, empty ones too, between the outermost of a sheet: the cell library makes room for all of them."""
_MOST_CELLS = 1_000_000
"""Of a sheet that has to be packed."""
_REFERENCE = re.compile(rb'\br="([A-Za-z]{1,16})([0-9]{1,16})"')
_CELL_START = re.compile(rb'<(?:\w+:)?c\s[^<>]*?\br="([A-Za-z]{1,16})([0-9]{1,16})"[^<>]*(?<!/)>')
_CELL = re.compile(rb"<((?:\w+:)?)c\s([^<>]*)(?<!/)>(.*?)</\1c>", re.DOTALL)
_OPENING = re.compile(rb"<(?:\w+:)?sheetData\b[^<>]*(?<!/)>")
_CLOSING = re.compile(rb"</(?:\w+:)?sheetData\s*>")


@dataclass(frozen=True, slots=True)
class Packed:
    """A packed sheet, and for each of its rows the sheet's own row and the columns of its cells."""

    content: bytes
    rows: tuple[tuple[int, tuple[int, ...]], ...]


def packed(name: str, content: bytes) -> Packed | None:
    """Pack a sheet if its cells are too far apart; None for usual ones.

    Raises `Unreadable` (`TOO_SPARSE`) where there are too many cells for that.
    """
    if _room(content) <= MOST_ROOM:
        return None
    opening, closing = _OPENING.search(content), _CLOSING.search(content)
    found = _cells(content)
    if opening is None or closing is None or len(found) > _MOST_CELLS:
        raise Unreadable(f"the cells of {name!r} are too far apart", {"reason": "TOO_SPARSE"})
    lines, rows = _packed_rows(found)
    return Packed(b"".join([content[: opening.end()], *lines, content[closing.start() :]]), tuple(rows))


def column_name(number: int) -> str:
    """Write a column's number, from 1, as a spreadsheet does."""
    letters = ""
    while number:
        number, last = divmod(number - 1, 26)
        letters = chr(ord("A") + last) + letters
    return letters


def _room(content: bytes) -> int:
    columns: set[bytes] = set()
    first, last = 0, 0
    for match in _CELL_START.finditer(content):
        columns.add(match.group(1))
        row = int(match.group(2))
        first, last = min(first or row, row), max(last, row)
    numbers = [_column_number(letters) for letters in columns]
    return (max(numbers) - min(numbers) + 1) * (last - first + 1) if numbers else 0


_Cell = tuple[int, int, bytes, bytes, bytes]
"""Row, column, the prefix of its name, its attributes but the reference, what is in it."""


def _cells(content: bytes) -> list[_Cell]:
    found: list[_Cell] = []
    for match in _CELL.finditer(content):
        prefix, attributes, inside = match.groups()
        place = _REFERENCE.search(attributes)
        if place is not None and len(found) <= _MOST_CELLS:
            kept = attributes[: place.start()] + attributes[place.end() :]
            found.append((int(place.group(2)), _column_number(place.group(1)), prefix, kept, inside))
    return sorted(found, key=lambda cell: cell[:2])


def _packed_rows(cells: list[_Cell]) -> tuple[list[bytes], list[tuple[int, tuple[int, ...]]]]:
    """Write the cells side by side; rows longer than the mean go on in the next, so that the room stays small."""
    by_row = [(row, list(group)) for row, group in groupby(cells, key=lambda cell: cell[0])]
    width = -(-len(cells) // max(1, len(by_row)))
    lines: list[bytes] = []
    rows: list[tuple[int, tuple[int, ...]]] = []
    for row, of_row in by_row:
        for start in range(0, len(of_row), width):
            part = of_row[start : start + width]
            rows.append((row, tuple(cell[1] for cell in part)))
            lines.append(_line(part, len(rows)))
    return lines, rows


def _line(cells: list[_Cell], number: int) -> bytes:
    prefix = cells[0][2]
    written = b"".join(
        b'<%bc r="%b%d" %b>%b</%bc>' % (mark, column_name(at).encode(), number, attributes, inside, mark)
        for at, (_, _, mark, attributes, inside) in enumerate(cells, start=1)
    )
    return b'<%brow r="%d">%b</%brow>' % (prefix, number, written, prefix)


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - ord("A") + 1
    return number
