"""Purge: what a replaced revision, a deleted document or a deleted KB left behind is removed."""

from knowhub.catalog import document_writes as writes
from knowhub.catalog.documents import DocumentRows
from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
from knowhub.catalog.sources import SourceRows
from knowhub.errors import ConditionFailed
from knowhub.model.document import DocumentHead
from knowhub.model.times import iso
from knowhub.ports.blobs import Blobs
from knowhub.ports.chunk_index import ChunkIndex
from knowhub.ports.clock import Clock
from knowhub.ports.queue import Queue
from knowhub.services.chunk_files import ChunkFiles, derived_prefix
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
        sources: SourceRows,
        blobs: Blobs,
        queue: Queue,
        index: ChunkIndex,
        clock: Clock,
    ) -> None:
        """Keep the collaborators."""
        self._documents = documents
        self._kbs = kbs
        self._sources = sources
        self._blobs = blobs
        self._files = ChunkFiles(blobs)
        self._queue = queue
        self._index = index
        self._clock = clock

    def run(self, work: Work) -> None:
        """Do one purge; works of other kinds are none of this service's."""
        if work.kind == "purge_kb":
            self._knowledge_base(work)
        elif work.kind == "purge_document":
            self._document(work)
        elif work.kind == "purge_older_revisions":
            self._revisions(work, below=work.revision)
            self._index.refresh()

    def _document(self, work: Work) -> None:
        """Remove a tombstone's content; a document that came back since loses its unused revisions only."""
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
        details = self._documents.revisions(work.doc_id)
        used_keys = {detail.raw_key for detail in details if detail.revision in used}
        for detail in details:
            if detail.revision in used or (below is not None and detail.revision >= below):
                continue
            self._index.delete_revision(work.doc_id, detail.revision)
            self._files.delete(derived_prefix(work.kb_id, work.doc_id, detail.revision))
            if detail.raw_key not in used_keys:
                self._blobs.delete([detail.raw_key])
            self._documents.forget_detail(work.doc_id, detail.revision)

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
        self._sources.forget_kb(kb.kb_id)
        self._kbs.purged(kb.kb_id)

    def _bury(self, head: DocumentHead) -> None:
        now = self._clock.now()
        if head.deleted:
            return
        try:
            self._documents.commit(writes.bury(head, iso(now), int(now) + writes.TOMBSTONE_SECONDS))
        except ConditionFailed:
            # Its state moved on: the message that goes on with the rest comes by here again.
            return
        self._queue.send([Work("purge_document", head.kb_id, head.doc_id).message()])
