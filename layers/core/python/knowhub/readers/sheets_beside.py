"""What an Excel workbook has beside its cells: comments, links, lists to choose from, text boxes, headers, footers."""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from knowhub.errors import Unreadable
from knowhub.readers.archive import Archive
from knowhub.readers.archive_graphics import drawing_text, graphic_lines
from knowhub.readers.archive_losses import Tally
from knowhub.readers.archive_parts import Source, escaped
from knowhub.readers.archive_xml import attribute, child, choice, local, main_part, parse

_SHEET_DATA = re.compile(rb"<(?:\w+:)?sheetData\b[^<>]*(?:(?<!/)>.*</(?:\w+:)?sheetData\s*>|(?<=/)>)", re.DOTALL)
_CODE = re.compile(r'&(?:"[^"]*"|K[0-9A-Fa-f+-]{6}|[0-9]+|[A-Za-z])')
_HEADERS = {"Header": ("oddHeader", "evenHeader", "firstHeader"), "Footer": ("oddFooter", "evenFooter", "firstFooter")}
_FEW_WORDS = 2
_CONTROL = re.compile(rb'ObjectType="(?!Note")')
_DRAWN = frozenset({"sp", "cxnSp"})


def sheet_parts(archive: Archive) -> dict[str, Source]:
    """Find the parts of a workbook's sheets by their names; nothing where it does not say them."""
    try:
        book = Source(archive, main_part(archive))
        listed = child(book.root(), "sheets")
    except Unreadable:
        return {}
    found = {}
    for sheet in listed if listed is not None else ():
        part = book.named(next((value for key, value in sheet.items() if key.endswith("}id")), None))
        if part is not None:
            found[attribute(sheet, "name") or ""] = part
    return found


def beside(sheet: Source, where: str, tally: Tally) -> list[str]:
    """Write a sheet's comments and whatever else stands beside its cells, a line each; counts what can't be read."""
    rest = _without_cells(sheet)
    lines = [
        *_comments(sheet, where, tally),
        *_links(rest, sheet),
        *_choices(rest),
        *(line for drawing in sheet.of_kind("drawing") for line in _drawing(drawing, where, tally)),
        *_margins(rest),
    ]
    for controls in sheet.of_kind("vmlDrawing"):
        tally.add("CONTROL_NOT_READ", where, len(_CONTROL.findall(sheet.archive.read(controls.path))))
    return list(dict.fromkeys(filter(None, map(_one_line, lines))))


def _without_cells(sheet: Source) -> Element:
    """Parse a sheet but its cells, of which there may be millions."""
    return parse(_SHEET_DATA.sub(b"", sheet.archive.read(sheet.path), count=1))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _comments(sheet: Source, where: str, tally: Tally) -> Iterator[str]:
    """Write comments; where one is a thread, only the thread: its older form repeats it for older programs."""
    threads = set()
    for part in sheet.of_kind("threadedComment"):
        names = {attribute(each, "id"): attribute(each, "displayName") for each in _persons(sheet.archive)}
        for comment in _parsed(part, where, tally):
            if local(comment) == "threadedComment":
                place = attribute(comment, "ref") or ""
                threads.add(place)
                yield _comment(place, names.get(attribute(comment, "personId")), _words(child(comment, "text")))
    for part in sheet.of_kind("comments"):
        root = _parsed(part, where, tally)
        authors = [each.text or "" for each in root.iter() if local(each) == "author"]
        for comment in root.iter():
            place = attribute(comment, "ref") or ""
            if local(comment) == "comment" and place not in threads:
                number = attribute(comment, "authorId") or ""
                author = authors[int(number)] if number.isdecimal() and int(number) < len(authors) else None
                yield _comment(place, author, _rich_text(comment))


def _comment(place: str, author: str | None, text: str) -> str:
    name = (author or "").strip()
    words = text.strip()
    shown = f" ({name})" if name and not words.startswith(f"{name}:") else ""
    return f"Comment on {place}{shown}: {words}" if words else ""


def _rich_text(element: Element) -> str:
    """Join runs as they stand, without what tells how they are pronounced."""
    parts = []
    for each in element:
        if local(each) == "t":
            parts.append(each.text or "")
        elif local(each) != "rPh":
            parts.append(_rich_text(each))
    return "".join(parts)


def _parsed(part: Source, where: str, tally: Tally) -> Element:
    root = part.root_or_none()
    if root is None:
        tally.add("COMMENTS_NOT_READ", where)
        return Element("none")
    return root


def _persons(archive: Archive) -> Iterator[Element]:
    for name in archive.names:
        if name.startswith("xl/persons/") and name.endswith(".xml"):
            root = Source(archive, name).root_or_none()
            yield from root if root is not None else ()


def _links(rest: Element, sheet: Source) -> Iterator[str]:
    for each in rest.iter():
        if local(each) == "hyperlink":
            address = escaped(sheet.address(attribute(each, "id")))
            yield f"Link in {attribute(each, 'ref')}: {address}" if address else ""


def _choices(rest: Element) -> Iterator[str]:
    """Write the lists that cells offer, if they are written out: those that are cells are read there."""
    for each in rest.iter():
        if local(each) == "dataValidation" and attribute(each, "type") == "list":
            words = _words(child(each, "formula1")).strip()
            if words.startswith('"'):
                entries = ", ".join(entry.strip() for entry in words.strip('"').split(","))
                yield f"Choices for {attribute(each, 'sqref') or _words(child(each, 'sqref'))}: {entries}"


def _words(element: Element | None) -> str:
    return "" if element is None else "".join(element.itertext())


def _drawing(drawing: Source, where: str, tally: Tally) -> Iterator[str]:
    """Write the text of shapes, and descriptions and titles of what is not text."""
    root = drawing.root_or_none()
    if root is None:
        tally.add("PICTURE_NOT_READ", where)
        return
    for each in _inside(root):
        kind = local(each)
        if kind in _DRAWN:
            text = drawing_text(each)
            yield f"Text box: {text}" if text else ""
        elif kind == "pic":
            tally.add("PICTURE_NOT_READ", where)
        elif kind in {"chart", "relIds"} and attribute(each, "id" if kind == "chart" else "dm"):
            lines = graphic_lines(each, drawing, values=False)
            if lines is None:
                tally.add("CHART_NOT_READ", where)
            yield " ".join(lines) if lines and lines != ["Chart"] else ""
        elif kind == "cNvPr" and attribute(each, "descr"):
            yield f"Picture: {attribute(each, 'descr')}"


def _inside(element: Element) -> Iterator[Element]:
    for each in element:
        if local(each) == "AlternateContent":
            yield from _inside(choice(each))
        else:
            yield each
            yield from _inside(each)


def _margins(rest: Element) -> Iterator[str]:
    written = child(rest, "headerFooter")
    for label, kinds in _HEADERS.items():
        for kind in kinds:
            yield margin(label, _words(child(written, kind)))


def margin(label: str, written: str) -> str:
    """Write a header or footer without its codes; one of a page's number and hardly a word is none."""
    text = " ".join("&".join(_CODE.sub(" ", part) for part in written.split("&&")).split())
    is_number = "&P" in written and len(text.split()) <= _FEW_WORDS
    return f"{label}: {text}" if text and not is_number else ""
