"""Ingest: a pending revision's bytes become searchable chunks, then the revision becomes visible at once and whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from knowhub.catalog import document_writes as writes
from knowhub.catalog import facets, jobs
from knowhub.catalog.documents import DocumentRows
from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
from knowhub.errors import ConditionFailed, Contention, Internal, KnowhubError, NotFound, Retryable
from knowhub.model.document import DocumentDetail, DocumentHead, DocumentStatus
from knowhub.model.knowledge_base import KnowledgeBase
from knowhub.model.times import iso
from knowhub.observability import report
from knowhub.ports.blobs import Blobs
from knowhub.ports.clock import Clock
from knowhub.ports.queue import Queue
from knowhub.ports.table import Update
from knowhub.retrieval.scripts import language_of_text
from knowhub.services.attachments import Attachments, Brought, Mail
from knowhub.services.burial import Burial
from knowhub.services.chunk_files import ChunkFiles, derived_prefix
from knowhub.services.indexing import Indexing
from knowhub.services.reading import Outcome, Reading
from knowhub.services.work import Work

MAX_ATTEMPTS = 4
"""Beginnings of one revision before it counts as poison; below the queue's own limit, so that a reason is recorded."""

OLD_REVISION_SECONDS = 60
"""How long the chunks of a replaced revision stay: longer than any search that began before the flip."""

CHECKPOINT = 500
"""Chunks handed to the index at once: about 5 MB with vectors."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A revision that is being read, by its rows."""

    head: DocumentHead
    detail: DocumentDetail
    kb: KnowledgeBase


@dataclass(frozen=True, slots=True)
class Written:
    """A revision whose chunks are written: all that is left is to show it."""

    kb: KnowledgeBase
    title: str
    metadata: Mapping[str, object]
    language: str | None
    chunk_count: int
    detail: Update
    """The write that says what was found and lost."""
    generations: frozenset[int]
    """The generations of the index that have the chunks."""


