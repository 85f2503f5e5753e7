"""The reader of Word's binary files (1997 to 2003): their text by the piece table, and none of their layout."""

import io
import re
import struct
from collections.abc import Iterator
from typing import Any

from knowhub.errors import Unreadable
from knowhub.model.document import Loss
from knowhub.model.extraction import ReadDocument
from knowhub.readers import sheets
from knowhub.readers.caps import cap, require_text

LIBRARIES = ("olefile",)

_MOST_STREAM_BYTES = 100 * 1024 * 1024
_MAGIC, _WORD_97 = 0xA5EC, 0x00C1
_ENCRYPTED_FLAG, _SECOND_TABLE_FLAG = 0x0100, 0x0200
_FLAGS_AT, _LENGTHS_AT, _PIECES_AT = 0x0A, 0x4C, 0x01A2
_STORIES = 8
"""Main text, footnotes, headers, macros, comments, endnotes, text boxes, text boxes of headers, in this order."""
_COMPRESSED = 0x40000000
_PROPERTIES, _PIECE_TABLE = 1, 2

_FIELD_MARKS = re.compile("[\x13\x14\x15]")
_SIGNS = {
    "\r": "\n", "\x0b": "\n", "\x0c": "\n\n", "\x0e": "\n", "\x1e": "-", "\x1f": "", "\x07": " | ",
}  # fmt: skip
_CONTROLS = re.compile("[\x00-\x06\x08\x0f-\x12\x16-\x1d]")
_PICTURES = ("\x01", "\x08")
"""What stands in the text for a picture in a line, and for a drawing beside it."""
_ROW_END = re.compile("\x07\x07")


def read(data: bytes, name: str) -> ReadDocument:
    """Read the text of all parts of a document, fields by their results, a table's row a line.

    The layout is the loss `LAYOUT_NOT_READ`, pictures are `PICTURE_NOT_READ`, files within it `EMBEDDED_NOT_READ`. A
    workbook in the same kind of file goes to its own reader. Raises `Unreadable` for encrypted files (`ENCRYPTED`),
    those of Word 6 and 95 (`TOO_OLD`), and damaged ones.
    """
    import olefile  # type: ignore[import-untyped] # it ships no types # noqa: PLC0415 - only the child has the library

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            if file.exists("EncryptedPackage"):
                raise Unreadable("the file is encrypted: it needs a password", {"reason": "ENCRYPTED"})
            if not file.exists("WordDocument") and (file.exists("Workbook") or file.exists("Book")):
                return sheets.read(data, name)
            raw = _text(file)
            title = _title(file)
            embedded = list(_embedded(file))
    except (OSError, struct.error, ValueError, IndexError) as error:
        raise Unreadable("the file is damaged: its text can't be found", {"reason": "DAMAGED"}) from error
    shown = _results(raw)
    text, cut = cap(_clean(shown))
    require_text(text)
    layout = Loss("LAYOUT_NOT_READ", "document", "headings, lists and table cells are plain lines")
    losses = [layout, *_pictures(shown), *embedded, *cut]
    return ReadDocument(text, "fixed", title=title, losses=tuple(losses))


def _text(file: Any) -> str:
    """Join the pieces in the order of the text, which is not the order that they are stored in."""
    document = _stream(file, "WordDocument")
    magic, version = struct.unpack_from("<HH", document)
    (flags,) = struct.unpack_from("<H", document, _FLAGS_AT)
    if magic != _MAGIC:
        raise ValueError(magic)
    if flags & _ENCRYPTED_FLAG:
        raise Unreadable("the file is encrypted: it needs a password", {"reason": "ENCRYPTED"})
    if version < _WORD_97:
        raise Unreadable("the file is of a Word before 1997", {"reason": "TOO_OLD"})
    table = _stream(file, "1Table" if flags & _SECOND_TABLE_FLAG else "0Table")
    start, size = struct.unpack_from("<II", document, _PIECES_AT)
    wanted = sum(struct.unpack_from(f"<{_STORIES}I", document, _LENGTHS_AT))
    return "".join(_pieces(document, table[start : start + size], wanted))


