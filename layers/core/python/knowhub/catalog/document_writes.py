"""The transactions of a document's life, each conditional on the state that it leaves.

    (absent) --accept--> pending --begin--> reading --flip--> ready
                            |                  |----fail---> failed, or ready at the older revision
       any live state --accept (newer content)--> the same with a newer pending revision
       any live state --bury--> deleting (tombstone) --purged--> deleting, without work left

Counters change in the same transaction as the state they count. No transaction touches a KB row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from knowhub.catalog import jobs, keys
from knowhub.catalog.knowledge_bases import Counters
from knowhub.catalog.rows import plain, to_item
from knowhub.model.document import Attached, DocumentDetail, DocumentHead, Loss
from knowhub.model.job import Job
from knowhub.ports.table import AllOf, Check, Condition, Delete, Equals, Missing, Operation, Put, Update, Value

TOMBSTONE_SECONDS = 15 * 24 * 3600
"""A tombstone outlives the longest queue retention (14 days), so that a late message still finds it."""

_LOSSES_ON_ROW = 100


def head_row(head: DocumentHead, list_shards: int) -> Put:
    """Build the write of a live head with the index members that its state calls for."""
    shard = list_shard(head.doc_id, list_shards)
    place = f"{head.created_at}#{head.doc_id}"
    members = {
        "list_pk": keys.document_list(head.kb_id, shard),
        "list_sk": place,
        "state_pk": keys.document_state(head.kb_id, head.status, shard),
        "state_sk": place,
    }
    if head.pending_revision:
        members |= due_members(head.doc_id, head.updated_at)
    return Put(to_item(keys.document(head.doc_id), head, **members))


def due_members(doc_id: str, since: str) -> dict[str, str]:
    """Give the index members by which the sweeper finds a document that waits for work."""
    shard = sum(doc_id.encode()) % keys.WORK_SHARDS
    return {"due_pk": keys.work(shard), "due_sk": f"{since}#DOC#{doc_id}"}


def list_shard(doc_id: str, shards: int) -> int:
    """Choose the list shard (from 0) of a document."""
    return sum(doc_id.encode()) % max(shards, 1)


def unchanged_since(old: DocumentHead | None) -> Condition:
    """Build the condition that the head is still what was read; `version` counts every write."""
    return Missing() if old is None else Equals("version", old.version)


def accept(
    old: DocumentHead | None, new: DocumentHead, detail: DocumentDetail, job: Job | None, list_shards: int
) -> list[Operation]:
    """Take in new content as the pending revision; an attachment has no job of its own."""
    row = head_row(new, list_shards)
    return [
        replace(row, condition=unchanged_since(old)),
        Put(to_item(keys.document_detail(detail.doc_id, detail.revision), detail)),
        *([] if job is None else [jobs.created(job)]),
        *_cancelled(old, new.updated_at),
        moved(old, new),
    ]


def transition(old: DocumentHead, new: DocumentHead, list_shards: int, *more: Operation) -> list[Operation]:
    """Move a live document from one state to the next, with its counters and what else belongs to it."""
    row = head_row(new, list_shards)
    operations: list[Operation] = [replace(row, condition=unchanged_since(old)), *more]
    changes = _changes(old, new)
    if changes:
        operations.append(Counters(changes).operation(new.kb_id, new.doc_id))
    return operations


def attach(known: Attached | None, new: Attached, revision: int) -> list[Operation]:
    """Tie an attachment to the mail's revision that is being read; refused once that is not wanted any more.

    The mails that hold it must be there: what is deleted with them can't come after them.
    """
    unchanged: Condition = Missing() if known is None else Equals("version", known.version)
    wanted = AllOf((Equals("pending_revision", revision), Equals("deleted", value=False)))
    operations: list[Operation] = [
        Put(to_item(keys.attached(new.parent, new.doc_id), new), unchanged),
        Check(keys.document(new.parent), wanted),
    ]
    return operations if new.holder == new.parent else [*operations, still_there(new.holder)]


def detach(known: Attached) -> Delete:
    """Untie an attachment from its mail."""
    return Delete(keys.attached(known.parent, known.doc_id), Equals("version", known.version))


def still_there(doc_id: str) -> Check:
    """Refuse the whole transaction where a document is deleted."""
    return Check(keys.document(doc_id), Equals("deleted", value=False))


def still_showing(head: DocumentHead) -> Check:
    """Refuse the whole transaction where a document shows, or waits for, another revision than it did."""
    shown = ("visible_revision", head.visible_revision), ("pending_revision", head.pending_revision)
    members = [Equals(name, value) for name, value in shown]
    return Check(keys.document(head.doc_id), AllOf((*members, Equals("deleted", head.deleted))))


def detail_read(
    doc_id: str,
    revision: int,
    losses: Sequence[Loss],
    found: Mapping[str, object],
    attachments: Sequence[str] = (),
) -> Update:
    """Record what reading a revision found and lost; beyond 100 losses only their number is kept here."""
    values: dict[str, Value] = {
        "losses": [{"code": loss.code, "where": loss.where, "detail": loss.detail} for loss in losses[:_LOSSES_ON_ROW]],
        "loss_count": len(losses),
        "found": plain(found),
        "attachments": list(attachments),
    }
    return Update(keys.document_detail(doc_id, revision), values=values)


def detail_failed(doc_id: str, revision: int, reason: str) -> Update:
    """Record why a revision could not be read."""
    return Update(keys.document_detail(doc_id, revision), values={"error": reason})


def bury(old: DocumentHead, at: str, expires_at: int) -> list[Operation]:
    """Put the tombstone: gone from every list and count at once, with the purge left as due work."""
    removed = Update(
        keys.document(old.doc_id),
        values={
            "deleted": True,
            "status": "deleting",
            "visible_revision": 0,
            "pending_revision": 0,
            "chunk_count": 0,
            "updated_at": at,
            "expires_at": expires_at,
            "version": old.version + 1,
            **due_members(old.doc_id, at),
        },
        removals=("list_pk", "list_sk", "state_pk", "state_sk"),
        condition=AllOf((unchanged_since(old), Equals("deleted", value=False))),
    )
    changes = {f"status_{old.status}": -1, "documents": -1, "chunks": -old.chunk_count}
    if old.source is not None:
        changes[f"source_{old.source}"] = -1
    return [removed, *_cancelled(old, at), Counters(_nonzero(changes)).operation(old.kb_id, old.doc_id)]


def purged(doc_id: str) -> Update:
    """Note that nothing of a deleted document is left but its tombstone."""
    return Update(keys.document(doc_id), removals=("due_pk", "due_sk"), condition=Equals("deleted", value=True))


def moved(old: DocumentHead | None, new: DocumentHead) -> Update:
    """Build the counters' operation of a document that came or changed; a document that stays put adds 0."""
    changes = _changes(old, new) or {"documents": 0}
    return Counters(changes).operation(new.kb_id, new.doc_id)


def _changes(old: DocumentHead | None, new: DocumentHead) -> Mapping[str, int]:
    live = old if old is not None and not old.deleted else None
    changes = {f"status_{new.status}": 1}
    if live is None:
        changes["documents"] = 1
        if new.source is not None:
            changes[f"source_{new.source}"] = 1
    else:
        changes[f"status_{live.status}"] = changes.get(f"status_{live.status}", 0) - 1
    changes["chunks"] = new.chunk_count - (live.chunk_count if live else 0)
    return _nonzero(changes)


def _nonzero(changes: Mapping[str, int]) -> dict[str, int]:
    return {name: value for name, value in changes.items() if value}


def _cancelled(old: DocumentHead | None, at: str) -> list[Operation]:
    """End the job of a pending revision that will never be read."""
    if old is None or not old.pending_revision or old.job_id is None:
        return []
    return [jobs.ended(old.job_id, "cancelled", at)]
