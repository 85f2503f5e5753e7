"""The text of a slide's shapes: title first, then the others from top to bottom, tables by their grid."""

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from knowhub.readers.archive_xml import attribute, child, local

_TITLES = frozenset({"title", "ctrTitle"})
_EVERYWHERE = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})
"""Placeholders that repeat on every slide: number, date, footer, header, and the slide's picture in its notes."""
_SAME_ROW = 228_600
"""A quarter of an inch in the file's own units: shapes no further apart stand on one height."""
_LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class _Shape:
    text: str
    is_title: bool
    top: int | None
    left: int


def shapes_text(slide: Element, *, notes: bool = False) -> str:
    """Give the text of a slide, or of its notes, one paragraph a line."""
    found = list(_shapes(_tree(slide)))
    # The title is a heading of Markdown only on the slide: in notes it would be one of another document.
    titles = [shape.text if notes else f"# {' '.join(shape.text.split())}" for shape in found if shape.is_title]
    others = [shape for shape in found if not shape.is_title]
    return "\n".join([*titles, *(shape.text for shape in _in_order(others))])


def first_title(slide: Element) -> str | None:
    """Give the slide's title, if it has one."""
    words = next((" ".join(shape.text.split()) for shape in _shapes(_tree(slide)) if shape.is_title), "")
    return words[:_LONGEST_TITLE] or None


def _tree(slide: Element) -> Element:
    tree = child(child(slide, "cSld"), "spTree")
    return slide if tree is None else tree


def _in_order(shapes: list[_Shape]) -> list[_Shape]:
    """Sort shapes from top to bottom, then left to right; one without a place keeps to the shape before it."""
    keyed = []
    top, left = 0, 0
    for shape in shapes:
        if shape.top is not None:
            top, left = shape.top // _SAME_ROW, shape.left
        keyed.append((top, left, shape))
    return [shape for _, _, shape in sorted(keyed, key=lambda each: each[:2])]


def _shapes(tree: Element) -> Iterator[_Shape]:
    for each in tree:
        kind = local(each)
        if kind in {"grpSp", "AlternateContent"}:
            yield from _shapes(each if kind == "grpSp" else next(iter(each), each))
        elif kind in {"sp", "graphicFrame", "cxnSp"}:
            placeholder = _placeholder(each)
            text = _text(each)
            if text and placeholder not in _EVERYWHERE:
                top, left = _place(each)
                yield _Shape(text, placeholder in _TITLES, top, left)


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


def _text(shape: Element) -> str:
    table = next((each for each in shape.iter() if local(each) == "tbl"), None)
    if table is not None:
        return "\n".join(_table(table))
    body = child(shape, "txBody")
    lines = [_paragraph(each) for each in (body if body is not None else ()) if local(each) == "p"]
    return "\n".join(line for line in lines if line.strip())


def _paragraph(paragraph: Element) -> str:
    """Join a paragraph's runs as they stand; its level is an indent."""
    properties = child(paragraph, "pPr")
    level = None if properties is None else attribute(properties, "lvl")
    text = "".join(_runs(paragraph)).strip()
    indent = int(level) if level is not None and level.isdecimal() else 0
    return f"{'  ' * min(indent, 8)}- {text}" if indent and text else text


def _runs(paragraph: Element) -> Iterator[str]:
    for each in paragraph.iter():
        kind = local(each)
        if kind == "t":
            yield each.text or ""
        elif kind == "br":
            yield " "
        elif kind == "tab":
            yield "\t"


def _table(table: Element) -> Iterator[str]:
    """Write a table in Markdown; what another cell is merged into stays empty."""
    rows = [[_cell(cell) for cell in row if local(cell) == "tc"] for row in table if local(row) == "tr"]
    width = max(map(len, rows), default=0)
    for at, row in enumerate(rows):
        yield "| " + " | ".join(row + [""] * (width - len(row))) + " |"
        if at == 0:
            yield "|" + " --- |" * width


def _cell(cell: Element) -> str:
    merged = any(attribute(cell, mark) in {"1", "true"} for mark in ("hMerge", "vMerge"))
    return "" if merged else " ".join(_text(cell).split()).replace("|", "\\|")
