"""Passages: the chunks of a document's visible revision, in order."""

from dataclasses import dataclass

from knowhub.errors import NotFound, Unavailable
from knowhub.model.chunk import Chunk
from knowhub.model.principal import Principal
from knowhub.services.chunk_files import ChunkFiles
from knowhub.services.documents import Documents, DocumentView


@dataclass(frozen=True, slots=True)
class ChunkPage:
    """A range of a document's chunks, and how many there are in all."""

    document: DocumentView
    chunks: tuple[Chunk, ...]
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
        if not view.head.visible_revision:
            return ChunkPage(view, (), 0)
        try:
            chunks = self._files.read(view.head.kb_id, doc_id, view.head.visible_revision)
        except NotFound as error:
            # The revision was replaced or removed between the two reads: the caller's next read sees what is there.
            raise Unavailable("The document is changing right now") from error
        return ChunkPage(view, tuple(chunks[skip : skip + limit]), len(chunks))
