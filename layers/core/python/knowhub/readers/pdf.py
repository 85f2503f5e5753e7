"""The PDF reader: text page by page in reading order, each line with its page and box."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from knowhub.errors import Unreadable
from knowhub.model.document import Loss
from knowhub.model.extraction import Place, ReadDocument
from knowhub.readers.archive_losses import Tally
from knowhub.readers.caps import MOST_TEXT_BYTES, cap
from knowhub.readers.pdf_layout import Line, arrange
from knowhub.readers.pdf_notes import Found, annotations, form_of, is_foreign_form, pictures
from knowhub.readers.pdf_text import Segment, garbled, placing, segments
from knowhub.readers.pdf_turns import Box, Size, shown_size, upright

LIBRARIES = ("pypdfium2",)

MOST_PAGES = 5_000

_ENCRYPTED = 4
"""PDFium's error for a file that needs a password."""
_LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class Page:
    """What came of a page."""

    lines: list[Line]
    losses: tuple[Loss, ...] = ()
    pictures: int = 0


class _Text:
    """The text so far and where its lines come from."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.places: list[Place] = []
        self.length = 0

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def add_page(self, number: int, lines: list[Line]) -> None:
        if self.length:
            self.add("\n\n")
        for line, following in pairwise([*lines, None]):
            if line is not None:
                start = self.length
                self.add(line.text)
                self.places.append(Place(start, self.length, page=number, box=line.box))
                self.add(line.ending if following is not None else "")


def read(data: bytes, name: str) -> ReadDocument:  # noqa: ARG001 - every reader is called alike
    """Read the pages that can be read; the others are losses.

    `PAGE_FAILED` is a page that can't be opened, `PAGE_WITHOUT_TEXT` one without a text layer (a scan), `PAGE_GARBLED`
    one whose letters stand for nothing, `PAGE_LIMIT` what is behind page 5,000. Text that stands sideways follows that
    which is level, then that at another angle, which is the loss `TEXT_AT_AN_ANGLE`. Values of form fields and comments
    follow a page's text; `ANNOTATION_LIMIT` is what is too much of them, `FORM_NOT_READ` a form in another language.
    `PICTURE_NOT_READ` counts pictures, `ATTACHMENT_NOT_READ` names or counts files within the file. Raises `Unreadable`
    for a file that is encrypted (`ENCRYPTED`) or damaged (`DAMAGED`), and one of whose pages none has text (`NO_TEXT`).
    """
    document = _open(data)
    try:
        text, losses, shown = _Text(), [*_files(document), *_foreign_form(document)], Tally()
        for number, result in _pages(document):
            losses += result.losses
            shown.add("PICTURE_NOT_READ", f"page {number}", result.pictures)
            if result.lines:
                text.add_page(number, result.lines)
            if text.length > MOST_TEXT_BYTES:
                losses.append(Loss("TEXT_TRUNCATED", f"after page {number}", "the pages behind it were not read"))
                break
        title = _title(document)
    finally:
        document.close()
    if not text.length:
        raise Unreadable("no page has text: the pages may be pictures of text", {"reason": "NO_TEXT"})
    kept, cut = cap("".join(text.parts))
    losses = [*losses, *shown.losses(), *cut]
    return ReadDocument(kept, "fixed", title=title, losses=tuple(losses), places=tuple(text.places))


def _open(data: bytes) -> Any:
    import pypdfium2  # type: ignore[import-untyped] # it ships no types # noqa: PLC0415 - only the child has the library

    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _ENCRYPTED:
            raise Unreadable("the file is encrypted: it needs a password", {"reason": "ENCRYPTED"}) from error
        raise Unreadable("the file is damaged: it can't be opened as PDF", {"reason": "DAMAGED"}) from error


def _pages(document: Any) -> Iterator[tuple[int, Page]]:
    """Walk the pages: the lines of each, and what is lost with it."""
    count, form = len(document), form_of(document)
    for index in range(min(count, MOST_PAGES)):
        yield index + 1, _page(document, index, form)
    if count > MOST_PAGES:
        where = f"from page {MOST_PAGES + 1}"
        left_out = f"{count - MOST_PAGES} of {count} pages were not read"
        yield MOST_PAGES + 1, Page([], (Loss("PAGE_LIMIT", where, left_out),))


def _page(document: Any, index: int, form: Any) -> Page:
    import pypdfium2  # noqa: PLC0415 - as above

    where = f"page {index + 1}"
    try:
        page = document[index]
        try:
            (found, left_out), size = segments(page), shown_size(page)
            beside, images = annotations(page, form, placing(page)), pictures(page)
        finally:
            page.close()
    except pypdfium2.PdfiumError:
        return Page([], (Loss("PAGE_FAILED", where, "the page can't be opened"),))
    lines = _lines(found, size)
    losses = [*_text_losses(lines, found, left_out, where), *_beside_losses(beside, where)]
    if losses and losses[0].code == "PAGE_GARBLED":
        lines = []
    lines += [Line(note.text, note.box, "\n") for note in beside.notes]
    return Page(lines, tuple(losses), images)


def _text_losses(lines: list[Line], found: list[Segment], left_out: int, where: str) -> Iterator[Loss]:
    if not lines:
        yield Loss("PAGE_WITHOUT_TEXT", where, "the page has no text layer")
    elif garbled("".join(line.text for line in lines)):
        yield Loss("PAGE_GARBLED", where, "the letters of the page's text layer stand for nothing")
    skew = sum(len(one.text) for one in found if one.is_skew)
    if skew:
        yield Loss("TEXT_AT_AN_ANGLE", where, f"{skew} characters stand at an angle: their order may be wrong")
    if left_out:
        yield Loss("TEXT_TRUNCATED", where, f"{left_out} characters of the page were not read")


def _beside_losses(beside: Found, where: str) -> Iterator[Loss]:
    if beside.files:
        yield Loss("ATTACHMENT_NOT_READ", where, f"{beside.files} files or recordings on the page are not read")
    if beside.left_out:
        yield Loss("ANNOTATION_LIMIT", where, f"{beside.left_out} fields or comments were not read")


def _lines(found: list[Segment], size: Size) -> list[Line]:
    """Arrange the text of each turn by itself, level text first, and at the end what stands at another angle."""
    lines: list[Line] = []
    for turn in range(4):
        level = arrange([segment for segment in found if segment.turn == turn and not segment.is_skew])
        lines += [replace(line, box=_rounded(upright(line.box, turn, size))) for line in level] if turn else level
    skewed = (segment for segment in found if segment.is_skew)
    return lines + [
        Line(segment.text.strip(), _rounded(upright(segment.box, segment.turn, size)), "\n") for segment in skewed
    ]


def _foreign_form(document: Any) -> Iterator[Loss]:
    if is_foreign_form(document):
        yield Loss("FORM_NOT_READ", "document", "the form is one of XFA: its fields are not in its pages")


def _rounded(box: Box) -> Box:
    left, top, right, bottom = (round(edge, 2) for edge in box)
    return left, top, right, bottom


def _files(document: Any) -> Iterator[Loss]:
    """Name the files that lie within the file: they are not read."""
    for index in range(document.count_attachments()):
        name = document.get_attachment(index).get_name()
        yield Loss("ATTACHMENT_NOT_READ", name[:_LONGEST_TITLE], "a file within the PDF is not read")


def _title(document: Any) -> str | None:
    title = " ".join(document.get_metadata_value("Title").split())
    return title[:_LONGEST_TITLE].encode(errors="ignore").decode() or None
