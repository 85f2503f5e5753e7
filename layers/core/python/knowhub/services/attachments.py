"""Attachments: what a mail holds becomes documents of their own, tied to the mail that brought them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from knowhub.catalog import document_writes as writes
from knowhub.catalog.documents import DocumentRows
from knowhub.errors import ConditionFailed, Contention, UnsupportedMediaType
from knowhub.model.document import Attached, DocumentDetail, DocumentHead, Loss, Submission
from knowhub.model.extraction import Attachment
from knowhub.model.knowledge_base import KnowledgeBase
from knowhub.model.times import iso
from knowhub.ports.blobs import Blobs
from knowhub.ports.clock import Clock
from knowhub.ports.queue import Queue
from knowhub.ports.table import Operation
from knowhub.services.acceptance import accepted, content_hash, document_id, is_unchanged, raw_key
from knowhub.services.reading import Reading
from knowhub.services.work import Work

INHERITED = ("subject", "from", "date")
"""What a file's metadata say of the mail that holds it; a mail within a mail has its own."""

_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail's revision that is being read; `metadata` are the document's own with the caller's over them."""

    head: DocumentHead
    detail: DocumentDetail
    kb: KnowledgeBase
    metadata: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Brought:
    """What became of a mail's attachments: the documents that are there, and what is not read."""

    doc_ids: tuple[str, ...] = ()
    losses: tuple[Loss, ...] = ()


@dataclass(frozen=True, slots=True)
class _Held:
    """One attachment, as which document it is kept, and the document that holds it."""

    mail: Mail
    doc_id: str
    holder: str
    submission: Submission

    @property
    def origin(self) -> str:
        """Name the mail's content; a mail that was deleted and came again is another one."""
        return f"{self.mail.head.created_at}#{self.mail.head.content_hash}"


