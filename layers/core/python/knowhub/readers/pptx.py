"""The presentation reader: slide by slide with its notes, from the file's own XML."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from knowhub.errors import Unreadable
from knowhub.model.document import Loss
from knowhub.model.extraction import Place, ReadDocument
from knowhub.readers.archive import Archive
from knowhub.readers.archive_xml import (
    Related,
    attribute,
    by_kind,
    child,
    embedded_losses,
    local,
    main_part,
    part,
    related,
    title,
)
from knowhub.readers.caps import cap
from knowhub.readers.pptx_shapes import first_title, shapes_text

LIBRARIES = ("xml.etree.ElementTree",)


def read(data: bytes, name: str) -> ReadDocument:  # noqa: ARG001 - every reader is called alike
    """Read the slides in the order they are shown, each under its number, hidden ones marked, notes after the slide.

    No chunk reaches over a slide. A slide that can't be read is the loss `SLIDE_FAILED`; further losses are
    `PICTURE_NOT_READ` and `EMBEDDED_NOT_READ`. Raises `Unreadable` with the reason.
    """
    archive = Archive(data)
    parts: list[str] = []
    places: list[Place] = []
    losses: list[Loss] = []
    length = 0
    name_of_first = None
    for number, path in enumerate(_slides(archive), start=1):
        try:
            slide = part(archive, path)
            text = _slide(archive, path, slide, number)
        except Unreadable as error:
            losses.append(Loss("SLIDE_FAILED", f"slide {number}", error.message))
            continue
        name_of_first = name_of_first or first_title(slide)
        losses.extend(_pictures(slide, number))
        if text:
            parts.append(text)
            places.append(Place(length, length + len(text), slide=number))
            length += len(text)
    if not parts:
        raise Unreadable("no slide has text", {"reason": "NO_TEXT"})
    text, cut = cap("".join(parts))
    return ReadDocument(
        text,
        "fixed",
        title=title(archive) or name_of_first,
        losses=(*losses, *embedded_losses(archive), *cut),
        places=tuple(places),
        breaks=tuple(place.start for place in places),
    )


def _slides(archive: Archive) -> Iterator[str]:
    """Walk the slides' parts in the order of the presentation, which their names need not follow."""
    main = main_part(archive)
    links = related(archive, main)
    listed = child(part(archive, main), "sldIdLst")
    for slide in listed if listed is not None else ():
        link = links.get(_relation(slide), Related("", ""))
        if link.kind == "slide":
            yield link.path


def _relation(slide: Element) -> str:
    """Give the id of the relationship, not the slide's own, which is an attribute without namespace."""
    return next((value for key, value in slide.items() if key.endswith("}id")), "")


def _slide(archive: Archive, path: str, slide: Element, number: int) -> str:
    """Write one slide; nothing where neither it nor its notes have text."""
    hidden = " (hidden)" if attribute(slide, "show") in {"0", "false"} else ""
    text = shapes_text(slide)
    notes = "".join(
        shapes_text(part(archive, place), notes=True)
        for place in by_kind(related(archive, path), "notesSlide")
        if place in archive
    )
    if not text and not notes:
        return ""
    spoken = f"\nNotes: {notes}\n" if notes else ""
    return f"Slide {number}{hidden}\n{text}{chr(10) if text else ''}{spoken}\n"


def _pictures(slide: Element, number: int) -> Iterator[Loss]:
    count = sum(local(each) == "pic" for each in slide.iter())
    charts = sum(local(each) in {"chart", "relIds"} for each in slide.iter())
    if count:
        yield Loss("PICTURE_NOT_READ", f"slide {number}", f"{count} pictures have no text to read")
    if charts:
        yield Loss("CHART_NOT_READ", f"slide {number}", f"{charts} charts or diagrams are not read")
