"""The PDF reader: text page by page in reading order, each line with its page and box."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from knowhub.errors import Unreadable
from knowhub.model.document import Loss
from knowhub.model.extraction import Place, ReadDocument
from knowhub.readers.caps import MOST_TEXT_BYTES, cap
from knowhub.readers.pdf_layout import Line, arrange
from knowhub.readers.pdf_text import garbled, segments

LIBRARIES = ("pypdfium2",)

MOST_PAGES = 5_000

_ENCRYPTED = 4
"""PDFium's error for a file that needs a password."""
_LONGEST_TITLE = 200


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
    one whose letters stand for nothing, `PAGE_LIMIT` what is behind page 5,000. Raises `Unreadable` for a file that is
    encrypted (`ENCRYPTED`) or damaged (`DAMAGED`), and one of whose pages none has text (`NO_TEXT`).
    """
    document = _open(data)
    try:
        text, losses = _Text(), []
        for number, result in _pages(document):
            if isinstance(result, Loss):
                losses.append(result)
            else:
                text.add_page(number, result)
            if text.length > MOST_TEXT_BYTES:
                losses.append(Loss("TEXT_TRUNCATED", f"after page {number}", "the pages behind it were not read"))
                break
        title = _title(document)
    finally:
        document.close()
    if not text.length:
        raise Unreadable("no page has text: the pages may be pictures of text", {"reason": "NO_TEXT"})
    kept, cut = cap("".join(text.parts))
    losses = [*losses, *cut]
    return ReadDocument(kept, "fixed", title=title, losses=tuple(losses), places=tuple(text.places))


def _open(data: bytes) -> Any:
    import pypdfium2  # type: ignore[import-untyped] # it ships no types # noqa: PLC0415 - only the child has the library

    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _ENCRYPTED:
            raise Unreadable("the file is encrypted: it needs a password", {"reason": "ENCRYPTED"}) from error
        raise Unreadable("the file is damaged: it can't be opened as PDF", {"reason": "DAMAGED"}) from error


def _pages(document: Any) -> Iterator[tuple[int, list[Line] | Loss]]:
    """Walk the pages: the lines of each, or what is lost with it."""
    count = len(document)
    for index in range(min(count, MOST_PAGES)):
        yield index + 1, _page(document, index)
    if count > MOST_PAGES:
        where = f"from page {MOST_PAGES + 1}"
        yield MOST_PAGES + 1, Loss("PAGE_LIMIT", where, f"{count - MOST_PAGES} of {count} pages were not read")


def _page(document: Any, index: int) -> list[Line] | Loss:
    import pypdfium2  # noqa: PLC0415 - as above

    where = f"page {index + 1}"
    try:
        page = document[index]
        try:
            found = segments(page)
        finally:
            page.close()
    except pypdfium2.PdfiumError:
        return Loss("PAGE_FAILED", where, "the page can't be opened")
    lines = arrange(found)
    if not lines:
        return Loss("PAGE_WITHOUT_TEXT", where, "the page has no text layer")
    if garbled("".join(line.text for line in lines)):
        return Loss("PAGE_GARBLED", where, "the letters of the page's text layer stand for nothing")
    return lines


def _title(document: Any) -> str | None:
    title = " ".join(document.get_metadata_value("Title").split())
    return title[:_LONGEST_TITLE].encode(errors="ignore").decode() or None
