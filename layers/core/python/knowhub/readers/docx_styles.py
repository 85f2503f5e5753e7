"""What a Word document's styles and numberings make of a paragraph: a heading, an item of a list, or plain text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from knowhub.readers.archive_xml import attribute, child, local, value_of

_HEADING_NAME = re.compile(r"heading (\d)\Z", re.IGNORECASE)
_DEEPEST_HEADING = 6
_LONGEST_CHAIN = 12
"""Styles based on each other; a circle ends here too."""
_NO_NUMBER = frozenset({"bullet", "none"})


@dataclass(frozen=True, slots=True)
class ListLevel:
    """Which list a paragraph belongs to and how deep in it."""

    number: str
    level: int


class Styles:
    """The paragraph styles of one document, and where its lists have got to."""

    def __init__(self, styles: Element | None, numbering: Element | None) -> None:
        """Index both parts, either of which may be missing."""
        self._styles = {attribute(style, "styleId") or "": style for style in _all(styles, "style")}
        self._default = next(
            (key for key, style in self._styles.items() if attribute(style, "default") in {"1", "true"}), ""
        )
        self._formats = dict(_formats(numbering))
        self._counts: dict[str, list[int]] = {}

    def prefix(self, properties: Element | None) -> str:
        """Give what stands before the paragraph's text in Markdown."""
        level = self._heading(properties)
        if level:
            return "#" * level + " "
        item = self._list_level(properties)
        return "" if item is None else self._marker(item)

    def is_title(self, properties: Element | None) -> bool:
        """Whether this is the paragraph that names the document."""
        return any((value_of(style, "name") or "").lower() == "title" for style in self._chain(properties))

    def _heading(self, properties: Element | None) -> int:
        """Give the level of a heading from 1, 0 for other paragraphs; what the paragraph itself says comes first."""
        if self.is_title(properties):
            return 1
        for source in (properties, *(child(style, "pPr") for style in self._chain(properties))):
            outline = value_of(source, "outlineLvl")
            if outline is not None:
                return int(outline) + 1 if outline.isdecimal() and int(outline) < _DEEPEST_HEADING else 0
        names = (_HEADING_NAME.match(value_of(style, "name") or "") for style in self._chain(properties))
        return next((min(int(name.group(1)), _DEEPEST_HEADING) for name in names if name), 0)

    def _list_level(self, properties: Element | None) -> ListLevel | None:
        for source in (properties, *(child(style, "pPr") for style in self._chain(properties))):
            number = value_of(source, "numPr", "numId")
            if number is not None:
                level = value_of(source, "numPr", "ilvl") or "0"
                shown = number != "0" and level.isdecimal()
                return ListLevel(number, min(int(level), 8)) if shown else None
        return None

    def _marker(self, item: ListLevel) -> str:
        indent = "  " * item.level
        counts = self._counts.setdefault(item.number, [0] * 9)
        counts[item.level] += 1
        counts[item.level + 1 :] = [0] * (8 - item.level)
        if self._formats.get((item.number, item.level), "decimal") in _NO_NUMBER:
            return f"{indent}- "
        return f"{indent}{counts[item.level]}. "

    def _chain(self, properties: Element | None) -> Iterator[Element]:
        """Walk the paragraph's style and those that it is based on."""
        key = value_of(properties, "pStyle") or self._default
        for _ in range(_LONGEST_CHAIN):
            style = self._styles.get(key)
            if style is None:
                return
            yield style
            key = value_of(style, "basedOn") or ""


def _formats(numbering: Element | None) -> Iterator[tuple[tuple[str, int], str]]:
    """Walk the formats of all lists: by the list's number and level."""
    kinds = {attribute(each, "abstractNumId"): each for each in _all(numbering, "abstractNum")}
    for number in _all(numbering, "num"):
        kind = kinds.get(value_of(number, "abstractNumId"))
        for level in _all(kind, "lvl"):
            at = attribute(level, "ilvl") or ""
            if at.isdecimal():
                yield (attribute(number, "numId") or "", int(at)), value_of(level, "numFmt") or "decimal"


def _all(element: Element | None, name: str) -> list[Element]:
    return [] if element is None else [each for each in element if local(each) == name]
