"""The blocks of a Word document's parts: paragraphs, lists, tables and text boxes, in the order they are read."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from knowhub.readers.archive_losses import Tally
from knowhub.readers.archive_math import math_text
from knowhub.readers.archive_parts import Source
from knowhub.readers.archive_symbols import has_private, replaced, symbol
from knowhub.readers.archive_xml import attribute, child, choice, local, value_of
from knowhub.readers.docx_drawing import read_drawing
from knowhub.readers.docx_line import Line
from knowhub.readers.docx_styles import Styles

_NOT_SHOWN = frozenset(
    {"del", "moveFrom", "conflictDel", "delText", "delInstrText", "tblGrid", "fldData", "ffData", "annotationRef"}
)
"""With all that ends in `Pr`: what holds no text, or text that was deleted or moved away."""
_SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_REFERENCES = {"footnoteReference": "f", "endnoteReference": "e", "commentReference": "c"}
_PICTURES = frozenset({"drawing", "pict", "object"})
_FOREIGN = frozenset({"altChunk", "subDoc"})
_MARKS = re.compile(r"\[\^\w+\]|\[([^\[\]]*)\]\([^()]*\)")
"""What a heading may hold that is no part of a title: marks of notes, and addresses of links."""
_WIDEST_TABLE = 1_000
"""Columns that spans may claim; Word itself has 63."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or a table in Markdown; items of a list stand close together."""

    text: str
    is_item: bool = False


