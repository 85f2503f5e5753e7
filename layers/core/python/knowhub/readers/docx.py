"""The Word reader (since 2007): body, notes, comments, headers and footers to Markdown."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from knowhub.errors import Unreadable
from knowhub.model.extraction import ReadDocument
from knowhub.readers.archive import Archive
from knowhub.readers.archive_parts import Source
from knowhub.readers.archive_xml import attribute, child, embedded_losses, local, main_part
from knowhub.readers.archive_xml import title as declared_title
from knowhub.readers.caps import cap, require_text
from knowhub.readers.docx_body import Body
from knowhub.readers.docx_styles import Styles

LIBRARIES = ("xml.etree.ElementTree",)

_LONGEST_TITLE = 200
_NOTES = (("footnotes", "footnote"), ("endnotes", "endnote"), ("comments", "comment"))
_SEPARATORS = frozenset({"separator", "continuationSeparator", "continuationNotice"})
_MARGINS = (("header", "headers"), ("footer", "footers"))


def read(data: bytes, name: str) -> ReadDocument:  # noqa: ARG001 - every reader is called alike
    """Read what a reader of the document sees: headings as `#`, lists, tables by their grid, text boxes, notes.

    The text of footnotes, endnotes and comments, then of headers and footers, each once, follows the body. Deleted text
    under change tracking is not read. Losses are `PICTURE_NOT_READ`, `CHART_NOT_READ`, `SYMBOL_NOT_READ`,
    `EMBEDDED_NOT_READ` and `FOREIGN_PART_NOT_READ`. Raises `Unreadable` with the reason.
    """
    archive = Archive(data)
    main = Source(archive, main_part(archive))
    body = Body(Styles(_optional(main, "styles"), _optional(main, "numbering")))
    content = child(main.root(), "body")
    if content is None:
        raise Unreadable("the file's document has no body", {"reason": "PART_MISSING"})
    parts = [body.part_text(main, content), *_notes(main, body), *_margins(main, body)]
    text, cut = cap("\n\n".join(filter(None, parts)))
    require_text(text)
    title = declared_title(archive) or body.title
    return ReadDocument(
        text,
        "fixed",
        title=title[:_LONGEST_TITLE] if title else None,
        losses=(*body.tally.losses(), *embedded_losses(archive), *cut),
    )


def _optional(main: Source, kind: str) -> Element | None:
    found = main.of_kind(kind)
    return found[0].root() if found else None


def _notes(main: Source, body: Body) -> Iterator[str]:
    """Walk the notes, each under the mark that stands for it in the body."""
    for kind, each in _NOTES:
        for source in main.of_kind(kind):
            for note in source.root():
                if local(note) == each and attribute(note, "type") not in _SEPARATORS:
                    text = " ".join(body.part_text(source, note, kind).split())
                    yield f"[^{each[0]}{attribute(note, 'id')}]: {_author(note)}{text}" if text else ""


def _author(note: Element) -> str:
    author = " ".join((attribute(note, "author") or "").split())
    return f"{author}: " if author else ""


def _margins(main: Source, body: Body) -> list[str]:
    """Give the texts of headers and footers, those that sections share once."""
    texts = [body.part_text(source, source.root(), where) for kind, where in _MARGINS for source in main.of_kind(kind)]
    return list(dict.fromkeys(texts))
