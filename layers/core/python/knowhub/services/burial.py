"""Burial: a document is gone for everybody at once, and with a mail what came with it."""

from collections.abc import Iterable

from knowhub.catalog import document_writes as writes
from knowhub.catalog import facets
from knowhub.catalog.documents import DocumentRows
from knowhub.errors import ConditionFailed, Contention
from knowhub.model.document import Attached, DocumentHead
from knowhub.model.times import iso
from knowhub.ports.clock import Clock
from knowhub.ports.queue import OutgoingMessage, Queue
from knowhub.ports.table import Operation
from knowhub.services.work import Work

_ATTEMPTS = 10
"""Rounds over a document's attachments: one that its own reader has just moved on is left for the next."""


class Burial:
    """Puts tombstones; what they leave behind is purged later."""

    def __init__(self, documents: DocumentRows, queue: Queue, clock: Clock) -> None:
        """Keep the collaborators."""
        self._documents = documents
        self._queue = queue
        self._clock = clock

    def bury(self, head: DocumentHead) -> None:
        """Make a document gone, and before this returns the attachments that it holds.

        Its own tombstone comes first: once it is there, no reader can add an attachment. Raises `ConditionFailed`, with
        nothing done, where the document is not what was read of it.
        """
        self.bury_alone(head)
        self.drop_attachments(head.doc_id)

    def bury_alone(self, head: DocumentHead) -> None:
        """Make one document gone; its purge takes what it holds. Raises as `bury` does."""
        self._documents.commit(self._tombstone(head))
        self._queue.send([_purge(head)])

    def drop_attachments(self, doc_id: str) -> None:
        """Make those attachments gone that a document has no more; may be repeated at any time.

        Of a deleted document these are all; of a mail, those that neither the visible nor the pending revision has.
        """
        for _ in range(_ATTEMPTS):
            head = self._documents.head(doc_id)
            unused = [] if head is None else self._unused(head)
            changed = [] if head is None else [each for each in unused if not self._drop(each, head)]
            if not changed:
                return
        raise Contention("The document's attachments are being changed by others")

    def _unused(self, head: DocumentHead) -> list[Attached]:
        known = self._documents.attached(head.parent or head.doc_id)
        if head.deleted:
            return _held_by(head.doc_id, known)
        used = {head.visible_revision, head.pending_revision}
        return [each for each in known if head.parent is None and used.isdisjoint(each.revisions)]

    def _drop(self, attached: Attached, holder: DocumentHead) -> bool:
        """Untie and bury one attachment; False where it, or what its holder shows, has just changed."""
        head = self._documents.head(attached.doc_id)
        live = None if head is None or head.deleted else head
        gone = [] if live is None else self._tombstone(live)
        try:
            self._documents.commit([writes.detach(attached), writes.still_showing(holder), *gone])
        except ConditionFailed:
            return False
        if live is not None:
            self._queue.send([_purge(live)])
        return True

    def _tombstone(self, head: DocumentHead) -> list[Operation]:
        now = self._clock.now()
        uncounted = facets.changes(head.kb_id, head.doc_id, self._documents.shown_metadata(head), None)
        return [*writes.bury(head, iso(now), int(now) + writes.TOMBSTONE_SECONDS), *uncounted]


def _purge(head: DocumentHead) -> OutgoingMessage:
    return Work("purge_document", head.kb_id, head.doc_id).message()


def _held_by(doc_id: str, known: Iterable[Attached]) -> list[Attached]:
    """Give what a document holds, what the mails within it hold too."""
    holders, held, rest = {doc_id}, [], list(known)
    while found := [each for each in rest if each.holder in holders]:
        held += found
        holders |= {each.doc_id for each in found}
        rest = [each for each in rest if each not in found]
    return held
