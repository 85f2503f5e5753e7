"""Documents: take in, show, list, delete."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from knowhub.catalog import document_writes as writes
from knowhub.catalog.documents import DocumentRows
from knowhub.catalog.jobs import JobRows
from knowhub.errors import ConditionFailed, Conflict, Forbidden, NotFound
from knowhub.model.document import DocumentChange, DocumentDetail, DocumentHead, ReadingOptions, Submission
from knowhub.model.job import Job
from knowhub.model.knowledge_base import KnowledgeBase
from knowhub.model.principal import Principal
from knowhub.model.times import iso
from knowhub.ports.blobs import Blobs
from knowhub.ports.clock import Clock
from knowhub.ports.identifiers import Identifiers
from knowhub.ports.queue import Queue
from knowhub.services.acceptance import (
    accepted,
    changed_submission,
    content_hash,
    document_id,
    is_unchanged,
    next_revision,
    raw_key,
)
from knowhub.services.burial import Burial
from knowhub.services.permissions import Permissions
from knowhub.services.reading import Reading
from knowhub.services.work import Work

_ATTEMPTS = 5
"""Two writers of one document rarely meet more than twice; after that the caller is told."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """What became of a submission: the job tells when it is read, and is over at once where nothing changed."""

    doc_id: str
    job_id: str
    status: str


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document as its readers see it: the visible revision's detail, and why a later one failed.

    `attachments` are the documents that came with it and are still there.
    """

    head: DocumentHead
    detail: DocumentDetail
    error: str | None
    attachments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stores:
    """Where a document's parts live."""

    documents: DocumentRows
    jobs: JobRows
    blobs: Blobs
    queue: Queue


