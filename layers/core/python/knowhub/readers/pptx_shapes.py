"""The text of a slide's shapes: title first, then the others from top to bottom, tables by their grid."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from xml.etree.ElementTree import Element

from knowhub.readers.archive_graphics import graphic_lines
from knowhub.readers.archive_losses import Tally
from knowhub.readers.archive_math import math_text
from knowhub.readers.archive_parts import Source, link
from knowhub.readers.archive_xml import attribute, child, choice, local

_TITLES = frozenset({"title", "ctrTitle"})
_FOOTERS = frozenset({"ftr", "hdr"})
_EVERYWHERE = frozenset({"sldNum", "dt", "sldImg"})
"""Placeholders that a program fills: number, date, and the slide's picture in its notes."""
_SHAPES = frozenset({"sp", "cxnSp", "graphicFrame", "pic", "contentPart"})
_SAME_ROW = 228_600
"""A quarter of an inch in the file's own units: shapes no further apart stand on one height."""
_LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class _Shape:
    text: str
    placeholder: str
    top: int | None
    left: int


class Slide:
    """The shapes of a slide, of its notes, or of its layout."""

    def __init__(self, root: Element, source: Source, tally: Tally, where: str) -> None:
        """Keep the part, and where to count what it can't carry over."""
        self._root = root
        self._source = source
        self._tally = tally
        self._where = where

    @property
    def title(self) -> str | None:
        """The slide's title, if it has one."""
        found = (" ".join(shape.text.split()) for shape in self._found if shape.placeholder in _TITLES)
        return next(found, "")[:_LONGEST_TITLE] or None

    def text(self) -> str:
        """Give the text of a slide, one paragraph a line, its title as a heading."""
        titles = [f"# {' '.join(shape.text.split())}" for shape in self._found if shape.placeholder in _TITLES]
        others = [shape for shape in self._found if shape.placeholder not in _TITLES | _FOOTERS]
        return "\n".join([*titles, *(shape.text for shape in _in_order(others))])

    def notes(self) -> str:
        """Give the text of notes; what is a title in them is none of the slide."""
        return "\n".join(shape.text for shape in self._found if shape.placeholder not in _FOOTERS)

    def footers(self) -> list[str]:
        """Give what stands at the slide's foot or head."""
        return [shape.text for shape in self._found if shape.placeholder in _FOOTERS]

    def own_words(self) -> list[str]:
        """Give the text of a layout that its slides show: that of placeholders only says what they are for."""
        return [shape.text for shape in self._found if not shape.placeholder]

    @cached_property
    def _found(self) -> list[_Shape]:
        tree = child(child(self._root, "cSld"), "spTree")
        return list(self._shapes(self._root if tree is None else tree))

    def _shapes(self, tree: Element) -> Iterator[_Shape]:
        for each in tree:
            kind = local(each)
            if kind in {"grpSp", "AlternateContent"}:
                yield from self._shapes(each if kind == "grpSp" else choice(each))
            elif kind in _SHAPES:
                placeholder = _placeholder(each)
                text = "" if placeholder in _EVERYWHERE else self._text(each)
                if text:
                    top, left = _place(each)
                    yield _Shape(text, placeholder, top, left)

    def _text(self, shape: Element) -> str:
        """Write a shape: its table, chart or diagram, else its paragraphs; a picture by its description."""
        inside = list(_inside(shape))
        table = next((each for each in inside if local(each) == "tbl"), None)
        if table is not None:
            return "\n".join(self._table(table))
        described = self._description(shape, inside)
        graphics = "\n".join(line for each in inside for line in self._graphic(each))
        body = child(shape, "txBody")
        lines = [self._paragraph(each) for each in (body if body is not None else ()) if local(each) == "p"]
        return "\n".join(line for line in (described, graphics, *lines) if line.strip())

    def _graphic(self, element: Element) -> list[str]:
        if local(element) not in {"chart", "relIds"}:
            return []
        lines = graphic_lines(element, self._source)
        self._tally.add("CHART_NOT_READ", self._where, int(lines is None))
        return lines or []

    def _description(self, shape: Element, inside: list[Element]) -> str:
        """Give what is said of a picture or of another shape that is not text; the picture itself is counted."""
        pictures = int(local(shape) in {"pic", "contentPart"}) + sum(local(each) == "pic" for each in inside)
        self._tally.add("PICTURE_NOT_READ", self._where, pictures)
        properties = next((each for part in shape for each in part if local(each) == "cNvPr"), None)
        words = " ".join(((attribute(properties, "descr") if properties is not None else "") or "").split())
        return f"[Picture: {words}]" if words else ""

    def _paragraph(self, paragraph: Element) -> str:
        """Join a paragraph's runs as they stand; its level is an indent."""
        properties = child(paragraph, "pPr")
        level = None if properties is None else attribute(properties, "lvl")
        text = "".join(self._runs(paragraph)).strip()
        indent = int(level) if level is not None and level.isdecimal() else 0
        return f"{'  ' * min(indent, 8)}- {text}" if indent and text else text

    def _runs(self, paragraph: Element) -> Iterator[str]:
        for each in paragraph:
            kind = local(each)
            if kind == "AlternateContent":
                yield from self._runs(choice(each))
            elif kind == "oMath":
                yield math_text(each)
            elif kind == "t":
                yield each.text or ""
            elif kind in {"br", "tab"}:
                yield " " if kind == "br" else "\t"
            elif kind == "r":
                click = child(child(each, "rPr"), "hlinkClick")
                words = "".join(self._runs(each))
                yield words if click is None else link(words, self._source.address(attribute(click, "id")))
            else:
                yield from self._runs(each)

    def _table(self, table: Element) -> Iterator[str]:
        """Write a table in Markdown; what another cell is merged into stays empty."""
        rows = [[self._cell(cell) for cell in row if local(cell) == "tc"] for row in table if local(row) == "tr"]
        width = max(map(len, rows), default=0)
        for at, row in enumerate(rows):
            yield "| " + " | ".join(row + [""] * (width - len(row))) + " |"
            if at == 0:
                yield "|" + " --- |" * width

    def _cell(self, cell: Element) -> str:
        merged = any(attribute(cell, mark) in {"1", "true"} for mark in ("hMerge", "vMerge"))
        return "" if merged else " ".join(self._text(cell).split()).replace("|", "\\|")


def _in_order(shapes: list[_Shape]) -> list[_Shape]:
    """Sort shapes from top to bottom, then left to right; one without a place keeps to the shape before it."""
    keyed = []
    top, left = 0, 0
    for shape in shapes:
        if shape.top is not None:
            top, left = shape.top // _SAME_ROW, shape.left
        keyed.append((top, left, shape))
    return [shape for _, _, shape in sorted(keyed, key=lambda each: each[:2])]


def _inside(element: Element) -> Iterator[Element]:
    """Walk all in a shape, of several forms of one thing the first."""
    for each in element:
        if local(each) == "AlternateContent":
            yield from _inside(choice(each))
        else:
            yield each
            yield from _inside(each)


def _placeholder(shape: Element) -> str:
    """Give the type of the placeholder that a shape fills; nothing for other shapes."""
    for properties in shape:
        mark = child(child(properties, "nvPr"), "ph")
        if mark is not None:
            return attribute(mark, "type") or "body"
    return ""


def _place(shape: Element) -> tuple[int | None, int]:
    for each in shape.iter():
        if local(each) == "off":
            x, y = attribute(each, "x") or "", attribute(each, "y") or ""
            if x.lstrip("-").isdecimal() and y.lstrip("-").isdecimal():
                return int(y), int(x)
    return None, 0
