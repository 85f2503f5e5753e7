"""The blocks of a Word document's body: paragraphs, lists, tables and text boxes, in the order they are read."""

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from knowhub.readers.archive_xml import attribute, child, local, value_of
from knowhub.readers.docx_styles import Styles

_WRAPPERS = frozenset(
    {"sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "hyperlink", "fldSimple", "r", "bdo", "dir", "ruby",
     "rubyBase", "oMath", "oMathPara", "tbl", "txbxContent"}
)  # fmt: skip
"""What only holds other content; text that was deleted or moved away is in elements that are not here."""
_SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_PICTURES = frozenset({"drawing", "pict", "object"})
_WIDEST_TABLE = 1_000
"""Columns that spans may claim; Word itself has 63."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or a table in Markdown; items of a list stand close together."""

    text: str
    is_item: bool = False


class Body:
    """Walks the parts of one document; counts what it can't carry over."""

    def __init__(self, styles: Styles) -> None:
        """Keep the styles."""
        self._styles = styles
        self.pictures = 0
        self.foreign_parts = 0
        self.title: str | None = None

    def text(self, element: Element) -> str:
        """Give all blocks in an element as Markdown."""
        parts: list[str] = []
        was_item = False
        for block in self.blocks(element):
            if parts:
                parts.append("\n" if was_item and block.is_item else "\n\n")
            parts.append(block.text)
            was_item = block.is_item
        return "".join(parts)

    def blocks(self, element: Element) -> Iterator[Block]:
        """Walk the blocks in an element."""
        for each in element:
            kind = local(each)
            if kind == "p":
                yield from self._paragraph(each)
            elif kind == "tbl":
                yield from self._table(each)
            elif kind == "AlternateContent":
                yield from self.blocks(_choice(each))
            elif kind == "altChunk":
                self.foreign_parts += 1
            elif kind in _WRAPPERS:
                yield from self.blocks(each)

    def _paragraph(self, paragraph: Element) -> Iterator[Block]:
        boxes: list[Element] = []
        text = "".join(self._inline(paragraph, boxes)).strip(" \n")
        if text.strip():
            properties = child(paragraph, "pPr")
            prefix = self._styles.prefix(properties)
            is_heading = prefix.startswith("#")
            if self.title is None and is_heading and (prefix == "# " or self._styles.is_title(properties)):
                self.title = " ".join(text.split())
            yield Block(prefix + (" ".join(text.split()) if is_heading else text), bool(prefix) and not is_heading)
        for box in boxes:
            yield from self.blocks(box)

    def _inline(self, element: Element, boxes: list[Element]) -> Iterator[str]:
        """Walk the text within a paragraph as it stands; text boxes are put aside, to follow the paragraph."""
        for each in element:
            kind = local(each)
            if kind == "t":
                yield each.text or ""
            elif kind in _SIGNS:
                yield _SIGNS[kind]
            elif kind in {"footnoteReference", "endnoteReference"}:
                yield f"[^{kind[0]}{attribute(each, 'id')}]"
            elif kind in _PICTURES:
                self._picture(each, boxes)
            elif kind == "AlternateContent":
                yield from self._inline(_choice(each), boxes)
            elif kind in _WRAPPERS or "math" in each.tag:
                yield from self._inline(each, boxes)

    def _picture(self, picture: Element, boxes: list[Element]) -> None:
        found = list(_text_boxes(picture))
        boxes.extend(found)
        self.pictures += not found

    def _table(self, table: Element) -> Iterator[Block]:
        """Write a table; one cell alone is a frame, whose content is read as if it were not there."""
        rows = [self._row(row) for row in _rows(table)]
        width = max(map(len, rows), default=0)
        if width == 1 and len(rows) == 1:
            for row in _rows(table):
                for cell in _cells(row):
                    yield from self.blocks(cell)
        elif any(cell for row in rows for cell in row):
            yield Block("\n".join(_lines(rows, width)))

    def _row(self, row: Element) -> list[str]:
        """Give a row by grid columns: a cell that spans several has its text in the first, the others are empty."""
        properties = child(row, "trPr")
        texts = [""] * _count(value_of(properties, "gridBefore"), 0)
        for cell in _cells(row):
            kept = child(cell, "tcPr")
            merge = child(kept, "vMerge")
            goes_on = merge is not None and (attribute(merge, "val") or "continue") == "continue"
            text = "" if goes_on else " ".join(self.text(cell).split()).replace("|", "\\|")
            texts += [text, *[""] * (_count(value_of(kept, "gridSpan"), 1) - 1)]
        return texts[:_WIDEST_TABLE]


def _lines(rows: list[list[str]], width: int) -> Iterator[str]:
    for at, row in enumerate(rows):
        yield "| " + " | ".join(row + [""] * (width - len(row))) + " |"
        if at == 0:
            yield "|" + " --- |" * width


def _rows(table: Element) -> Iterator[Element]:
    return _inside(table, "tr")


def _cells(row: Element) -> Iterator[Element]:
    return _inside(row, "tc")


def _inside(element: Element, name: str) -> Iterator[Element]:
    """Walk rows or cells, those in content controls too."""
    for each in element:
        kind = local(each)
        if kind == name:
            yield each
        elif kind in {"sdt", "sdtContent", "customXml", "ins"}:
            yield from _inside(each, name)


def _choice(alternatives: Element) -> Element:
    """Take the first of several forms of one thing: the others say the same for older programs."""
    return next(iter(alternatives), alternatives)


def _text_boxes(element: Element) -> Iterator[Element]:
    for each in element:
        if local(each) == "txbxContent":
            yield each
        elif local(each) == "AlternateContent":
            yield from _text_boxes(_choice(each))
        else:
            yield from _text_boxes(each)


def _count(value: str | None, fallback: int) -> int:
    return min(int(value), _WIDEST_TABLE) if value is not None and value.isdecimal() else fallback
