"""Passages: the chunks of a document's visible revision, in order."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from knowhub.errors import NotFound, Unavailable
from knowhub.model.chunk import Chunk
from knowhub.model.principal import Principal
from knowhub.services.chunk_files import ChunkFiles
from knowhub.services.documents import Documents, DocumentView

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class ChunkPage:
    """A range of a document's chunks, and how many there are in all."""

    document: DocumentView
    chunks: tuple[Chunk, ...]
    total: int


@dataclass(frozen=True, slots=True)
class TextRange:
    """A range of a document's extracted text in code points, and how many there are in all."""

    document: DocumentView
    text: str
    start: int
    total: int


class Passages:
    """Reads chunks from the derived files, so that what is shown is whole whatever the engine holds."""

    def __init__(self, documents: Documents, files: ChunkFiles) -> None:
        """Keep the collaborators."""
        self._documents = documents
        self._files = files

    def page(self, principal: Principal, doc_id: str, *, skip: int, limit: int) -> ChunkPage:
        """Give up to `limit` chunks after the first `skip`; a document without a visible revision has none."""
        view = self._documents.get(principal, doc_id)
        chunks = self._read(self._files.read, view) or []
        return ChunkPage(view, tuple(chunks[skip : skip + limit]), len(chunks))

    def text(self, principal: Principal, doc_id: str, *, start: int, limit: int) -> TextRange:
        """Give up to `limit` code points from `start` on of the text into which locators point."""
        view = self._documents.get(principal, doc_id)
        text = self._read(self._files.read_text, view) or ""
        return TextRange(view, text[start : start + limit], start, len(text))

    def _read(self, read: Callable[[int, str, int], Found], view: DocumentView) -> Found | None:
        """Read a derived file of the visible revision; there is none before one is visible."""
        head = view.head
        if not head.visible_revision:
            return None
        try:
            return read(head.kb_id, head.doc_id, head.visible_revision)
        except NotFound as error:
            # The revision was replaced or removed between the two reads: the caller's next read sees what is there.
            raise Unavailable("The document is changing right now") from error
