"""Purge: what a replaced revision, a deleted document or a deleted KB left behind is removed."""

from contextlib import suppress

from knowhub.catalog import document_writes as writes
from knowhub.catalog.documents import DocumentRows
from knowhub.catalog.facets import FacetRows
from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
from knowhub.catalog.sources import SourceRows
from knowhub.errors import ConditionFailed
from knowhub.model.document import DocumentHead
from knowhub.ports.blobs import Blobs
from knowhub.ports.clock import Clock
from knowhub.ports.queue import Queue
from knowhub.services.burial import Burial
from knowhub.services.chunk_files import ChunkFiles, derived_prefix
from knowhub.services.indexing import Indexing
from knowhub.services.work import Work

_DOCUMENTS_AT_ONCE = 200
"""Documents of a deleted KB that one message buries; the next message goes on."""


class Purge:
    """Removes what nothing shows any more; every act may be repeated, and none touches what is visible or pending."""

    def __init__(
        self,
        *,
        documents: DocumentRows,
        kbs: KnowledgeBaseRows,
        facets: FacetRows,
        sources: SourceRows,
        blobs: Blobs,
        queue: Queue,
        index: Indexing,
        clock: Clock,
    ) -> None:
        """Keep the collaborators."""
        self._documents = documents
        self._kbs = kbs
        self._facets = facets
        self._sources = sources
        self._blobs = blobs
        self._files = ChunkFiles(blobs)
        self._queue = queue
        self._index = index
        self._burial = Burial(documents, queue, clock)

    def run(self, work: Work) -> None:
        """Do one purge; works of other kinds are none of this service's."""
        if work.kind == "purge_kb":
            self._knowledge_base(work)
        elif work.kind == "purge_document":
            self._document(work)
        elif work.kind == "purge_older_revisions":
            self._burial.drop_attachments(work.doc_id)
            self._revisions(work, below=work.revision)
            self._index.refresh()

    def _document(self, work: Work) -> None:
        """Remove a tombstone's content; a document that came back since loses its unused revisions only."""
        self._burial.drop_attachments(work.doc_id)
        self._revisions(work)
        self._index.refresh()
        head = self._documents.head(work.doc_id)
        if head is not None and head.deleted:
            self._note_purged(work.doc_id)

    def _note_purged(self, doc_id: str) -> None:
        try:
            self._documents.commit([writes.purged(doc_id)])
        except ConditionFailed:
            # It came back in the meantime: its new revision is another matter, and its row is not ours to change.
            return

    def _revisions(self, work: Work, below: int | None = None) -> None:
        """Remove the revisions that nothing shows or waits for; the latest one stays, for what it says of a failure."""
        head = self._documents.head(work.doc_id)
        live = head is not None and not head.deleted
        used = (
            {head.visible_revision, head.pending_revision, head.last_revision} if head is not None and live else set()
        )
        for detail in self._documents.revisions(work.doc_id):
            if detail.revision in used or (below is not None and detail.revision >= below):
                continue
            self._index.delete_revision(work.doc_id, detail.revision)
            self._forget(work, detail.revision, head)
            self._files.delete(derived_prefix(work.kb_id, work.doc_id, detail.revision))
            self._blobs.delete([detail.raw_key])
            self._documents.forget_detail(work.doc_id, detail.revision)

    def _forget(self, work: Work, revision: int, head: DocumentHead | None) -> None:
        """Let go of the embeddings of a revision's texts, but for those that the visible one has."""
        gone = self._files.read_if_there(work.kb_id, work.doc_id, revision)
        shown = head.visible_revision if head is not None else 0
        self._index.forget(work.kb_id, gone, self._files.read_if_there(work.kb_id, work.doc_id, shown) if shown else ())

    def _knowledge_base(self, work: Work) -> None:
        kb = self._kbs.get(work.kb_id)
        if kb is None or not kb.deleted:
            return
        places = self._documents.newest(kb.kb_id, kb.list_shards, before=None, limit=_DOCUMENTS_AT_ONCE)
        heads = self._documents.heads(doc_id for _, doc_id in places)
        for head in heads.values():
            self._bury(head)
        if places:
            self._queue.send([work.message()])
            return
        self._index.delete_kb(kb.kb_id)
        self._index.refresh()
        self._files.delete(f"raw/{kb.kb_id}/")
        self._files.delete(f"derived/{kb.kb_id}/")
        self._index.forget_kb(kb.kb_id)
        self._facets.forget_kb(kb.kb_id)
        self._sources.forget_kb(kb.kb_id)
        self._kbs.purged(kb.kb_id)

    def _bury(self, head: DocumentHead) -> None:
        # Its state moved on where this fails: the message that goes on with the rest comes by here again.
        with suppress(ConditionFailed):
            if not head.deleted:
                self._burial.bury_alone(head)