class Documents:
    """The use-cases of documents."""

    def __init__(
        self,
        stores: Stores,
        permissions: Permissions,
        reading: Reading,
        clock: Clock,
        identifiers: Identifiers,
    ) -> None:
        """Keep the collaborators."""
        self._stores = stores
        self._permissions = permissions
        self._reading = reading
        self._burial = Burial(stores.documents, stores.queue, clock)
        self._clock = clock
        self._identifiers = identifiers

    def submit(
        self, principal: Principal, kb_id: int, submission: Submission, *, job_id: str | None = None
    ) -> Submitted:
        """Keep a document's bytes and queue its reading; what is returned survives a kill of every process.

        With an external id the same document is updated: equal content under an equal fingerprint changes
        nothing. `job_id` names a job that was announced before. Raises `UnsupportedMediaType` for bytes that no reader
        takes.
        """
        kb = self.writable(principal, kb_id)
        self._reading.check(submission.data, submission.name, submission.content_type)
        doc_id = self.doc_id(kb_id, submission.source, submission.external_id)
        for _ in range(_ATTEMPTS):
            old = self._stores.documents.head(doc_id)
            fingerprint = self._reading.fingerprint(kb, submission.options)
            if old is not None and is_unchanged(old, content_hash(submission), fingerprint):
                return self._nothing_to_do(principal, old, job_id)
            try:
                return self._accept(principal, kb, doc_id, old, submission, fingerprint=fingerprint, job_id=job_id)
            except ConditionFailed:
                continue
        raise Conflict("The document is being changed by others", {"doc_id": doc_id})

    def writable(self, principal: Principal, kb_id: int) -> KnowledgeBase:
        """Give a KB that the principal may add to; a public one is fed by reviewed publishing only."""
        kb = self._permissions.require(principal, kb_id, "write")
        if kb.visibility == "public":
            raise Forbidden("A public knowledge base is fed by publishing only", {"kb_id": kb_id})
        return kb

    def fingerprint(self, kb: KnowledgeBase, options: ReadingOptions) -> str:
        """Describe how a KB's documents are read and cut now; a document with another one is read again."""
        return self._reading.fingerprint(kb, options)

    def get(self, principal: Principal, doc_id: str) -> DocumentView:
        """Show a document; one that is absent, deleted or in a KB that can't be read raises the same `NotFound`."""
        return self._view(self.head(principal, doc_id, "read"))

    def head(self, principal: Principal, doc_id: str, action: str) -> DocumentHead:
        """Give the head of a document on which the principal may `read` or `write`."""
        head = self._stores.documents.head(doc_id)
        if head is None or head.deleted:
            raise NotFound("DOCUMENT", {"doc_id": doc_id})
        try:
            self._permissions.require(principal, head.kb_id, "write" if action == "write" else "read")
        except NotFound as error:
            raise NotFound("DOCUMENT", {"doc_id": doc_id}) from error
        return head

    def delete(self, principal: Principal, doc_id: str) -> None:
        """Make a document gone for everybody at once; what it left is removed in the background."""
        for _ in range(_ATTEMPTS):
            try:
                self._burial.bury(self.head(principal, doc_id, "write"))
            except ConditionFailed:
                continue
            return
        raise Conflict("The document is being changed by others", {"doc_id": doc_id})

    def change(
        self, principal: Principal, doc_id: str, change: DocumentChange, expected: int | None = None
    ) -> Submitted:
        """Describe a document anew: the same bytes under another title, address or metadata are a new revision.

        `expected` is the latest revision that the caller has seen; where there is another, `Conflict` is raised.
        """
        for _ in range(_ATTEMPTS):
            old = self.head(principal, doc_id, "write")
            if expected not in (None, old.last_revision):
                raise Conflict("The document was changed since you read it", {"doc_id": doc_id})
            kb = self._permissions.require(principal, old.kb_id, "write")
            detail = self._stores.documents.detail(doc_id, old.last_revision)
            if detail is None:
                raise NotFound("DOCUMENT", {"doc_id": doc_id})
            submission = changed_submission(old, detail, change, self._stores.blobs.get(detail.raw_key))
            fingerprint = self._reading.fingerprint(kb, submission.options)
            if is_unchanged(old, content_hash(submission), fingerprint):
                return self._nothing_to_do(principal, old, None)
            try:
                return self._accept(principal, kb, doc_id, old, submission, fingerprint=fingerprint, job_id=None)
            except ConditionFailed:
                continue
        raise Conflict("The document is being changed by others", {"doc_id": doc_id})

    def delete_all(self, principal: Principal, kb_id: int, doc_ids: Sequence[str]) -> list[str]:
        """Make documents of one KB gone, and give those that were there; what is not of this KB is not there."""
        self._permissions.require(principal, kb_id, "write")
        gone: list[str] = []
        for doc_id in dict.fromkeys(doc_ids):
            head = self._stores.documents.head(doc_id)
            if head is not None and head.kb_id == kb_id and not head.deleted:
                self.delete(principal, doc_id)
                gone.append(doc_id)
        return gone

    def retry(self, principal: Principal, doc_id: str) -> Submitted:
        """Read a document's latest bytes again, as they would be read now; while they are being read, give that job.

        Of a mail the attachments that were deleted come back.
        """
        for _ in range(_ATTEMPTS):
            head = self.head(principal, doc_id, "write")
            if head.pending_revision and head.job_id is not None:
                return Submitted(doc_id, head.job_id, head.status)
            try:
                return self._again(principal, head)
            except ConditionFailed:
                continue
        raise Conflict("The document is being changed by others", {"doc_id": doc_id})

    def _again(self, principal: Principal, old: DocumentHead) -> Submitted:
        kb = self._permissions.require(principal, old.kb_id, "write")
        detail = self._stores.documents.detail(old.doc_id, old.last_revision)
        if detail is None:
            raise NotFound("DOCUMENT", {"doc_id": old.doc_id})
        revision, now = next_revision(old), iso(self._clock.now())
        key = raw_key(kb.kb_id, old.doc_id, revision, detail.raw_key.rpartition("/")[2])
        self._stores.blobs.copy(detail.raw_key, key)
        job = self._new_job(principal, kb.kb_id, old.doc_id, None, now)
        head = replace(
            old,
            status="ready" if old.visible_revision else "pending",
            last_revision=revision,
            pending_revision=revision,
            fingerprint=self._reading.fingerprint(kb, detail.options),
            attempts=0,
            updated_at=now,
            job_id=job.job_id,
            version=old.version + 1,
        )
        fresh = replace(
            detail, revision=revision, raw_key=key, losses=(), loss_count=0, error=None, attachments=(), retried=True
        )
        return self._commit(old, head, fresh, job, kb)

    def _view(self, head: DocumentHead) -> DocumentView:
        revision = head.visible_revision or head.last_revision
        detail = self._stores.documents.detail(head.doc_id, revision)
        if detail is None:
            raise NotFound("DOCUMENT", {"doc_id": head.doc_id})
        error = detail.error
        if revision != head.last_revision and not head.pending_revision:
            latest = self._stores.documents.detail(head.doc_id, head.last_revision)
            error = latest.error if latest else None
        heads = self._stores.documents.heads(detail.attachments) if detail.attachments else {}
        there = tuple(each for each in detail.attachments if each in heads and not heads[each].deleted)
        return DocumentView(head, detail, error, there)

    def doc_id(self, kb_id: int, source: str | None, external_id: str | None) -> str:
        """Give the id under which a document is kept: random where it has no identity of its own."""
        if external_id is None:
            return self._identifiers.new("d_")
        return document_id(json.dumps([kb_id, source, external_id], ensure_ascii=False).encode())

    def _nothing_to_do(self, principal: Principal, head: DocumentHead, job_id: str | None) -> Submitted:
        if head.pending_revision and head.job_id is not None and job_id in {None, head.job_id}:
            return Submitted(head.doc_id, head.job_id, head.status)
        now = iso(self._clock.now())
        job = self._new_job(principal, head.kb_id, head.doc_id, job_id, now)
        self._stores.jobs.create(replace(job, state="completed", done=1, started_at=now, finished_at=now))
        return Submitted(head.doc_id, job.job_id, head.status)

    def _accept(
        self,
        principal: Principal,
        kb: KnowledgeBase,
        doc_id: str,
        old: DocumentHead | None,
        submission: Submission,
        *,
        fingerprint: str,
        job_id: str | None,
    ) -> Submitted:
        now = iso(self._clock.now())
        job = self._new_job(principal, kb.kb_id, doc_id, job_id, now)
        head, detail = accepted(
            kb,
            doc_id,
            old,
            submission,
            fingerprint=fingerprint,
            now=now,
            job_id=job.job_id,
            parent=old.parent if old is not None and not old.deleted else None,
        )
        self._stores.blobs.put(detail.raw_key, submission.data, content_type=submission.content_type)
        return self._commit(old, head, detail, job, kb)

    def _commit(
        self, old: DocumentHead | None, head: DocumentHead, detail: DocumentDetail, job: Job, kb: KnowledgeBase
    ) -> Submitted:
        self._stores.documents.commit(writes.accept(old, head, detail, job, kb.list_shards))
        self._stores.queue.send([Work("read", kb.kb_id, head.doc_id, head.pending_revision).message()])
        return Submitted(head.doc_id, job.job_id, head.status)

    def _new_job(self, principal: Principal, kb_id: int, doc_id: str, job_id: str | None, now: str) -> Job:
        return Job(
            job_id=job_id or self._identifiers.new("job_"),
            kind="read",
            state="pending",
            kb_id=kb_id,
            principal_id=principal.user_id,
            created_at=now,
            doc_id=doc_id,
        )
