"""The spreadsheet reader (.xlsx, .xls, .ods): every sheet, one row a line under the sheet's first."""

import datetime as dt
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from knowhub.errors import Unreadable
from knowhub.model.document import Loss
from knowhub.model.extraction import Place, ReadDocument
from knowhub.readers.archive import Archive, repacked
from knowhub.readers.archive_losses import Tally
from knowhub.readers.archive_xml import embedded_losses, title
from knowhub.readers.caps import MOST_TEXT_BYTES, cap
from knowhub.readers.sheets_archive import is_wanted, survey
from knowhub.readers.sheets_beside import beside, sheet_parts
from knowhub.readers.sheets_biff import beside_sheets
from knowhub.readers.sheets_ods import beside_tables
from knowhub.readers.sheets_sparse import Packed, column_name

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

LIBRARIES = ("python_calamine", "zipfile", "olefile", "xml.etree.ElementTree")

SEPARATOR = " | "
_BREAKS = re.compile(r"[ \t]*[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+[ \t]*")
_DIGITS = ".15g"
"""What a spreadsheet keeps of a number."""
_WHOLE = 1e15
_Cell = int | float | str | bool | dt.time | dt.date | dt.datetime | dt.timedelta


class _Text:
    """Lines so far, with the sheet and the rows that they are."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.places: list[Place] = []
        self.breaks: list[int] = []
        self.length = 0

    @property
    def is_full(self) -> bool:
        """Whether nothing more would be kept."""
        return self.length > MOST_TEXT_BYTES

    def add(self, line: str) -> None:
        self.parts.append(f"{line}\n")
        self.length += len(line) + 1

    def add_sheet(self, name: str, title: str, lines: Iterable[tuple[int, str]], beside: Sequence[str]) -> None:
        """Add a sheet's rows, then what is beside them; rows that follow each other share a place.

        A sheet without any of both adds nothing.
        """
        begun, first, previous = self.length, 0, 0
        for row, line in lines:
            if not previous:
                self.breaks.append(self.length)
                self.add(title)
            if row != previous + 1 or not previous:
                self._close(begun, name, first)
                begun, first = self.length, row
            self.add(line)
            previous = row
            if self.is_full:
                break
        self._close(begun, name, first)
        if beside and not self.is_full:
            self._add_beside(name, "" if previous else title, beside)

    def _add_beside(self, name: str, title: str, beside: Sequence[str]) -> None:
        if title:
            self.breaks.append(self.length)
            self.add(title)
        begun = self.length
        for line in beside:
            self.add(line)
        self.places.append(Place(begun, self.length, sheet=name))

    def _close(self, begun: int, name: str, first: int) -> None:
        if first:
            self.places.append(Place(begun, self.length, sheet=name, row=first))


def read(data: bytes, name: str) -> ReadDocument:  # noqa: ARG001 - every reader is called alike
    """Read every sheet: a line with its name, hidden ones marked, then its rows, cells joined by ` | `.

    Rows without any text are left out, and rows keep their numbers. Dates are dates in either calendar, a formula is
    its last result. Cells that are very far apart are written with their columns. Comments and what else has words
    beside the cells follow the rows of their sheet. Losses: `CELL_ERROR` and `FORMULA_WITHOUT_VALUE` count cells that
    are empty here, `SHEET_NOT_READ` names a sheet that is a chart, is damaged or is behind the end of what is kept,
    `PICTURE_NOT_READ`, `CHART_NOT_READ` and `CONTROL_NOT_READ` count what has no words. Raises `Unreadable`.
    """
    opened = _open(data)
    text, losses = _Text(), list(opened.losses)
    for index, sheet in enumerate(opened.workbook.sheets_metadata):
        title = f"Sheet: {_plain(sheet.name)}"
        if _kind(sheet.visible) != "Visible" or sheet.name in opened.hidden:
            title += " (hidden)"
        if _kind(sheet.typ) != "WorkSheet":
            losses.append(Loss("SHEET_NOT_READ", f"sheet {sheet.name!r}", "it has no cells: a chart or a macro sheet"))
        elif text.is_full:
            losses.append(Loss("SHEET_NOT_READ", f"sheet {sheet.name!r}", "the sheets before it fill the document"))
        else:
            losses.extend(_add(text, opened, index, sheet.name, title))
    if not text.length:
        raise Unreadable("the workbook has no cell with a value", {"reason": "NO_TEXT"})
    kept, cut = cap("".join(text.parts))
    return ReadDocument(
        kept,
        "fixed",
        title=opened.title,
        losses=(*losses, *cut),
        preserve_lines=True,
        header_lines=2,
        places=tuple(text.places),
        breaks=tuple(text.breaks),
    )


@dataclass(slots=True)
class _Opened:
    """A workbook in the cell library, and what that library does not know of it, by sheet."""

    workbook: "CalamineWorkbook"
    losses: list[Loss]
    title: str | None = None
    hidden: frozenset[str] = frozenset()
    packed: dict[str, Packed] = field(default_factory=dict)
    beside: dict[str, list[str]] = field(default_factory=dict)


def _open(data: bytes) -> _Opened:
    """Open the workbook; an archive is checked and written anew before the library gets it."""
    if not data.startswith(b"PK"):
        opened = _Opened(_workbook(data), [])
        for name, notes in beside_sheets(data).items():
            opened.beside[name] = notes.lines
            opened.losses.extend(notes.tally.losses())
        return opened
    original = Archive(data)
    plain = repacked(original, is_wanted)
    found = survey(Archive(plain))
    read = repacked(Archive(plain), is_wanted, found.changed) if found.changed else plain
    opened = _Opened(_workbook(read), [*found.losses, *embedded_losses(original)], hidden=found.hidden)
    _look_beside(opened, Archive(plain), found.packed)
    return opened


def _workbook(data: bytes) -> "CalamineWorkbook":
    import python_calamine  # noqa: PLC0415 - only the reading process has the library

    try:
        return python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
    except python_calamine.PasswordError as error:
        raise Unreadable("the workbook is encrypted: it needs a password", {"reason": "ENCRYPTED"}) from error
    except python_calamine.CalamineError as error:
        raise Unreadable("the workbook is damaged: it can't be opened", {"reason": "DAMAGED"}) from error


def _look_beside(opened: _Opened, archive: Archive, sparse: Mapping[str, Packed]) -> None:
    """Add what the archive has beside the cells; a sheet of which that can't be read is a loss."""
    if "content.xml" in archive:
        opened.beside, tallies = beside_tables(archive.read("content.xml"))
        opened.losses.extend(loss for tally in tallies.values() for loss in tally.losses())
        return
    opened.title = title(archive)
    for name, part in sheet_parts(archive).items():
        if part.path in sparse:
            opened.packed[name] = sparse[part.path]
        where, tally = f"sheet {name!r}", Tally()
        try:
            opened.beside[name] = beside(part, where, tally)
        except Unreadable:
            tally.add("COMMENTS_NOT_READ", where)
        opened.losses.extend(tally.losses())


