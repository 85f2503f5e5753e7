"""Documents: take in, show, list, delete."""

import hashlib
import json
from base64 import b32encode
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from knowhub.catalog import document_writes as writes
from knowhub.catalog.documents import DocumentRows
from knowhub.catalog.jobs import JobRows
from knowhub.errors import ConditionFailed, Conflict, Forbidden, NotFound
from knowhub.model.document import DocumentDetail, DocumentHead, ReadingOptions
from knowhub.model.job import Job
from knowhub.model.knowledge_base import KnowledgeBase
from knowhub.model.principal import Principal
from knowhub.model.times import iso
from knowhub.ports.blobs import Blobs
from knowhub.ports.clock import Clock
from knowhub.ports.identifiers import Identifiers
from knowhub.ports.queue import Queue
from knowhub.services.permissions import Permissions
from knowhub.services.reading import Reading
from knowhub.services.work import Work

_ATTEMPTS = 5
"""Two writers of one document rarely meet more than twice; after that the caller is told."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A document as it arrives: its bytes and what the caller says of them."""

    title: str
    name: str
    content_type: str
    data: bytes
    external_id: str | None = None
    url: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    source: str | None = None
    options: ReadingOptions = field(default_factory=ReadingOptions)


@dataclass(frozen=True, slots=True)
class Submitted:
    """What became of a submission: the job tells when it is read, and is over at once where nothing changed."""

    doc_id: str
    job_id: str
    status: str


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document as its readers see it: the visible revision's detail, and why a later one failed."""

    head: DocumentHead
    detail: DocumentDetail
    error: str | None


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
            same = self._unchanged(old, submission, kb)
            if same is not None:
                return self._nothing_to_do(principal, same, job_id)
            try:
                return self._accept(principal, kb, doc_id, old, submission, job_id=job_id)
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
            head = self.head(principal, doc_id, "write")
            now = self._clock.now()
            try:
                self._stores.documents.commit(writes.bury(head, iso(now), int(now) + writes.TOMBSTONE_SECONDS))
            except ConditionFailed:
                continue
            self._stores.queue.send([Work("purge_document", head.kb_id, doc_id).message()])
            return
        raise Conflict("The document is being changed by others", {"doc_id": doc_id})

    def _view(self, head: DocumentHead) -> DocumentView:
        revision = head.visible_revision or head.last_revision
        detail = self._stores.documents.detail(head.doc_id, revision)
        if detail is None:
            raise NotFound("DOCUMENT", {"doc_id": head.doc_id})
        error = detail.error
        if revision != head.last_revision and not head.pending_revision:
            latest = self._stores.documents.detail(head.doc_id, head.last_revision)
            error = latest.error if latest else None
        return DocumentView(head, detail, error)

    def doc_id(self, kb_id: int, source: str | None, external_id: str | None) -> str:
        """Give the id under which a document is kept: random where it has no identity of its own."""
        if external_id is None:
            return self._identifiers.new("d_")
        identity = json.dumps([kb_id, source, external_id], ensure_ascii=False).encode()
        return "d_" + b32encode(hashlib.sha256(identity).digest()).decode().lower()[:26]

    def _unchanged(self, old: DocumentHead | None, new: Submission, kb: KnowledgeBase) -> DocumentHead | None:
        """Give the head where what is visible, or on its way, is this same content under the same fingerprint."""
        if old is None or old.deleted or not (old.visible_revision or old.pending_revision):
            return None
        latest_failed = old.last_revision not in {old.visible_revision, old.pending_revision}
        same = old.content_hash == content_hash(new) and old.fingerprint == self._reading.fingerprint(kb, new.options)
        return old if same and not latest_failed else None

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
        job_id: str | None,
    ) -> Submitted:
        now = iso(self._clock.now())
        revision = (old.last_revision if old else 0) + 1
        # The revision is part of the key: a purge of an older one can never take bytes that have just come again.
        raw_key = f"raw/{kb.kb_id}/{doc_id}/{revision}/{hashlib.sha256(submission.data).hexdigest()}"
        self._stores.blobs.put(raw_key, submission.data, content_type=submission.content_type)
        job = self._new_job(principal, kb.kb_id, doc_id, job_id, now)
        head = self._next_head(kb, doc_id, old, submission, job_id=job.job_id, now=now)
        detail = DocumentDetail(
            doc_id=doc_id,
            revision=head.pending_revision,
            name=submission.name,
            content_type=submission.content_type,
            size=len(submission.data),
            raw_key=raw_key,
            external_id=submission.external_id,
            url=submission.url,
            metadata=submission.metadata,
            options=submission.options,
        )
        self._stores.documents.commit(writes.accept(old, head, detail, job, kb.list_shards))
        self._stores.queue.send([Work("read", kb.kb_id, doc_id, head.pending_revision).message()])
        return Submitted(doc_id, job.job_id, head.status)

    def _next_head(
        self,
        kb: KnowledgeBase,
        doc_id: str,
        old: DocumentHead | None,
        submission: Submission,
        *,
        job_id: str,
        now: str,
    ) -> DocumentHead:
        live = old if old is not None and not old.deleted else None
        revision = (old.last_revision if old else 0) + 1
        return DocumentHead(
            doc_id=doc_id,
            kb_id=kb.kb_id,
            title=submission.title,
            status="ready" if live and live.visible_revision else "pending",
            last_revision=revision,
            visible_revision=live.visible_revision if live else 0,
            pending_revision=revision,
            chunk_count=live.chunk_count if live else 0,
            content_hash=content_hash(submission),
            fingerprint=self._reading.fingerprint(kb, submission.options),
            attempts=0,
            created_at=live.created_at if live else now,
            updated_at=now,
            job_id=job_id,
            source=submission.source,
            version=(old.version if old else 0) + 1,
        )

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


def content_hash(submission: Submission) -> str:
    """Hash what makes a document's content: bytes, title, url and the user's metadata."""
    described = [submission.title, submission.name, submission.content_type, submission.url, dict(submission.metadata)]
    digest = hashlib.sha256(json.dumps(described, sort_keys=True, ensure_ascii=False).encode())
    digest.update(submission.data)
    return digest.hexdigest()
