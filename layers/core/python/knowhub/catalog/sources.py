"""Rows of sources, of what they listed, and of the imports that read them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from knowhub.catalog import jobs, keys
from knowhub.catalog.rows import from_item, losses_of, read_all, to_item
from knowhub.catalog.source_items import ItemRows
from knowhub.model.document import Loss
from knowhub.model.job import Job
from knowhub.model.source import SourceRecord
from knowhub.ports.table import Condition, Delete, Equals, Item, Missing, Operation, Put, Query, Table

Phase = Literal["listing", "settling", "removing"]
LOSSES_KEPT = 100
_LONGEST_PLACE, _LONGEST_DETAIL = 500, 300
MAX_NAME = 200


@dataclass(frozen=True, slots=True)
class ImportRun:
    """How far an import has come: everything that the next slice of work needs.

    `collection` names the partition of its items. `listed` counts what the source declared, `unlisted` those of it that
    were lost in listing. `kept` names places whose loss keeps an earlier document from counting as missing; `complete`
    is False where they were too many to remember. `losses` are those of the listing: an item's own is on its row.

    `done` and `failed` are what is known of the items so far, to be shown; `watched` are documents of which it is not
    yet known. Settling counts anew.
    """

    job_id: str
    kb_id: int
    user_id: str
    collection: str
    spec: Mapping[str, object]
    run: int
    phase: Phase
    name: str | None = None
    cursor: str | None = None
    listed: int = 0
    unlisted: int = 0
    tries: int = 0
    complete: bool = True
    kept: tuple[str, ...] = ()
    losses: tuple[Loss, ...] = ()
    loss_count: int = 0
    done: int = 0
    failed: int = 0
    watched: tuple[str, ...] = ()

    def with_losses(self, *losses: Loss) -> "ImportRun":
        """Add losses; beyond `LOSSES_KEPT` only their number grows."""
        room = max(LOSSES_KEPT - len(self.losses), 0)
        told = [Loss(loss.code, loss.where[:_LONGEST_PLACE], loss.detail[:_LONGEST_DETAIL]) for loss in losses[:room]]
        return replace(self, losses=(*self.losses, *told), loss_count=self.loss_count + len(losses))


class SourceRows:
    """Sources and imports over the table port; every read is consistent."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table
        self.listed = ItemRows(table)

    def get(self, kb_id: int, name: str) -> SourceRecord | None:
        """Read one source."""
        if len(name) > MAX_NAME:
            return None
        item = self._table.get(keys.source(kb_id, name))
        return None if item is None else _source(item)

    def all(self, kb_id: int) -> list[SourceRecord]:
        """Read a KB's sources, by name."""
        query = Query(keys.knowledge_base(kb_id).pk, prefix=keys.SOURCE_PREFIX, limit=1000)
        return [_source(item) for item in read_all(self._table, query)]

    def put(self, row: SourceRecord, known: SourceRecord | None) -> None:
        """Write a source; raises `ConditionFailed` where it is not what was `known` of it (None: absent)."""
        condition: Condition = Missing() if known is None else Equals("version", known.version)
        self._table.write(Put(to_item(keys.source(row.kb_id, row.name), row), condition))

    def begin(self, row: SourceRecord | None, known: SourceRecord | None, run: ImportRun, job: Job) -> None:
        """Write what an import starts with, all or none; raises `ConditionFailed` where the source has changed."""
        operations: list[Operation] = [self._run_row(run, job.created_at), jobs.created(job)]
        if row is not None:
            condition: Condition = Missing() if known is None else Equals("version", known.version)
            operations.append(Put(to_item(keys.source(row.kb_id, row.name), row), condition))
        self._table.transact(operations)

    def remove(self, row: SourceRecord) -> None:
        """Remove a source; raises `ConditionFailed` where it has changed since."""
        self._table.write(Delete(keys.source(row.kb_id, row.name), Equals("version", row.version)))

    def run(self, job_id: str) -> ImportRun | None:
        """Read how far an import has come."""
        item = self._table.get(keys.import_run(job_id))
        if item is None:
            return None
        return from_item(
            ImportRun, item, losses=losses_of(item), kept=_texts(item, "kept"), watched=_texts(item, "watched")
        )

    def save_run(self, run: ImportRun, at: str) -> None:
        """Write how far an import has come; the sweeper finds it while it is here."""
        self._table.write(self._run_row(run, at))

    def _run_row(self, run: ImportRun, at: str) -> Put:
        shard = sum(run.job_id.encode()) % keys.WORK_SHARDS
        members = {"due_pk": keys.work(shard), "due_sk": f"{at}#RUN#{run.job_id}"}
        return Put(to_item(keys.import_run(run.job_id), run, **members))

    def forget_run(self, job_id: str) -> None:
        """Remove the row of an import that has ended."""
        self._table.write(Delete(keys.import_run(job_id)))

    def forget_kb(self, kb_id: int) -> None:
        """Remove a deleted KB's sources with what they listed."""
        for row in self.all(kb_id):
            self.listed.forget_all(kb_id, row.name)
            self._table.write(Delete(keys.source(kb_id, row.name)))


def _texts(item: Item, member: str) -> tuple[str, ...]:
    found = item.get(member) or []
    return tuple(str(each) for each in found) if isinstance(found, list) else ()


def _source(item: Item) -> SourceRecord:
    return from_item(SourceRecord, item, losses=losses_of(item))