def _add(text: _Text, opened: _Opened, index: int, name: str, title: str) -> list[Loss]:
    import python_calamine  # noqa: PLC0415 - as above

    try:
        sheet = opened.workbook.get_sheet_by_index(index)
    except python_calamine.CalamineError:
        return [Loss("SHEET_NOT_READ", f"sheet {name!r}", "it is damaged")]
    sparse = opened.packed.get(name)
    lines = _lines(sheet.iter_rows()) if sparse is None else _packed_lines(sheet.iter_rows(), sparse)
    text.add_sheet(name, title, lines, opened.beside.get(name, ()))
    return []


def _packed_lines(rows: Iterable[Sequence[_Cell]], sparse: Packed) -> Iterator[tuple[int, str]]:
    """Walk the rows of a packed sheet under their own numbers, each cell behind the name of its column."""
    for row, cells in groupby(_packed_cells(rows, sparse), key=lambda cell: cell[0]):
        yield row, SEPARATOR.join(shown for _, shown in cells)


def _packed_cells(rows: Iterable[Sequence[_Cell]], sparse: Packed) -> Iterator[tuple[int, str]]:
    for values, (row, columns) in zip(rows, sparse.rows, strict=False):
        for value, column in zip(values, columns, strict=False):
            shown = _shown(value)
            if shown:
                yield row, f"{column_name(column)}: {shown}"


def _lines(rows: Iterable[Iterable[_Cell]]) -> Iterator[tuple[int, str]]:
    """Walk the rows that have a value, with their numbers from 1."""
    for number, row in enumerate(rows, start=1):
        values = [_shown(value) for value in row]
        while values and not values[-1]:
            values.pop()
        if values:
            yield number, SEPARATOR.join(values)


def _shown(value: _Cell) -> str:
    if isinstance(value, str):
        return _plain(value)
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < _WHOLE else format(value, _DIGITS)
    if isinstance(value, dt.timedelta):
        minutes, seconds = divmod(int(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    if isinstance(value, dt.datetime):
        return value.isoformat(" ", "seconds")
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)


def _plain(text: str) -> str:
    return _BREAKS.sub(" ", text).strip()


def _kind(value: object) -> str:
    """Name a member of the library's enumerations."""
    return str(value).rpartition(".")[2]
