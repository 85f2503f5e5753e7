"""What an OpenDocument spreadsheet has beside its cells' values: comments, links, lists to choose from, shapes."""

import re
from collections.abc import Mapping
from xml.parsers import expat

from knowhub.readers.archive_losses import Tally
from knowhub.readers.archive_parts import escaped
from knowhub.readers.sheets_sparse import column_name

_STEP_BYTES = 256 * 1024
_MOST_REPEATS = 9
"""Digits of a number of repeats."""
_SPACES = re.compile(rb"<text:(?:tab|line-break)\b[^<>]*/>")
_INDENT = re.compile(rb"(?<=>)\s++(?=</?table:)")
_LIST = re.compile(r"cell-content-is-in-list\((.*)\)", re.DOTALL)
_ENTRY = re.compile(r'"((?:[^"]|"")*)"')
_REPLACEMENT = "ObjectReplacements/"
_TEXTS = frozenset({"annotation", "custom-shape", "text-box", "rect", "ellipse", "line", "path", "polygon"})


def spaced(content: bytes) -> bytes:
    """Make spaces of tabs and line ends in cells, which the cell library leaves out, and none of indented XML."""
    return _INDENT.sub(b"", _SPACES.sub(b" ", content))


def beside_tables(content: bytes) -> tuple[dict[str, list[str]], dict[str, Tally]]:
    """Write what is beside the cells, a line each, and count what has no text, by table; the XML is well-formed."""
    walk = _Walk()
    parser = expat.ParserCreate(namespace_separator="}")
    parser.StartElementHandler, parser.EndElementHandler = walk.start, walk.end
    parser.CharacterDataHandler = walk.words
    for start in range(0, len(content), _STEP_BYTES):
        parser.Parse(content[start : start + _STEP_BYTES], False)
    return {name: list(dict.fromkeys(lines)) for name, lines in walk.lines.items()}, walk.tallies


class _Walk:
    """One pass over the content."""

    def __init__(self) -> None:
        self.lines: dict[str, list[str]] = {}
        self.tallies: dict[str, Tally] = {}
        self._tables: list[str] = []
        self._choices: dict[str, str] = {}
        self._row = self._column = self._after_row = self._after_column = 0
        self._open: list[str] = []
        self._text: list[str] = []
        self._is_date = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        kind = name.rpartition("}")[2]
        values = {key.rpartition("}")[2]: value for key, value in attributes.items()} if attributes else {}
        self._is_date = kind == "date"
        if kind in _TEXTS:
            self._open.append(kind)
        elif kind == "table":
            self._tables.append(values.get("name", ""))
            self._row, self._after_row = 0, 1
        elif kind == "table-row":
            self._row, self._after_row = self._row + self._after_row, _repeats(values.get("number-rows-repeated"))
            self._column, self._after_column = 0, 1
        elif kind in {"table-cell", "covered-table-cell"}:
            self._cell(values)
        else:
            self._other(kind, values)

    def end(self, name: str) -> None:
        kind = name.rpartition("}")[2]
        self._is_date = False
        if kind == "table":
            self._tables.pop()
        elif kind in _TEXTS:
            self._open.pop()
            if not self._open:
                self._add(
                    f"Comment on {self._place()}: " if kind == "annotation" else "Text box: ", "".join(self._text)
                )
                self._text.clear()
        elif self._open and kind in {"p", "tab", "line-break", "s", "creator"}:
            self._text.append(" ")

    def words(self, text: str) -> None:
        if self._open and not self._is_date:
            self._text.append(text)

    def _cell(self, values: Mapping[str, str]) -> None:
        self._column += self._after_column
        self._after_column = _repeats(values.get("number-columns-repeated"))
        choices = self._choices.pop(values.get("content-validation-name", ""), "")
        self._add(f"Choices for {self._place()}: ", choices)

    def _other(self, kind: str, values: Mapping[str, str]) -> None:
        if kind == "a" and not self._open:
            self._add(f"Link in {self._place()}: ", escaped(values.get("href", "")))
        elif kind == "content-validation":
            found = _LIST.search(values.get("condition", ""))
            entries = _ENTRY.findall(found.group(1)) if found else []
            self._choices[values.get("name", "")] = ", ".join(entry.replace('""', '"') for entry in entries)
        elif kind == "image" and _REPLACEMENT not in values.get("href", ""):
            self._count("PICTURE_NOT_READ")
        elif kind in {"object", "object-ole"}:
            self._count("CHART_NOT_READ")
        elif kind == "control":
            self._count("CONTROL_NOT_READ")

    def _add(self, label: str, text: str) -> None:
        words = " ".join(text.split())
        if words and self._tables:
            self.lines.setdefault(self._tables[0], []).append(label + words)

    def _count(self, code: str) -> None:
        if self._tables:
            name = self._tables[0]
            self.tallies.setdefault(name, Tally()).add(code, f"sheet {name!r}")

    def _place(self) -> str:
        return f"{column_name(self._column)}{self._row}"


def _repeats(value: str | None) -> int:
    return int(value) if value is not None and value.isdecimal() and len(value) <= _MOST_REPEATS else 1
