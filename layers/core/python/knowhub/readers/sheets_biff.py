"""What an Excel workbook of before 2007 has beside its cells: comments, text boxes, headers, charts and pictures."""

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from knowhub.readers.archive_losses import Tally
from knowhub.readers.archive_parts import escaped
from knowhub.readers.sheets_beside import margin
from knowhub.readers.sheets_sparse import column_name

_MOST_BYTES = 100 * 1024 * 1024
_BEGIN, _END, _SHEET, _CONTINUE = 0x0809, 0x000A, 0x0085, 0x003C
_NOTE, _OBJECT, _TEXT, _LINK, _CHOICES = 0x001C, 0x005D, 0x01B6, 0x01B8, 0x01BE
_ADDRESS = bytes.fromhex("E0C9EA79F9BACE118C8200AA004BA90B")
"""What stands before an address, its length and its text; links within the workbook have none."""
_LIST = 3
_MARGINS = {0x0014: "Header", 0x0015: "Footer"}
_PICTURE, _CHART = 0x08, 0x05
_CONTROLS = frozenset({0x07, 0x0B, 0x0C, 0x0D, 0x0E, 0x10, 0x11, 0x12, 0x13})
_WIDE = 0x01


@dataclass(slots=True)
class Beside:
    """Of one sheet: lines to follow its rows, and what is not read."""

    lines: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)


def beside_sheets(data: bytes) -> dict[str, Beside]:
    """Read what is beside the cells by sheet; a part of it that is damaged is left where the damage begins."""
    import olefile  # type: ignore[import-untyped] # it ships no types # noqa: PLC0415 - only the child has the library

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            stream = _stream(file)
    except (OSError, ValueError, IndexError, struct.error):
        return {}
    records = _Records(stream)
    found = {}
    for name, start in _sheets(records):
        beside = found[name] = Beside()
        try:
            _read_sheet(records, start, name, beside)
        except (struct.error, IndexError):
            beside.tally.add("COMMENTS_NOT_READ", f"sheet {name!r}")
    return found


def _stream(file: Any) -> bytes:
    name = next((name for name in ("Workbook", "Book") if file.exists(name)), None)
    if name is None or file.get_size(name) > _MOST_BYTES:
        return b""
    content: bytes = file.openstream(name).read()
    return content


class _Records:
    """The records of a workbook's stream: a kind, a length, and as many bytes."""

    def __init__(self, stream: bytes) -> None:
        self._stream = stream

    def walk(self, at: int) -> Iterator[tuple[int, bytes]]:
        while at + 4 <= len(self._stream):
            kind, length = struct.unpack_from("<HH", self._stream, at)
            yield kind, self._stream[at + 4 : at + 4 + length]
            at += 4 + length


def _sheets(records: _Records) -> Iterator[tuple[str, int]]:
    """Walk the sheets' names and where each begins."""
    for kind, body in records.walk(0):
        if kind == _END:
            return
        if kind == _SHEET and len(body) > 8:  # noqa: PLR2004 - what stands before the name
            yield _string(body[6:], body[6], 1), struct.unpack_from("<I", body)[0]


def _string(body: bytes, length: int, at: int) -> str:
    """Read a string whose flags stand at `at`, its length being known."""
    wide = body[at] & _WIDE
    raw = body[at + 1 : at + 1 + (2 * length if wide else length)]
    return raw.decode("utf-16-le" if wide else "latin-1", errors="replace")


class _Shapes:
    """The shapes of one sheet: their texts by number, and which of them are comments."""

    def __init__(self) -> None:
        self.texts: dict[int, str] = {}
        self.comments: dict[int, str] = {}
        self.links: list[str] = []
        self._number = 0
        self._missing = 0

    def object(self, body: bytes) -> int:
        shape, self._number = struct.unpack_from("<HH", body, 4)
        return int(shape)

    def text(self, body: bytes) -> None:
        self._missing = struct.unpack_from("<H", body, 10)[0]

    def more(self, body: bytes) -> None:
        """Take the text from the records behind; those of its looks come when nothing of it is missing."""
        if self._missing:
            part = _string(body, self._missing, 0)
            self.texts[self._number] = self.texts.get(self._number, "") + part
            self._missing -= min(self._missing, len(part) or self._missing)

    def note(self, body: bytes) -> None:
        row, column, _, number = struct.unpack_from("<4H", body)
        self.comments[number] = f"{column_name(column + 1)}{row + 1}"

    def link(self, body: bytes) -> None:
        at = body.find(_ADDRESS) + len(_ADDRESS)
        if at >= len(_ADDRESS):
            row, _, column = struct.unpack_from("<3H", body)
            (length,) = struct.unpack_from("<I", body, at)
            address = escaped(body[at + 4 : at + 4 + length].decode("utf-16-le", errors="ignore").partition("\0")[0])
            self.links += [f"Link in {column_name(column + 1)}{row + 1}: {address}"] if address else []

    def lines(self) -> Iterator[str]:
        for number, text in self.texts.items():
            words = " ".join(text.split())
            label = f"Comment on {self.comments[number]}" if number in self.comments else "Text box"
            if words:
                yield f"{label}: {words}"


def _read_sheet(records: _Records, start: int, name: str, beside: Beside) -> None:
    shapes = _Shapes()
    depth = 0
    takes = {_TEXT: shapes.text, _CONTINUE: shapes.more, _NOTE: shapes.note, _LINK: shapes.link}
    margins: list[str] = []
    for kind, body in records.walk(start):
        depth += (kind == _BEGIN) - (kind == _END)
        if depth <= 0:
            break
        if depth > 1:
            # A chart within the sheet has records of its own.
            continue
        if kind == _OBJECT:
            _count(beside.tally, shapes.object(body), name)
        elif kind == _CHOICES:
            beside.tally.add("CONTROL_NOT_READ", f"sheet {name!r}", int(body[0] & 0xF == _LIST))
        elif kind in takes:
            takes[kind](body)
        elif kind in _MARGINS and len(body) > 3:  # noqa: PLR2004 - length and flags
            margins.append(margin(_MARGINS[kind], _string(body, struct.unpack_from("<H", body)[0], 2)))
    beside.lines.extend(filter(None, (*shapes.lines(), *shapes.links, *margins)))


def _count(tally: Tally, shape: int, name: str) -> None:
    where = f"sheet {name!r}"
    tally.add("PICTURE_NOT_READ", where, int(shape == _PICTURE))
    tally.add("CHART_NOT_READ", where, int(shape == _CHART))
    tally.add("CONTROL_NOT_READ", where, int(shape in _CONTROLS))
