"""Rows of knowledge bases, their members and their counters."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256

from knowhub.catalog import keys
from knowhub.catalog.members import member_row
from knowhub.catalog.rows import from_item, read_all, to_item
from knowhub.errors import ConditionFailed, Conflict
from knowhub.model.knowledge_base import Chunking, KbCounts, KnowledgeBase
from knowhub.ports.table import (
    AllOf,
    Delete,
    Equals,
    Exists,
    Item,
    Missing,
    Operation,
    Put,
    Query,
    Table,
    Update,
)

MAX_KB_ID = 10**12
"""Ids come from a counter: nothing above is anybody's, and what lies far above no store could look up."""


@dataclass(frozen=True, slots=True)
class Counters:
    """A change of a KB's counters: numbers to add, by counter name."""

    changes: Mapping[str, int]

    def operation(self, kb_id: int, spread_by: str) -> Update:
        """Build the transaction's operation; `spread_by` (a document id) chooses the shard."""
        shard = sha256(spread_by.encode()).digest()[0] % keys.COUNT_SHARDS
        return Update(keys.counts(kb_id, shard), increments=dict(self.changes))


class KnowledgeBaseRows:
    """Knowledge bases over the table port; every read is consistent."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def next_id(self) -> int:
        """Take the next `kb_id`, counting from 1; an id is never given twice."""
        row = self._table.write(Update(keys.knowledge_base_counter(), increments={"last": 1}))
        return int(str((row or {})["last"]))

    def last_id(self) -> int:
        """Give the last `kb_id` that was taken, 0 before the first."""
        row = self._table.get(keys.knowledge_base_counter())
        return 0 if row is None else int(str(row["last"]))

    def create(self, kb: KnowledgeBase) -> None:
        """Write a new KB with its owner's membership; raises `Conflict` where the owner has one of that name."""
        reserved = keys.knowledge_base_name(kb.owner_id, kb.name)
        operations: list[Operation] = [
            Put(to_item(keys.knowledge_base(kb.kb_id), kb), Missing()),
            Put({"pk": reserved.pk, "sk": reserved.sk, "kb_id": kb.kb_id}, Missing()),
            Put(member_row(kb.owner_id, kb.kb_id, "owner")),
        ]
        if kb.visibility != "private":
            place = keys.shared_knowledge_base(kb.kb_id)
            operations.append(Put({"pk": place.pk, "sk": place.sk, "kb_id": kb.kb_id}))
        try:
            self._table.transact(operations)
        except ConditionFailed as error:
            raise Conflict("You already have a knowledge base of this name", {"name": kb.name}) from error

    def get(self, kb_id: int) -> KnowledgeBase | None:
        """Read one KB, a deleted one too."""
        if not 0 < kb_id <= MAX_KB_ID:
            return None
        item = self._table.get(keys.knowledge_base(kb_id))
        return None if item is None else _knowledge_base(item)

    def get_many(self, kb_ids: Iterable[int]) -> dict[int, KnowledgeBase]:
        """Read KBs by id, deleted ones too; absent ones are left out."""
        rows = self._table.get_many([keys.knowledge_base(kb_id) for kb_id in kb_ids])
        found = [_knowledge_base(item) for item in rows.values()]
        return {kb.kb_id: kb for kb in found}

    def change(self, old: KnowledgeBase, new: KnowledgeBase) -> None:
        """Replace what a KB says of itself.

        Raises `Conflict` where its owner has another one of the new name, `ConditionFailed` where it was changed since
        `old` was read.
        """
        renamed = old.name.casefold() != new.name.casefold()
        operations: list[Operation] = [
            Put(to_item(keys.knowledge_base(new.kb_id), new), Equals("version", old.version))
        ]
        if renamed:
            free = keys.knowledge_base_name(new.owner_id, new.name)
            operations.append(Put({"pk": free.pk, "sk": free.sk, "kb_id": new.kb_id}, Missing()))
            operations.append(Delete(keys.knowledge_base_name(old.owner_id, old.name)))
        place = keys.shared_knowledge_base(new.kb_id)
        if new.visibility != "private":
            operations.append(Put({"pk": place.pk, "sk": place.sk, "kb_id": new.kb_id}))
        elif old.visibility != "private":
            operations.append(Delete(place))
        try:
            self._table.transact(operations)
        except ConditionFailed as error:
            if renamed and error.detail.get("operations") == [1]:
                raise Conflict("You already have a knowledge base of this name", {"name": new.name}) from error
            raise

    def delete(self, kb: KnowledgeBase, at: str) -> None:
        """Put the tombstone that hides the KB and all beneath it; raises `ConditionFailed` if it is there."""
        reserved = keys.knowledge_base_name(kb.owner_id, kb.name)
        self._table.transact(
            [
                Update(
                    keys.knowledge_base(kb.kb_id),
                    values={
                        "deleted": True,
                        "updated_at": at,
                        # The sweeper sends the purge again until it is done.
                        "due_pk": keys.work(kb.kb_id % keys.WORK_SHARDS),
                        "due_sk": f"{at}#KB#{kb.kb_id}",
                    },
                    # Whoever changes what they read before finds that it is another version now.
                    increments={"version": 1},
                    condition=AllOf((Exists(), Equals("deleted", value=False))),
                ),
                Delete(reserved),
                Delete(keys.shared_knowledge_base(kb.kb_id)),
            ]
        )

    def set_language(self, kb_id: int, language: str) -> None:
        """Note the language of a KB that has none yet; one that was given stays."""
        with suppress(ConditionFailed):
            self._table.write(
                Update(
                    keys.knowledge_base(kb_id),
                    values={"language": language},
                    increments={"version": 1},
                    condition=Equals("language", ""),
                )
            )

    def purged(self, kb_id: int) -> None:
        """Note that a deleted KB's content is gone."""
        self._table.write(
            Update(
                keys.knowledge_base(kb_id),
                removals=("due_pk", "due_sk"),
                condition=Equals("deleted", value=True),
            )
        )

    def shared_ids(self) -> list[int]:
        """List the ids of shared and public KBs, ascending."""
        items = read_all(self._table, Query("SHARED", limit=1000))
        return [int(str(item["kb_id"])) for item in items]

    def counts(self, kb_id: int) -> KbCounts:
        """Sum the KB's counters."""
        totals = self.counters(kb_id)
        return KbCounts(documents=totals.get("documents", 0), chunks=totals.get("chunks", 0))

    def counters(self, kb_id: int) -> dict[str, int]:
        """Sum every counter of the KB by name."""
        totals: dict[str, int] = {}
        for item in read_all(self._table, Query(f"KB#{kb_id}", prefix=keys.COUNTS_PREFIX, limit=keys.COUNT_SHARDS)):
            for name, value in item.items():
                if isinstance(value, int) and name != "schema_version":
                    totals[name] = totals.get(name, 0) + value
        return totals


def _knowledge_base(item: Item) -> KnowledgeBase:
    chunking = item["chunking"]
    assert isinstance(chunking, dict)  # noqa: S101 - only `create` writes it; a wrong row must not pass silently
    return from_item(KnowledgeBase, item, chunking=Chunking.of(chunking))
