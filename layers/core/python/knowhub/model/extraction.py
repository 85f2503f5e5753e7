"""What a reader makes of a document's bytes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from knowhub.model.document import Loss


@dataclass(frozen=True, slots=True)
class Place:
    """Where a range of the extracted text stands in its source; the range is half-open, in code points.

    Pages, rows and slides count from 1. `box` is left, top, right, bottom in points from the top left corner of the
    page as it is shown. `row` is the sheet's row that the first line of the range came from, and each further line of
    the range is the next row.
    """

    start: int
    end: int
    page: int | None = None
    box: tuple[float, float, float, float] | None = None
    sheet: str | None = None
    row: int | None = None
    slide: int | None = None


MOST_ATTACHMENTS = 100
"""Of one document, those within its mails counted with it."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file within a document, which becomes a document of its own.

    `within` is the place, among the document's attachments and before this one, of the mail that holds the file; None
    where the document itself does. `metadata` is what a mail's headers say; other files have none.
    """

    name: str
    content_type: str
    data: bytes
    within: int | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """Extracted text and how to go on with it.

    Locators of its chunks count in `text`, whose lines end with line feeds alone. `chunker_name` is the default chunker
    for this format, and `preserve_lines` says that a line is a record. With it, `header_lines` is how many lines at the
    head of the text, and behind every break, name the fields: later chunks repeat them. `encoding` is how the bytes
    were decoded, None for formats that say it themselves. `losses` tell what could not be carried over. `places` are in
    order of `start` and don't overlap. `breaks` are offsets in `text`, in order, that no chunk reaches over: the starts
    of slides and sheets.
    """

    text: str
    chunker_name: str
    title: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    losses: tuple[Loss, ...] = ()
    encoding: str | None = None
    preserve_lines: bool = False
    header_lines: int = 0
    places: tuple[Place, ...] = ()
    breaks: tuple[int, ...] = ()
    attachments: tuple[Attachment, ...] = ()
