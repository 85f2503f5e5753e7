"""Rows of documents: heads that hot paths read, details beside them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from heapq import merge
from itertools import islice
from typing import Any

from knowhub.catalog import keys
from knowhub.catalog.rows import from_item, losses_of, read_all
from knowhub.errors import ConditionFailed
from knowhub.model.document import Attached, DocumentDetail, DocumentHead, ReadingOptions
from knowhub.model.knowledge_base import Chunking
from knowhub.ports.table import Delete, Exists, Item, Key, Operation, Query, Table, Update


@dataclass(frozen=True, slots=True)
class DueWork:
    """A row that waits for background work: `DOC` a document's, `KB` a deleted KB's, `RUN` an import's.

    `UPLOAD` is an upload of which nothing came in time.
    """

    kind: str
    item_id: str


class DocumentRows:
    """Documents over the table port; heads are read consistently, lists by an index that may lag on AWS."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def head(self, doc_id: str) -> DocumentHead | None:
        """Read one head, a tombstone too."""
        if len(doc_id) > keys.MAX_ID:
            return None
        item = self._table.get(keys.document(doc_id))
        return None if item is None else from_item(DocumentHead, item)

    def heads(self, doc_ids: Iterable[str]) -> dict[str, DocumentHead]:
        """Read heads by id, tombstones too; absent ones are left out."""
        rows = self._table.get_many([keys.document(doc_id) for doc_id in doc_ids])
        heads = [from_item(DocumentHead, item) for item in rows.values()]
        return {head.doc_id: head for head in heads}

    def detail(self, doc_id: str, revision: int) -> DocumentDetail | None:
        """Read the detail of one revision."""
        item = self._table.get(keys.document_detail(doc_id, revision))
        return None if item is None else _detail(item)

    def shown_metadata(self, head: DocumentHead) -> Mapping[str, object] | None:
        """Read the metadata of a document's visible revision, what its reader found among it; None without one."""
        if not head.visible_revision or head.deleted:
            return None
        detail = self.detail(head.doc_id, head.visible_revision)
        return None if detail is None else detail.described

    def details(self, revisions: Iterable[tuple[str, int]]) -> dict[str, DocumentDetail]:
        """Read details of documents' revisions, by document id."""
        wanted = [keys.document_detail(doc_id, revision) for doc_id, revision in revisions]
        return {detail.doc_id: detail for detail in map(_detail, self._table.get_many(wanted).values())}

    def revisions(self, doc_id: str) -> list[DocumentDetail]:
        """Read the details of every revision that is still described, by ascending revision."""
        query = Query(keys.document(doc_id).pk, prefix=keys.DETAIL_PREFIX, limit=1000)
        return [_detail(item) for item in read_all(self._table, query)]

    def attached(self, parent: str) -> list[Attached]:
        """Read what ties attachments to a mail, by document id."""
        query = Query(keys.document(parent).pk, prefix=keys.ATTACHED_PREFIX, limit=1000)
        return [_attached(item) for item in read_all(self._table, query)]

    def forget_detail(self, doc_id: str, revision: int) -> None:
        """Remove the detail of one revision."""
        self._table.write(Delete(keys.document_detail(doc_id, revision)))

    def postpone(self, due: DueWork, until: str) -> None:
        """Note that a waiting row's work was sent again; a row that no longer waits is left alone."""
        key = _due_key(due)
        place = f"{until}#{due.kind}#{due.item_id}"
        with suppress(ConditionFailed):
            self._table.write(Update(key, values={"due_sk": place}, condition=Exists("due_pk")))

    def commit(self, operations: Sequence[Operation]) -> None:
        """Apply one of the transactions of `document_writes`; raises `ConditionFailed` where the state moved on."""
        self._table.transact(operations)

    def newest(
        self, kb_id: int, shards: int, *, before: str | None, limit: int, status: str | None = None
    ) -> list[tuple[str, str]]:
        """List up to `limit` documents, newest first, as (place, doc_id); `before` is the place to go on after."""
        streams = [self._stream(kb_id, shard, before, limit, status) for shard in range(max(shards, 1))]
        return list(islice(merge(*streams, reverse=True), limit))

    def due(self, shard: int, before: str, limit: int) -> list[DueWork]:
        """List rows of a work shard that have waited since before this time, oldest first."""
        page = self._table.query(Query(keys.work(shard), index="due", start="0", end=before, limit=limit))
        found = [str(item["due_sk"]).split("#", 2) for item in page.items]
        return [DueWork(kind, item_id) for _, kind, item_id in found]

    def _stream(
        self, kb_id: int, shard: int, before: str | None, limit: int, status: str | None
    ) -> Iterator[tuple[str, str]]:
        index = "list" if status is None else "state"
        partition = keys.document_list(kb_id, shard) if status is None else keys.document_state(kb_id, status, shard)
        # `~` sorts after every ISO time, so an open end takes the newest too.
        query = Query(partition, index=index, start="0", end=before or "~", limit=min(limit, 1000), descending=True)
        return ((str(item[f"{index}_sk"]), str(item["doc_id"])) for item in read_all(self._table, query))


def _detail(item: Item) -> DocumentDetail:
    metadata, found = item.get("metadata") or {}, item.get("found") or {}
    return from_item(
        DocumentDetail,
        item,
        losses=losses_of(item),
        metadata=metadata if isinstance(metadata, dict) else {},
        found=found if isinstance(found, dict) else {},
        options=_options(item.get("options")),
        attachments=tuple(map(str, _list(item.get("attachments")))),
    )


def _attached(item: Item) -> Attached:
    return from_item(Attached, item, revisions=tuple(int(str(each)) for each in _list(item["revisions"])))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _options(value: Any) -> ReadingOptions:
    found: dict[str, Any] = value or {}
    chunking = found.get("chunking")
    return ReadingOptions(
        chunking=None if chunking is None else Chunking.of(chunking),
        transformers=tuple(found.get("transformers") or ()),
        reader=found.get("reader"),
    )


def _due_key(due: DueWork) -> Key:
    if due.kind == "KB":
        return keys.knowledge_base(int(due.item_id))
    if due.kind == "REINDEX":
        return keys.reindex()
    if due.kind == "UPLOAD":
        return keys.upload(due.item_id)
    return keys.import_run(due.item_id) if due.kind == "RUN" else keys.document(due.item_id)