class Ingest:
    """Reads revisions; any step may be repeated, and nothing is half visible."""

    def __init__(
        self,
        *,
        documents: DocumentRows,
        kbs: KnowledgeBaseRows,
        blobs: Blobs,
        queue: Queue,
        index: Indexing,
        reading: Reading,
        clock: Clock,
    ) -> None:
        """Keep the collaborators."""
        self._documents = documents
        self._kbs = kbs
        self._blobs = blobs
        self._files = ChunkFiles(blobs)
        self._queue = queue
        self._index = index
        self._reading = reading
        self._attachments = Attachments(documents, blobs, queue, reading, clock)
        self._burial = Burial(documents, queue, clock)
        self._clock = clock

    def read(self, works: Sequence[Work]) -> dict[Work, Exception]:
        """Read a batch of pending revisions and give the works that must be tried again, each with its reason.

        The batch shares one refresh of the index, which is what a small document's time goes into.
        """
        failed: dict[Work, Exception] = {}
        written: dict[Work, Written] = {}
        for work in works:
            try:
                begun = self._begin(work)
                if begun is not None:
                    written[work] = self._write(work, begun)
            except Exception as error:  # noqa: BLE001 - one document's failure, of any kind, must not take the batch along
                if self._comes_back(work, error):
                    failed[work] = error
        if written:
            self._publish(written, failed)
        return failed

    def _publish(self, written: dict[Work, Written], failed: dict[Work, Exception]) -> None:
        try:
            self._index.refresh()
        except Exception as error:  # noqa: BLE001 - as above
            failed.update({work: error for work in written if self._comes_back(work, error)})
            return
        for work, one in written.items():
            try:
                self._flip(work, one)
            except Exception as error:  # noqa: BLE001 - as above
                if self._comes_back(work, error):
                    failed[work] = error

    def _write(self, work: Work, begun: Begun) -> Written:
        """Read, cut and index one revision, and take in what came with it."""
        data = self._blobs.get(begun.detail.raw_key)
        outcome = self._reading.read(data, begun.head, begun.detail, begun.kb)
        generations = self._index.living()
        self._index_chunks(work, outcome)
        brought = self._attach(begun, outcome)
        losses = (*outcome.losses, *brought.losses)
        detail = writes.detail_read(work.doc_id, work.revision, losses, outcome.found, brought.doc_ids)
        return Written(
            kb=begun.kb,
            title=outcome.title,
            metadata=outcome.metadata,
            language=language_of_text(outcome.text),
            chunk_count=len(outcome.chunks),
            detail=detail,
            generations=generations,
        )

    def _index_chunks(self, work: Work, outcome: Outcome) -> None:
        chunks = [indexed.chunk for indexed in outcome.chunks]
        self._files.write(work.kb_id, work.doc_id, work.revision, outcome.text, chunks)
        # A retry may have cut the text differently, so what an earlier attempt left goes first.
        self._index.delete_revision(work.doc_id, work.revision)
        for start in range(0, len(outcome.chunks), CHECKPOINT):
            self._index.write(outcome.chunks[start : start + CHECKPOINT])

    def _attach(self, begun: Begun, outcome: Outcome) -> Brought:
        mail = Mail(begun.head, begun.detail, begun.kb, outcome.metadata)
        return self._attachments.take(mail, outcome.attachments)

    def _begin(self, work: Work) -> Begun | None:
        head = self._documents.head(work.doc_id)
        if head is None or not _wanted(head, work):
            if head is None or head.visible_revision != work.revision:
                # An attempt that was killed may have written: nobody else knows of it.
                self._take_back(work)
            return None
        kb = self._kbs.get(work.kb_id)
        detail = self._documents.detail(work.doc_id, work.revision)
        if kb is None or kb.deleted or detail is None:
            # It came in while its KB was deleted, too late for the purge that ran: that one goes round again.
            self._queue.send([Work("purge_kb", work.kb_id).message()])
            return None
        now = iso(self._clock.now())
        if head.attempts >= MAX_ATTEMPTS:
            reason = f"Reading stopped {head.attempts} times before it was finished"
            self._fail(head, kb, reason)
            return None
        status: DocumentStatus = head.status if head.visible_revision else "reading"
        begun = replace(head, status=status, attempts=head.attempts + 1, updated_at=now, version=head.version + 1)
        more = [] if head.job_id is None else [jobs.started(head.job_id, now)]
        try:
            self._documents.commit(writes.transition(head, begun, kb.list_shards, *more))
        except ConditionFailed:
            return self._begin(work)
        return Begun(begun, detail, kb)

    def _flip(self, work: Work, written: Written) -> None:
        """Make the revision visible, or take out again what was written where it is not wanted any more."""
        head = self._documents.head(work.doc_id)
        if head is None or not _wanted(head, work):
            self._take_back(work)
            return
        if not self._index.living() <= written.generations:
            raise Contention("The index has a new generation, which has not got the chunks yet")
        if work.revision > 1:
            self._announce_purge(head)
        now = iso(self._clock.now())
        flipped = replace(
            head,
            title=written.title,
            status="ready",
            visible_revision=work.revision,
            pending_revision=0,
            chunk_count=written.chunk_count,
            attempts=0,
            updated_at=now,
            version=head.version + 1,
        )
        ended = [] if head.job_id is None else [jobs.ended(head.job_id, "completed", now)]
        counted = facets.changes(work.kb_id, work.doc_id, self._documents.shown_metadata(head), written.metadata)
        more = (written.detail, *ended, *counted)
        try:
            self._documents.commit(writes.transition(head, flipped, written.kb.list_shards, *more))
        except ConditionFailed:
            self._flip(work, written)
            return
        if not written.kb.language and written.language is not None:
            self._kbs.set_language(work.kb_id, written.language)
        if work.revision > 1:
            self._burial.drop_attachments(work.doc_id)

    def _announce_purge(self, head: DocumentHead) -> None:
        """Have removed what a pending revision's end leaves unused.

        Sent before that end, so that no kill can lose it: a purge that comes too early leaves what is visible.
        """
        older = Work("purge_older_revisions", head.kb_id, head.doc_id, head.pending_revision)
        self._queue.send([older.message(OLD_REVISION_SECONDS)])

    def _take_back(self, work: Work) -> None:
        self._index.delete_revision(work.doc_id, work.revision)
        self._index.refresh()
        self._index.forget(work.kb_id, self._files.read_if_there(work.kb_id, work.doc_id, work.revision))
        self._files.delete(derived_prefix(work.kb_id, work.doc_id, work.revision))

    def _comes_back(self, work: Work, error: Exception) -> bool:
        """Record a failure that reading again can't mend; tell whether the message is to come back instead.

        A dependency that is away is waited for, however long: that attempt is not counted. What else fails comes back
        until its attempts run out.
        """
        report("reading failed", error, doc_id=work.doc_id, revision=work.revision)
        try:
            return self._settled(work, error)
        except KnowhubError as other:
            report("the failure could not be recorded", other, doc_id=work.doc_id)
            return True

    def _settled(self, work: Work, error: Exception) -> bool:
        head, kb = self._documents.head(work.doc_id), self._kbs.get(work.kb_id)
        if head is None or kb is None or not _wanted(head, work):
            return False
        if isinstance(error, Retryable):
            forgiven = replace(head, attempts=max(head.attempts - 1, 0), version=head.version + 1)
            self._documents.commit(writes.transition(head, forgiven, kb.list_shards))
            return True
        final = isinstance(error, KnowhubError) and not isinstance(error, (Internal, NotFound))
        if not final and head.attempts < MAX_ATTEMPTS:
            return True
        self._take_back(work)
        self._fail(head, kb, error.message if isinstance(error, KnowhubError) else "Reading failed unexpectedly")
        return False

    def _fail(self, head: DocumentHead, kb: KnowledgeBase, reason: str) -> None:
        """End a pending revision with its reason; an older visible one stays as it is."""
        brought = self._documents.attached(head.doc_id)
        if brought:
            self._announce_purge(head)
        now = iso(self._clock.now())
        status: DocumentStatus = "ready" if head.visible_revision else "failed"
        over = replace(head, status=status, pending_revision=0, updated_at=now, version=head.version + 1)
        more = [writes.detail_failed(head.doc_id, head.pending_revision, reason)]
        ended = [] if head.job_id is None else [jobs.ended(head.job_id, "failed", now, reason)]
        try:
            self._documents.commit(writes.transition(head, over, kb.list_shards, *more, *ended))
        except ConditionFailed:
            current = self._documents.head(head.doc_id)
            if current is not None and current.pending_revision == head.pending_revision and not current.deleted:
                self._fail(current, kb, reason)
            return
        if brought:
            self._burial.drop_attachments(head.doc_id)


def _wanted(head: DocumentHead, work: Work) -> bool:
    return not head.deleted and head.pending_revision == work.revision