class Body:
    """Walks one part of a document after the other; counts what it can't carry over."""

    def __init__(self, styles: Styles) -> None:
        """Keep the styles, which are those of all parts."""
        self._styles = styles
        self._source: Source | None = None
        self._where = "document"
        self._paragraphs = 0
        self.tally = Tally()
        self.title: str | None = None

    def part_text(self, source: Source, content: Element, where: str = "") -> str:
        """Give all blocks of a part's content; `where` is its name in losses, else they name the paragraph."""
        self._source, self._where = source, where
        return self.text(content)

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
        """Walk the blocks in an element; one that is not known is looked into, so that no text in it is missed."""
        for each in element:
            kind = local(each)
            if kind == "p":
                yield from self._paragraph(each)
            elif kind == "tbl":
                yield from self._table(each)
            elif kind == "AlternateContent":
                yield from self.blocks(choice(each))
            elif kind in _FOREIGN:
                self.tally.add("FOREIGN_PART_NOT_READ", self._place())
            elif _is_shown(kind):
                yield from self.blocks(each)

    def _paragraph(self, paragraph: Element) -> Iterator[Block]:
        self._paragraphs += 1
        line = Line()
        self._inline(paragraph, line, "")
        text = line.text.strip(" \n")
        if text.strip():
            properties = child(paragraph, "pPr")
            prefix = self._styles.prefix(properties)
            is_heading = prefix.startswith("#")
            if self.title is None and is_heading and (prefix == "# " or self._styles.is_title(properties)):
                self.title = " ".join(_MARKS.sub(r"\1", text).split())
            yield Block(prefix + (" ".join(text.split()) if is_heading else text), bool(prefix) and not is_heading)
        for following in line.after:
            if not isinstance(following, str):
                yield from self.blocks(following)
            elif following.strip():
                yield Block(following)

    def _inline(self, element: Iterable[Element], line: Line, font: str) -> None:
        """Walk what is within a paragraph as it stands; text boxes and charts are put aside, to follow it."""
        for each in element:
            kind = local(each)
            if kind == "t":
                line.add(self._words(each.text or "", font))
            elif kind == "r":
                self._inline(each, line, _font(each))
            elif kind in _SIGNS:
                line.add(_SIGNS[kind])
            elif kind in _REFERENCES:
                line.add(f"[^{_REFERENCES[kind]}{attribute(each, 'id')}]")
            elif kind in _PICTURES:
                self._drawing(each, line)
            elif kind == "AlternateContent":
                self._inline(choice(each), line, font)
            else:
                self._special(kind, each, line, font)

    def _special(self, kind: str, element: Element, line: Line, font: str) -> None:
        """Add what is rarer; an element that is not known is looked into."""
        if kind == "fldChar":
            line.field_mark(element)
        elif kind == "instrText":
            line.instruct(element.text or "")
        elif kind == "sym":
            line.add(self._symbol(element))
        elif kind == "oMath":
            line.add(math_text(element))
        elif kind in _FOREIGN:
            self.tally.add("FOREIGN_PART_NOT_READ", self._place())
        elif _is_shown(kind):
            self._wrapper(kind, element, line, font)

    def _wrapper(self, kind: str, element: Element, line: Line, font: str) -> None:
        """Add what stands within an element; an address makes it a link, brackets show how a word is pronounced."""
        start = line.mark()
        # How a word is pronounced is written before it in the file.
        self._inline(sorted(element, key=_is_pronunciation) if kind == "ruby" else element, line, font)
        if kind == "hyperlink" and self._source is not None:
            line.link(start, self._source.address(attribute(element, "id")))
        elif kind == "rt":
            line.bracket(start)

    def _words(self, text: str, font: str) -> str:
        if not has_private(text):
            return text
        written, unknown = replaced(text, font)
        self.tally.add("SYMBOL_NOT_READ", self._place(), unknown)
        return written

    def _symbol(self, sign: Element) -> str:
        """Give the character for a sign of a symbol font; one that is not known is counted, and stands as U+FFFD."""
        code = attribute(sign, "char") or ""
        try:
            known = symbol(attribute(sign, "font") or "", int(code, 16))
        except ValueError:
            known = None
        self.tally.add("SYMBOL_NOT_READ", self._place(), int(known is None))
        return known or "\ufffd"

    def _drawing(self, drawing: Element, line: Line) -> None:
        if self._source is not None:
            found = read_drawing(drawing, self._source, self.tally, self._place())
            line.after.extend(found.after)
            for words in found.descriptions:
                line.add(f"[Picture: {words}]")

    def _place(self) -> str:
        return self._where or f"paragraph {self._paragraphs}"

    def _table(self, table: Element) -> Iterator[Block]:
        """Write a table; one cell alone is a frame, whose content is read as if it were not there."""
        found = list(_rows(table))
        cells = [list(_inside(row, "tc")) for row in found]
        if [len(row) for row in cells] == [1]:
            yield from self.blocks(cells[0][0])
            return
        rows = [self._row(row, within) for row, within in zip(found, cells, strict=True)]
        if any(cell for row in rows for cell in row):
            yield Block("\n".join(_lines(rows, max(map(len, rows)))))

    def _row(self, row: Element, cells: list[Element]) -> list[str]:
        """Give a row by grid columns: a cell that spans several has its text in the first, the others are empty."""
        properties = child(row, "trPr")
        texts = [""] * _count(value_of(properties, "gridBefore"), 0)
        for cell in cells:
            kept = child(cell, "tcPr")
            merge = child(kept, "vMerge")
            goes_on = merge is not None and (attribute(merge, "val") or "continue") == "continue"
            text = "" if goes_on else " ".join(self.text(cell).split()).replace("|", "\\|")
            texts += [text, *[""] * (_count(value_of(kept, "gridSpan"), 1) - 1)]
        return texts[:_WIDEST_TABLE]


def _is_shown(kind: str) -> bool:
    return kind not in _NOT_SHOWN and not kind.endswith("Pr")


def _is_pronunciation(element: Element) -> bool:
    return local(element) == "rt"


def _font(run: Element) -> str:
    fonts = child(child(run, "rPr"), "rFonts")
    return "" if fonts is None else attribute(fonts, "ascii") or attribute(fonts, "hAnsi") or ""


def _lines(rows: list[list[str]], width: int) -> Iterator[str]:
    for at, row in enumerate(rows):
        yield "| " + " | ".join(row + [""] * (width - len(row))) + " |"
        if at == 0:
            yield "|" + " --- |" * width


def _rows(table: Element) -> Iterator[Element]:
    """Walk the rows but those that were deleted under change tracking."""
    return (row for row in _inside(table, "tr") if child(child(row, "trPr"), "del") is None)


def _inside(element: Element, name: str) -> Iterator[Element]:
    """Walk rows or cells, those in content controls too."""
    for each in element:
        kind = local(each)
        if kind == name:
            yield each
        elif kind not in {"tbl", "tr", "tc", "p"} and _is_shown(kind):
            yield from _inside(each, name)


def _count(value: str | None, fallback: int) -> int:
    return min(int(value), _WIDEST_TABLE) if value is not None and value.isdecimal() else fallback
