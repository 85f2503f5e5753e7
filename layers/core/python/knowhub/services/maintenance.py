"""Maintenance: what waits too long is sent again, and what has expired is dropped."""

from knowhub.catalog import keys
from knowhub.catalog.documents import DocumentRows, DueWork
from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
from knowhub.model.times import iso
from knowhub.ports.clock import Clock
from knowhub.ports.queue import Queue
from knowhub.ports.table import Table
from knowhub.services.uploads import PREFIX
from knowhub.services.work import Work

PATIENCE_SECONDS = 600
"""How long a row may wait for work before its message counts as lost; longer than the reader function may run."""

EXPIRED_SECONDS = 24 * 3600
"""How long an expired row is kept: what it names may still be on its way, and is looked for by it."""

_ROWS_AT_ONCE = 200


class Maintenance:
    """Finds rows whose work never came and queues it again; a message too many does no harm."""

    def __init__(
        self, documents: DocumentRows, kbs: KnowledgeBaseRows, table: Table, queue: Queue, clock: Clock
    ) -> None:
        """Keep the collaborators."""
        self._documents = documents
        self._kbs = kbs
        self._table = table
        self._queue = queue
        self._clock = clock

    def sweep(self) -> int:
        """Send again what has waited over `PATIENCE_SECONDS` and give the number of messages.

        Rows that expired over `EXPIRED_SECONDS` ago are dropped, where the table does not do that by itself.
        """
        before = iso(self._clock.now() - PATIENCE_SECONDS)
        sent = 0
        for shard in range(keys.WORK_SHARDS):
            for due in self._documents.due(shard, before, _ROWS_AT_ONCE):
                sent += self._send_again(due)
        self._table.drop_expired(self._clock.now() - EXPIRED_SECONDS)
        return sent

    def _send_again(self, due: DueWork) -> int:
        work = self._work(due)
        if work is None:
            return 0
        self._queue.send([work.message()])
        self._documents.postpone(due, iso(self._clock.now()))
        return 1

    def _work(self, due: DueWork) -> Work | None:
        if due.kind == "KB":
            return self._knowledge_base(due)
        if due.kind == "REINDEX":
            return Work("reindex", 0, due.item_id)
        if due.kind == "RUN":
            # An import's row goes when it ends, and the runner looks for the rest.
            return Work("import", 0, due.item_id)
        if due.kind == "UPLOAD":
            return Work("take_upload", 0, PREFIX + due.item_id)
        return self._document(due)

    def _knowledge_base(self, due: DueWork) -> Work | None:
        kb = self._kbs.get(int(due.item_id))
        return Work("purge_kb", kb.kb_id) if kb is not None and kb.deleted else None

    def _document(self, due: DueWork) -> Work | None:
        head = self._documents.head(due.item_id)
        if head is None:
            return None
        if head.deleted:
            return Work("purge_document", head.kb_id, head.doc_id)
        return Work("read", head.kb_id, head.doc_id, head.pending_revision) if head.pending_revision else None
