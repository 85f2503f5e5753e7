"""Rows of what imports listed: one partition a source, or a one-off import."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from knowhub.catalog import keys
from knowhub.catalog.rows import from_item, read_all, to_item
from knowhub.errors import ConditionFailed
from knowhub.model.document import Loss
from knowhub.model.source import ListedItem
from knowhub.ports.sources_rules import UPLOAD
from knowhub.ports.table import Delete, Equals, Item, Key, Page, Put, Query, Table


class ItemRows:
    """Listed items over the table port; every read is consistent."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def all(self, kb_id: int, collection: str) -> Iterator[ListedItem]:
        """Read everything that a collection's imports listed."""
        query = Query(keys.source_items(kb_id, collection), limit=500)
        return map(_listed, read_all(self._table, query))

    def page(self, kb_id: int, collection: str, *, after: str | None, limit: int) -> list[ListedItem]:
        """Read up to `limit` listed items after a document id, by document id."""
        # Document ids are letters, digits and "_", of one length: "!" sorts before what follows, "~" after all.
        start, end = f"{after}!" if after else "0", "~"
        page: Page = self._table.query(Query(keys.source_items(kb_id, collection), start=start, end=end, limit=limit))
        return [_listed(item) for item in page.items]

    def get(self, kb_id: int, collection: str, doc_id: str) -> ListedItem | None:
        """Read one listed item."""
        item = self._table.get(Key(keys.source_items(kb_id, collection), doc_id))
        return None if item is None else _listed(item)

    def save(self, kb_id: int, collection: str, listed: ListedItem) -> None:
        """Write a listed item."""
        self._table.write(Put(to_item(Key(keys.source_items(kb_id, collection), listed.doc_id), listed)))

    def forget(self, kb_id: int, collection: str, listed: ListedItem) -> None:
        """Remove a listed item, with what was kept of the upload that it was made of."""
        if listed.external_id.startswith(UPLOAD):
            # One that is not taken expires by itself, with its bytes.
            with suppress(ConditionFailed):
                upload = keys.upload(listed.external_id.removeprefix(UPLOAD))
                self._table.write(Delete(upload, Equals("taken", value=True)))
        self._table.write(Delete(Key(keys.source_items(kb_id, collection), listed.doc_id)))

    def forget_all(self, kb_id: int, collection: str) -> None:
        """Remove everything that a collection lists."""
        for listed in list(self.all(kb_id, collection)):
            self.forget(kb_id, collection, listed)


def _listed(item: Item) -> ListedItem:
    loss: Any = item.get("loss")
    return from_item(ListedItem, item, loss=None if loss is None else Loss(**loss))
