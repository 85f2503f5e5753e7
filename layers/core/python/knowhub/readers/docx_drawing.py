"""What a drawing in a Word document has in words: text boxes, descriptions, charts, diagrams, decorated letters."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from knowhub.readers.archive_graphics import drawing_text, graphic_lines
from knowhub.readers.archive_losses import Tally
from knowhub.readers.archive_parts import Source
from knowhub.readers.archive_xml import attribute, choice, local

_DESCRIBED = frozenset({"docPr", "cNvPr", "shape", "rect", "roundrect", "oval", "line", "group", "polyline", "arc"})
_PICTURES = frozenset({"pic", "imagedata"})
_WHOLE = frozenset({"txbxContent", "txBody", "chart", "relIds"})
"""What is read as a whole, and not looked into for pictures."""


@dataclass(slots=True)
class Drawing:
    """What was found: descriptions for the place of the drawing, and boxes and lines to follow the paragraph."""

    descriptions: list[str] = field(default_factory=list)
    after: list[Element | str] = field(default_factory=list)


def read_drawing(drawing: Element, source: Source, tally: Tally, where: str) -> Drawing:
    """Read a drawing; pictures, and charts whose part is missing, are counted."""
    found = Drawing()
    pictures, is_empty = 0, True
    for each in _inside(drawing):
        kind = local(each)
        if kind == "txbxContent":
            found.after.append(each)
        elif kind == "txBody":
            found.after.append(drawing_text(each))
        elif kind == "textpath":
            found.after.append(attribute(each, "string") or "")
        elif kind in {"chart", "relIds"}:
            _add_graphic(found, each, source, tally, where)
        elif kind in _DESCRIBED:
            _describe(found, each)
            continue
        elif kind in _PICTURES:
            pictures += 1
        else:
            continue
        is_empty = False
    tally.add("PICTURE_NOT_READ", where, pictures or int(is_empty))
    return found


def _add_graphic(found: Drawing, frame: Element, source: Source, tally: Tally, where: str) -> None:
    lines = graphic_lines(frame, source)
    if lines is None:
        tally.add("CHART_NOT_READ", where)
    else:
        found.after.append("\n".join(lines))


def _describe(found: Drawing, element: Element) -> None:
    words = " ".join((attribute(element, "descr") or attribute(element, "alt") or "").split())
    if words and words not in found.descriptions:
        found.descriptions.append(words)


def _inside(element: Element) -> Iterator[Element]:
    for each in element:
        if local(each) == "AlternateContent":
            yield from _inside(choice(each))
        else:
            yield each
            if local(each) not in _WHOLE:
                yield from _inside(each)
