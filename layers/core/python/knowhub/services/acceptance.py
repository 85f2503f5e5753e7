"""Acceptance: what a submission becomes in the catalog, whether a caller sent it or a mail holds it."""

import hashlib
import json
from base64 import b32encode

from knowhub.model.document import DocumentChange, DocumentDetail, DocumentHead, Submission
from knowhub.model.knowledge_base import KnowledgeBase


def accepted(
    kb: KnowledgeBase,
    doc_id: str,
    old: DocumentHead | None,
    submission: Submission,
    *,
    fingerprint: str,
    now: str,
    job_id: str | None = None,
    parent: str | None = None,
) -> tuple[DocumentHead, DocumentDetail]:
    """Give the rows by which a submission becomes the document's pending revision; `old` may be a tombstone."""
    live = old if old is not None and not old.deleted else None
    revision = next_revision(old)
    head = DocumentHead(
        doc_id=doc_id,
        kb_id=kb.kb_id,
        title=submission.title or (live.title if live and live.visible_revision else submission.name),
        status="ready" if live and live.visible_revision else "pending",
        last_revision=revision,
        visible_revision=live.visible_revision if live else 0,
        pending_revision=revision,
        chunk_count=live.chunk_count if live else 0,
        content_hash=content_hash(submission),
        fingerprint=fingerprint,
        attempts=0,
        created_at=live.created_at if live else now,
        updated_at=now,
        job_id=job_id,
        source=submission.source,
        version=(old.version if old else 0) + 1,
        parent=parent,
    )
    detail = DocumentDetail(
        doc_id=doc_id,
        revision=revision,
        name=submission.name,
        content_type=submission.content_type,
        size=len(submission.data),
        raw_key=raw_key(kb.kb_id, doc_id, revision, hashlib.sha256(submission.data).hexdigest()),
        external_id=submission.external_id,
        url=submission.url,
        metadata=submission.metadata,
        options=submission.options,
        title=submission.title,
    )
    return head, detail


def document_id(identity: bytes) -> str:
    """Give the id under which what has this identity is kept."""
    return "d_" + b32encode(hashlib.sha256(identity).digest()).decode().lower()[:26]


def next_revision(old: DocumentHead | None) -> int:
    """Give the revision that new content gets; a tombstone's are not used again."""
    return (old.last_revision if old else 0) + 1


def raw_key(kb_id: int, doc_id: str, revision: int, digest: str) -> str:
    """Name the blob of a revision's bytes.

    The revision is part of the key: a purge of an older one can never take bytes that have just come again.
    """
    return f"raw/{kb_id}/{doc_id}/{revision}/{digest}"


def is_unchanged(old: DocumentHead | None, content: str, fingerprint: str) -> bool:
    """Whether what is visible, or on its way, is this same content under the same fingerprint."""
    if old is None or old.deleted or not (old.visible_revision or old.pending_revision):
        return False
    latest_failed = old.last_revision not in {old.visible_revision, old.pending_revision}
    return old.content_hash == content and old.fingerprint == fingerprint and not latest_failed


def content_hash(submission: Submission) -> str:
    """Hash what makes a document's content: bytes, title, url and the user's metadata."""
    described = [submission.title, submission.name, submission.content_type, submission.url, dict(submission.metadata)]
    digest = hashlib.sha256(json.dumps(described, sort_keys=True, ensure_ascii=False).encode())
    digest.update(submission.data)
    return digest.hexdigest()


def changed_submission(head: DocumentHead, detail: DocumentDetail, change: DocumentChange, data: bytes) -> Submission:
    """Give a document's latest content as it would be sent with a change."""
    title = detail.title if change.title is None else change.title
    url = detail.url if change.url is None else change.url
    return Submission(
        title=title or None,
        name=detail.name,
        content_type=detail.content_type,
        data=data,
        external_id=detail.external_id,
        url=url or None,
        metadata=detail.metadata if change.metadata is None else change.metadata,
        source=head.source,
        options=detail.options,
    )
