"""What is looked for in a workbook's archive beside its cells: what the cell library leaves out without a word."""

import re
from collections.abc import Callable, Iterator

from knowhub.errors import Unreadable
from knowhub.model.document import Loss
from knowhub.readers.archive import Archive
from knowhub.readers.archive_prolog import refuse_broken

# Each stays within one tag, or between two, so that none reads anything twice.
_ERROR = re.compile(rb'<(?:\w+:)?c\s[^<>]*\bt="e"')
_FORMULA_ALONE = re.compile(rb"<(?:\w+:)?f\b(?:[^<>]*/>|[^<>]*>[^<>]*</(?:\w+:)?f>)\s*</(?:\w+:)?c>")
_FORMULA_EMPTY = re.compile(
    rb"<(?:\w+:)?c\b(?![^<>]*\bt=[\"']str[\"'])[^<>]*+>\s*+"
    rb"<(?:\w+:)?f\b(?:[^<>]*+(?<=/)>|[^<>]*+>[^<>]*+</(?:\w+:)?f>)\s*+"
    rb"<(?:\w+:)?v\b(?:[^<>]*+(?<=/)>|[^<>]*+>\s*+</(?:\w+:)?v>)\s*+</(?:\w+:)?c>"
)
"""An empty value behind a formula: a result in a cell of text (`t="str"`), none in any other."""
_CELL = re.compile(rb'<(?:\w+:)?c\s[^<>]*?\br="([A-Za-z]{1,16})([0-9]{1,16})"[^<>]*(?<!/)>')
_HIDDEN_STYLE = re.compile(
    rb'<style:style\s[^<>]*\bstyle:name="([^"<>]*)"[^<>]*>\s*<style:table-properties\s[^<>]*\btable:display="false"'
)
_TABLE = re.compile(rb"<table:table\s([^<>]*)>")
_TABLE_NAME = re.compile(rb'\btable:name="([^"<>]*)"')
_TABLE_STYLE = re.compile(rb'\btable:style-name="([^"<>]*)"')
_MOST_ROOM = 20_000_000
"""Cells, empty ones too, between the outermost of a sheet: the cell library makes room for all of them."""
_ENTITIES = ((b"&lt;", b"<"), (b"&gt;", b">"), (b"&quot;", b'"'), (b"&apos;", b"'"), (b"&amp;", b"&"))


def is_wanted(name: str) -> bool:
    """Whether a part is one of text: pictures and files within the file are not even inflated."""
    return name.endswith((".xml", ".rels")) or name == "mimetype"


def survey(archive: Archive) -> tuple[list[Loss], frozenset[str]]:
    """Read every part once: what is lost with its cells, and which tables of an OpenDocument file are not shown.

    Raises `Unreadable` where a part has a document type or is no XML.
    """
    losses: list[Loss] = []
    hidden: frozenset[str] = frozenset()
    for name in archive.names:
        if name == "mimetype":
            continue
        content = archive.read(name)
        # The cell library loops for ever over some XML that ends too early.
        refuse_broken(content)
        if name.startswith("xl/worksheets/") and name.endswith(".xml"):
            _refuse_room(name, content)
            losses.extend(_lost_cells(name, content))
        elif name == "content.xml":
            hidden = _hidden_tables(content)
    return losses, hidden


def _refuse_room(name: str, content: bytes) -> None:
    """Raise `Unreadable` for a sheet with cells so far apart that the room between them would not fit in memory."""
    columns: set[bytes] = set()
    first, last = 0, 0
    for match in _CELL.finditer(content):
        columns.add(match.group(1))
        row = int(match.group(2))
        first, last = min(first or row, row), max(last, row)
    numbers = [_column(letters) for letters in columns]
    if numbers and (max(numbers) - min(numbers) + 1) * (last - first + 1) > _MOST_ROOM:
        raise Unreadable(f"the cells of {name!r} are too far apart", {"reason": "TOO_SPARSE"})


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - ord("A") + 1
    return number


def _lost_cells(name: str, content: bytes) -> Iterator[Loss]:
    """Count the cells whose value is an error or was never calculated."""
    count = sum(1 for _ in _ERROR.finditer(content))
    if count:
        yield Loss("CELL_ERROR", name, f"{count} cells with an error are empty here")
    count = sum(1 for pattern in (_FORMULA_ALONE, _FORMULA_EMPTY) for _ in pattern.finditer(content))
    if count:
        yield Loss("FORMULA_WITHOUT_VALUE", name, f"{count} formulas saved without a result are empty here")


def _hidden_tables(content: bytes) -> frozenset[str]:
    styles = set(_HIDDEN_STYLE.findall(content))
    return frozenset(
        _text(name)
        for attributes in _TABLE.findall(content)
        if _first(_TABLE_STYLE.search, attributes) in styles and (name := _first(_TABLE_NAME.search, attributes))
    )


def _first(search: Callable[[bytes], re.Match[bytes] | None], attributes: bytes) -> bytes:
    match = search(attributes)
    return match.group(1) if match else b""


def _text(raw: bytes) -> str:
    for written, meant in _ENTITIES:
        raw = raw.replace(written, meant)
    return raw.decode(errors="replace")
