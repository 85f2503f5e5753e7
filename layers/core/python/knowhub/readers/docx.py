"""The Word reader (since 2007): body, footnotes, headers and footers to Markdown."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from knowhub.errors import Unreadable
from knowhub.model.document import Loss
from knowhub.model.extraction import ReadDocument
from knowhub.readers.archive import Archive
from knowhub.readers.archive_xml import Related, attribute, by_kind, child, embedded_losses, local, main_part, part
from knowhub.readers.archive_xml import related as related_parts
from knowhub.readers.archive_xml import title as declared_title
from knowhub.readers.caps import cap, require_text
from knowhub.readers.docx_body import Body
from knowhub.readers.docx_styles import Styles

LIBRARIES = ("xml.etree.ElementTree",)

_LONGEST_TITLE = 200
_NOTES = (("footnotes", "footnote"), ("endnotes", "endnote"))
_SEPARATORS = frozenset({"separator", "continuationSeparator", "continuationNotice"})


def read(data: bytes, name: str) -> ReadDocument:  # noqa: ARG001 - every reader is called alike
    """Read what a reader of the document sees: headings as `#`, lists, tables by their grid, text boxes, notes.

    The text of footnotes, then of headers and footers, each once, follows the body. Deleted text under change tracking
    is not read. Losses are `PICTURE_NOT_READ`, `COMMENTS_NOT_READ`, `EMBEDDED_NOT_READ` and `FOREIGN_PART_NOT_READ`.
    Raises `Unreadable` with the reason.
    """
    archive = Archive(data)
    main = main_part(archive)
    related = related_parts(archive, main)
    body = Body(Styles(_optional(archive, related, "styles"), _optional(archive, related, "numbering")))
    content = child(part(archive, main), "body")
    if content is None:
        raise Unreadable("the file's document has no body", {"reason": "PART_MISSING"})
    parts = [body.text(content), *_notes(archive, related, body), *_margins(archive, related, body)]
    text, cut = cap("\n\n".join(filter(None, parts)))
    require_text(text)
    title = declared_title(archive) or body.title
    return ReadDocument(
        text,
        "fixed",
        title=title[:_LONGEST_TITLE] if title else None,
        losses=(*_losses(related, body), *embedded_losses(archive), *cut),
    )


def _optional(archive: Archive, related: dict[str, Related], kind: str) -> Element | None:
    path = next(by_kind(related, kind), None)
    return part(archive, path) if path is not None and path in archive else None


def _notes(archive: Archive, related: dict[str, Related], body: Body) -> Iterator[str]:
    """Walk the notes, each under the mark that stands for it in the body."""
    for kind, each in _NOTES:
        notes = _optional(archive, related, kind)
        for note in notes if notes is not None else ():
            if local(note) == each and attribute(note, "type") not in _SEPARATORS:
                text = " ".join(body.text(note).split())
                yield f"[^{each[0]}{attribute(note, 'id')}]: {text}" if text else ""


def _margins(archive: Archive, related: dict[str, Related], body: Body) -> list[str]:
    """Give the texts of headers and footers, those that sections share once."""
    paths = [path for kind in ("header", "footer") for path in by_kind(related, kind) if path in archive]
    return list(dict.fromkeys(body.text(part(archive, path)) for path in paths))


def _losses(related: dict[str, Related], body: Body) -> Iterator[Loss]:
    if body.pictures:
        yield Loss("PICTURE_NOT_READ", "document", f"{body.pictures} pictures or drawings have no text to read")
    if body.foreign_parts:
        yield Loss("FOREIGN_PART_NOT_READ", "document", f"{body.foreign_parts} inserted files are not read")
    if any(link.kind == "comments" for link in related.values()):
        yield Loss("COMMENTS_NOT_READ", "document", "the comments are not read")
