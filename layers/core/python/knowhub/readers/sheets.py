"""The spreadsheet reader (.xlsx, .xls, .ods): every sheet, one row a line under the sheet's first."""

import datetime as dt
import io
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from knowhub.errors import Unreadable
from knowhub.model.document import Loss
from knowhub.model.extraction import Place, ReadDocument
from knowhub.readers.archive import Archive, repacked
from knowhub.readers.archive_xml import embedded_losses
from knowhub.readers.caps import MOST_TEXT_BYTES, cap
from knowhub.readers.sheets_archive import is_wanted, survey

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

LIBRARIES = ("python_calamine", "zipfile")

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

    def add_sheet(self, name: str, title: str, lines: Iterable[tuple[int, str]]) -> None:
        """Add a sheet's rows; rows that follow each other share a place, a sheet without any adds nothing."""
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

    def _close(self, begun: int, name: str, first: int) -> None:
        if first:
            self.places.append(Place(begun, self.length, sheet=name, row=first))


def read(data: bytes, name: str) -> ReadDocument:  # noqa: ARG001 - every reader is called alike
    """Read every sheet: a line with its name, hidden ones marked, then its rows, cells joined by ` | `.

    Rows without any text are left out, and rows keep their numbers. Dates are dates in either calendar, a formula is
    its last result. Losses: `CELL_ERROR` and `FORMULA_WITHOUT_VALUE` count cells that are empty here, `SHEET_NOT_READ`
    names a sheet that is a chart, is damaged or is behind the end of what is kept. Raises `Unreadable` with the reason.
    """
    workbook, losses, hidden = _open(data)
    text = _Text()
    for index, sheet in enumerate(workbook.sheets_metadata):
        title = f"Sheet: {_plain(sheet.name)}"
        if _kind(sheet.visible) != "Visible" or sheet.name in hidden:
            title += " (hidden)"
        if _kind(sheet.typ) != "WorkSheet":
            losses.append(Loss("SHEET_NOT_READ", f"sheet {sheet.name!r}", "it has no cells: a chart or a macro sheet"))
        elif text.is_full:
            losses.append(Loss("SHEET_NOT_READ", f"sheet {sheet.name!r}", "the sheets before it fill the document"))
        else:
            losses.extend(_add(text, workbook, index, sheet.name, title))
    if not text.length:
        raise Unreadable("the workbook has no cell with a value", {"reason": "NO_TEXT"})
    kept, cut = cap("".join(text.parts))
    return ReadDocument(
        kept,
        "fixed",
        losses=(*losses, *cut),
        preserve_lines=True,
        header_lines=2,
        places=tuple(text.places),
        breaks=tuple(text.breaks),
    )


def _open(data: bytes) -> "tuple[CalamineWorkbook, list[Loss], frozenset[str]]":
    """Open the workbook; an archive is checked and written anew before the library gets it."""
    import python_calamine  # noqa: PLC0415 - only the reading process has the library

    losses: list[Loss] = []
    hidden: frozenset[str] = frozenset()
    if data.startswith(b"PK"):
        archive = Archive(data)
        data = repacked(archive, is_wanted)
        losses, hidden = survey(Archive(data))
        losses.extend(embedded_losses(archive))
    try:
        return python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data)), losses, hidden
    except python_calamine.PasswordError as error:
        raise Unreadable("the workbook is encrypted: it needs a password", {"reason": "ENCRYPTED"}) from error
    except python_calamine.CalamineError as error:
        raise Unreadable("the workbook is damaged: it can't be opened", {"reason": "DAMAGED"}) from error


def _add(text: _Text, workbook: "CalamineWorkbook", index: int, name: str, title: str) -> list[Loss]:
    import python_calamine  # noqa: PLC0415 - as above

    try:
        sheet = workbook.get_sheet_by_index(index)
    except python_calamine.CalamineError:
        return [Loss("SHEET_NOT_READ", f"sheet {name!r}", "it is damaged")]
    text.add_sheet(name, title, _lines(sheet.iter_rows()))
    return []


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