def _stream(file: Any, name: str) -> bytes:
    if not file.exists(name):
        raise ValueError(name)
    if file.get_size(name) > _MOST_STREAM_BYTES:
        raise Unreadable("the file's text is too large", {"reason": "TOO_LARGE"})
    data = file.openstream(name).read()
    return data if isinstance(data, bytes) else b""


def _pieces(document: bytes, properties: bytes, wanted: int) -> Iterator[str]:
    table = _piece_table(properties)
    count = (len(table) - 4) // 12
    positions = struct.unpack_from(f"<{count + 1}I", table)
    total = 0
    for index in range(count):
        length = positions[index + 1] - positions[index]
        (place,) = struct.unpack_from("<I", table, 4 * (count + 1) + 8 * index + 2)
        if length < 0 or total + length > max(wanted, len(document)):
            raise ValueError(length)
        total += length
        if place & _COMPRESSED:
            at = (place & ~_COMPRESSED) // 2
            yield document[at : at + length].decode("cp1252", errors="replace")
        else:
            yield document[place : place + 2 * length].decode("utf-16-le", errors="replace")


def _piece_table(properties: bytes) -> bytes:
    """Find the piece table behind the formatting that pieces refer to."""
    at = 0
    while properties[at] == _PROPERTIES:
        at += 3 + struct.unpack_from("<H", properties, at + 1)[0]
    if properties[at] != _PIECE_TABLE:
        raise ValueError(properties[at])
    (size,) = struct.unpack_from("<I", properties, at + 1)
    return properties[at + 5 : at + 5 + size]


def _pictures(text: str) -> Iterator[Loss]:
    count = sum(map(text.count, _PICTURES))
    if count:
        yield Loss("PICTURE_NOT_READ", "document", f"{count} pictures or drawings have no text to read")


def _embedded(file: Any) -> Iterator[Loss]:
    """Name the files within the file by their storages."""
    names = {path[1] for path in file.listdir(streams=True, storages=True) if path[0] == "ObjectPool" and len(path) > 1}
    for name in sorted(names):
        yield Loss("EMBEDDED_NOT_READ", f"ObjectPool/{name}", "a file within the file is not opened")


def _results(raw: str) -> str:
    """Take fields by their results."""
    kept: list[str] = []
    instructions: list[bool] = []
    begun = 0
    for mark in [*_FIELD_MARKS.finditer(raw), None]:
        end = len(raw) if mark is None else mark.start()
        if not any(instructions):
            kept.append(raw[begun:end])
        begun = end + 1
        if mark is not None:
            _enter(instructions, mark.group())
    return "".join(kept)


def _clean(shown: str) -> str:
    """Make line ends of what ends paragraphs, cells and pages, and drop what is no text."""
    text = _ROW_END.sub("\r", shown)
    return _CONTROLS.sub("", re.sub("[\r\x07\x0b\x0c\x0e\x1e\x1f]", lambda sign: _SIGNS[sign.group()], text))


def _enter(instructions: list[bool], mark: str) -> None:
    """Keep, for each field that is open, whether its instruction is still going on."""
    if mark == "\x13":
        instructions.append(True)
    elif instructions and mark == "\x14":
        instructions[-1] = False
    elif instructions:
        instructions.pop()


def _title(file: Any) -> str | None:
    metadata = file.get_metadata()
    raw, page = metadata.title, metadata.codepage
    if not isinstance(raw, bytes):
        return None
    names = {65001: "utf-8", 1200: "utf-16-le"}
    try:
        title = raw.decode(names.get(page, f"cp{page}"))
    except (LookupError, UnicodeDecodeError):
        title = raw.decode("cp1252", errors="ignore")
    return " ".join(title.replace("\0", " ").split())[:200] or None