class Attachments:
    """Takes attachments in while their mail is read; all of it may be repeated."""

    def __init__(self, documents: DocumentRows, blobs: Blobs, queue: Queue, reading: Reading, clock: Clock) -> None:
        """Keep the collaborators."""
        self._documents = documents
        self._blobs = blobs
        self._queue = queue
        self._reading = reading
        self._clock = clock

    def take(self, mail: Mail, found: Sequence[Attachment]) -> Brought:
        """Make documents of a mail's attachments and queue their reading.

        One that no reader takes is a loss. A mail that is an attachment itself brings nothing: what it holds came with
        the outermost one. Once the mail's revision is not wanted any more, the rest is left. Raises `Contention`.
        """
        found = [replace(one, content_type=self._reading.media_type(one.data, one.content_type)) for one in found]
        refused = self._refused(found)
        losses = tuple(
            Loss("ATTACHMENT_NOT_READ", f"attachment {_path(found, at)!r}", why) for at, why in refused.items()
        )
        if mail.head.parent is not None or not found:
            return Brought(losses=losses)
        known = {each.doc_id: each for each in self._documents.attached(mail.head.doc_id)}
        there: dict[int | None, str] = {None: mail.head.doc_id}
        works: dict[Work, None] = {}
        for at, attachment in enumerate(found):
            if at in refused or attachment.within not in there:
                continue
            held = _held(mail, found, attachment, there[attachment.within])
            head = self._taken(held, known.get(held.doc_id))
            if head is None:
                continue
            there[at] = head.doc_id
            if head.pending_revision:
                self._bring(head, attachment)
                works[Work("read", head.kb_id, head.doc_id, head.pending_revision)] = None
        if works:
            self._queue.send([work.message() for work in works])
        del there[None]
        return Brought(tuple(dict.fromkeys(there.values())), losses)

    def _refused(self, found: Sequence[Attachment]) -> dict[int, str]:
        """Say of each attachment that becomes no document why."""
        refused: dict[int, str] = {}
        for at, attachment in enumerate(found):
            if attachment.within in refused:
                refused[at] = "the mail that holds it is not read"
            elif not attachment.data:
                refused[at] = "it is empty"
            else:
                try:
                    self._reading.check_file(attachment.data, attachment.name, attachment.content_type)
                except UnsupportedMediaType as error:
                    refused[at] = error.message
        return refused

    def _taken(self, held: _Held, known: Attached | None) -> DocumentHead | None:
        """Give the head of the attachment's document; None where there is none, or shall be none any more."""
        for _ in range(_ATTEMPTS):
            old = self._documents.head(held.doc_id)
            live = None if old is None or old.deleted else old
            if known is not None and held.mail.detail.revision in known.revisions:
                return live
            head, operations = self._next(held, old, known)
            tying = writes.attach(known, _tie(held, known), held.mail.detail.revision)
            try:
                self._documents.commit([*operations, *tying])
            except ConditionFailed:
                if not self._wanted(held):
                    return None
                tied = self._documents.attached(held.mail.head.doc_id)
                known = next((each for each in tied if each.doc_id == held.doc_id), None)
                continue
            return head
        raise Contention("An attachment is being changed by others")

    def _next(
        self, held: _Held, old: DocumentHead | None, known: Attached | None
    ) -> tuple[DocumentHead | None, list[Operation]]:
        """Decide what an attachment needs beside being tied: nothing, to stay there, or to be read."""
        mail, live = held.mail, old is not None and not old.deleted
        if known is not None and not live and known.origin == held.origin and not mail.detail.retried:
            # Somebody deleted it, and the mail is still the one that he saw.
            return None, []
        fingerprint = self._reading.fingerprint(mail.kb, held.submission.options)
        if is_unchanged(old, content_hash(held.submission), fingerprint):
            return old, [writes.still_there(held.doc_id)]
        head, detail = accepted(
            mail.kb,
            held.doc_id,
            old,
            held.submission,
            fingerprint=fingerprint,
            now=iso(self._clock.now()),
            parent=mail.head.doc_id,
        )
        return head, writes.accept(old, head, detail, None, mail.kb.list_shards)

    def _wanted(self, held: _Held) -> bool:
        """Whether the mail still waits for this revision, and what holds the attachment is there."""
        heads = self._documents.heads({held.mail.head.doc_id, held.holder})
        mail = heads.get(held.mail.head.doc_id)
        is_pending = mail is not None and mail.pending_revision == held.mail.detail.revision
        return is_pending and all(not head.deleted for head in heads.values()) and held.holder in heads

    def _bring(self, head: DocumentHead, attachment: Attachment) -> None:
        """Keep the bytes of a pending revision.

        They come behind the rows, by which alone a purge could find them: none is left behind by a kill in between.
        """
        digest = hashlib.sha256(attachment.data).hexdigest()
        key = raw_key(head.kb_id, head.doc_id, head.pending_revision, digest)
        self._blobs.put(key, attachment.data, content_type=attachment.content_type)
        after = self._documents.head(head.doc_id)
        if after is None or after.deleted:
            self._blobs.delete([key])


def _held(mail: Mail, found: Sequence[Attachment], attachment: Attachment, holder: str) -> _Held:
    digest = hashlib.sha256(attachment.data).hexdigest()
    identity = json.dumps([holder, attachment.name, digest], ensure_ascii=False).encode()
    of_mail = mail.metadata if attachment.within is None else found[attachment.within].metadata
    inherited = () if attachment.metadata else INHERITED
    submission = Submission(
        title=None,
        name=attachment.name,
        content_type=attachment.content_type,
        data=attachment.data,
        external_id=digest,
        url=mail.detail.url,
        metadata={
            **{name: of_mail[name] for name in inherited if name in of_mail},
            **mail.detail.metadata,
            "attachment_of": holder,
        },
        source=mail.head.source,
        options=replace(mail.detail.options, reader=None),
    )
    return _Held(mail, document_id(identity), holder, submission)


def _tie(held: _Held, known: Attached | None) -> Attached:
    """Note the mail's revision beside those that it may still show."""
    mail = held.mail
    kept = [each for each in (known.revisions if known else ()) if each == mail.head.visible_revision]
    return Attached(
        doc_id=held.doc_id,
        parent=mail.head.doc_id,
        holder=held.holder,
        revisions=(*kept, mail.detail.revision),
        origin=held.origin,
        version=known.version + 1 if known else 1,
    )


def _path(found: Sequence[Attachment], at: int) -> str:
    """Name an attachment behind the mails that hold it."""
    attachment = found[at]
    before = "" if attachment.within is None else f"{_path(found, attachment.within)}/"
    return before + attachment.name
