"""Counters of metadata values, from which filters are built: by KB, key and value.

They change in the transaction that makes a revision visible or takes it away, so they count what is visible. The
counter of one value has shards, chosen by the document, since a whole import may have one value in common.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from knowhub.catalog import keys
from knowhub.catalog.rows import read_all
from knowhub.model.facet import Facet
from knowhub.ports.table import Delete, Item, Key, Operation, Query, Table, Update

MOST_PAIRS = 30
"""Pairs of key and value that are counted of one document: two revisions' fit into one transaction with the rest."""

MOST_KEYS = 200
"""Keys that are shown of a KB, in their order."""

MOST_VALUES = 50
"""Values that are shown of a key, the commonest of those that were looked at."""

LONGEST = 256
"""Bytes of a value, and of a key, that is counted: a longer one can't be filtered by."""

_ROWS_A_KEY = 2_000
"""Counters that are read of one key: enough for 50 values, however they are spread."""


def changes(
    kb_id: int, doc_id: str, before: Mapping[str, object] | None, after: Mapping[str, object] | None
) -> list[Operation]:
    """Build the operations that count a document's new metadata and no longer its old; None where it has none."""
    old, new = _pairs(before or {}), _pairs(after or {})
    shard = sha256(doc_id.encode()).digest()[1] % keys.COUNT_SHARDS
    operations: list[Operation] = [
        Update(_counter(kb_id, key, spelt, shard), increments={"count": step}, values={"value": spelt})
        for pairs, others, step in ((old, new, -1), (new, old, 1))
        for key, spelt in pairs
        if (key, spelt) not in others
    ]
    known = {key for key, _ in old}
    fresh = dict.fromkeys(key for key, _ in new if key not in known)
    return [*operations, *(Update(_name(kb_id, key), values={"key": key}) for key in fresh)]


class FacetRows:
    """Metadata counters over the table port."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def of(self, kb_id: int) -> list[Facet]:
        """List the keys of a KB in order, each with its commonest values; a key that no document has is left out."""
        names = self._table.query(Query(keys.facets(kb_id), limit=MOST_KEYS)).items
        found = [self._facet(kb_id, str(item["key"])) for item in names]
        return [facet for facet in found if facet.values]

    def forget_kb(self, kb_id: int) -> None:
        """Remove every counter of a KB."""
        for item in list(read_all(self._table, Query(keys.facets(kb_id), limit=1000))):
            partition = keys.facet_values(kb_id, str(item["key"]))
            for counter in list(read_all(self._table, Query(partition, limit=1000))):
                self._delete(counter)
            self._delete(item)

    def _delete(self, item: Item) -> None:
        self._table.write(Delete(Key(str(item["pk"]), str(item["sk"]))))

    def _facet(self, kb_id: int, key: str) -> Facet:
        totals: dict[str, int] = {}
        more = False
        for read, item in enumerate(self._counters(kb_id, key)):
            if read >= _ROWS_A_KEY:
                more = True
                break
            spelt = str(item["value"])
            totals[spelt] = totals.get(spelt, 0) + int(str(item["count"]))
        living = {spelt: total for spelt, total in totals.items() if total > 0}
        best = sorted(living, key=lambda spelt: (-living[spelt], spelt))[:MOST_VALUES]
        return Facet(key, tuple((json.loads(one), living[one]) for one in best), more or len(living) > len(best))

    def _counters(self, kb_id: int, key: str) -> Iterator[Item]:
        query = Query(keys.facet_values(kb_id, key), limit=1000)
        page = self._table.query(query)
        yield from page.items
        while page.cursor is not None:
            page = self._table.query(replace(query, cursor=page.cursor))
            yield from page.items


def _pairs(metadata: Mapping[str, object]) -> dict[tuple[str, str], None]:
    """Give the pairs that are counted of a document, in its order: keys with single values, each as JSON."""
    pairs: dict[tuple[str, str], None] = {}
    for key, value in metadata.items():
        for one in value if isinstance(value, Sequence) and not isinstance(value, str) else (value,):
            if not isinstance(one, (str, int, float)) or not key:
                continue
            spelt = json.dumps(one, ensure_ascii=False)
            if max(len(key.encode()), len(spelt.encode())) <= LONGEST and len(pairs) < MOST_PAIRS:
                pairs[key, spelt] = None
    return pairs


def _name(kb_id: int, key: str) -> Key:
    return Key(keys.facets(kb_id), key)


def _counter(kb_id: int, key: str, spelt: str, shard: int) -> Key:
    return Key(keys.facet_values(kb_id, key), f"{spelt}#{shard:02d}")
