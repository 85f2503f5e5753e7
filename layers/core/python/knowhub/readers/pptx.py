"""The presentation reader: slide by slide with its notes and comments, from the file's own XML."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from knowhub.errors import Unreadable
from knowhub.model.document import Loss
from knowhub.model.extraction import Place, ReadDocument
from knowhub.readers.archive import Archive
from knowhub.readers.archive_losses import Tally
from knowhub.readers.archive_parts import Source
from knowhub.readers.archive_xml import attribute, child, embedded_losses, main_part, title
from knowhub.readers.caps import cap
from knowhub.readers.pptx_comments import authors, comments
from knowhub.readers.pptx_shapes import Slide

LIBRARIES = ("xml.etree.ElementTree",)


def read(data: bytes, name: str) -> ReadDocument:  # noqa: ARG001 - every reader is called alike
    """Read the slides in the order they are shown, each under its number, hidden ones marked.

    Notes and comments follow their slide; words of layouts, and footers, stand on the first slide that shows them. No
    chunk reaches over a slide. A slide that can't be read is the loss `SLIDE_FAILED`; further losses are
    `PICTURE_NOT_READ`, `CHART_NOT_READ`, `COMMENTS_NOT_READ` and `EMBEDDED_NOT_READ`. Raises `Unreadable`.
    """
    archive = Archive(data)
    show = _Show(Source(archive, main_part(archive)))
    parts: list[str] = []
    places: list[Place] = []
    length = 0
    for number, source in enumerate(show.slides(), start=1):
        text = show.text(source, number)
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
        title=title(archive) or show.title,
        losses=(*show.losses, *embedded_losses(archive), *cut),
        places=tuple(places),
        breaks=tuple(place.start for place in places),
    )


class _Show:
    """One presentation: what its slides share, and what was lost so far."""

    def __init__(self, main: Source) -> None:
        self.losses: list[Loss] = []
        self.title: str | None = None
        self._main = main
        self._authors = authors(main)
        self._shared: set[str] = set()

    def slides(self) -> Iterator[Source]:
        """Walk the slides in the order of the presentation, which their names need not follow."""
        listed = child(self._main.root(), "sldIdLst")
        for slide in listed if listed is not None else ():
            identity = _relation(slide)
            link = self._main.links.get(identity)
            if link is not None and link.kind == "slide":
                yield Source(self._main.archive, link.path)

    def text(self, source: Source, number: int) -> str:
        """Write one slide; nothing where nothing of it has text, or it can't be read."""
        where, tally = f"slide {number}", Tally()
        try:
            written = self._slide(source, number, tally)
        except Unreadable as error:
            self.losses.append(Loss("SLIDE_FAILED", where, error.message))
            return ""
        self.losses.extend(tally.losses())
        return written

    def _slide(self, source: Source, number: int, tally: Tally) -> str:
        where = f"slide {number}"
        root = source.root()
        slide = Slide(root, source, tally, where)
        self.title = self.title or slide.title
        notes = [
            f"Notes: {text}"
            for note in source.of_kind("notesSlide")
            if (text := Slide(note.root(), note, tally, where).notes())
        ]
        said = comments(source, self._authors, tally, where)
        shown = "\n".join(filter(None, [slide.text(), *self._once(slide, source, tally, where)]))
        if not (shown or notes or said):
            return ""
        hidden = " (hidden)" if attribute(root, "show") in {"0", "false"} else ""
        head = f"Slide {number}{hidden}\n{shown}{chr(10) if shown else ''}"
        return head + "".join(f"\n{block}\n" for block in (*notes, *said)) + "\n"

    def _once(self, slide: Slide, source: Source, tally: Tally, where: str) -> Iterator[str]:
        """Give what many slides show, its first time: footers, and the words of the layout and its master."""
        texts = [*slide.footers()]
        for layout in source.of_kind("slideLayout"):
            for behind in (layout, *layout.of_kind("slideMaster")):
                if behind.path not in self._shared:
                    self._shared.add(behind.path)
                    root = behind.root_or_none()
                    texts += [] if root is None else Slide(root, behind, tally, where).own_words()
        for text in texts:
            if text not in self._shared:
                self._shared.add(text)
                yield text


def _relation(slide: Element) -> str:
    """Give the id of the relationship, not the slide's own, which is an attribute without namespace."""
    return next((value for key, value in slide.items() if key.endswith("}id")), "")
