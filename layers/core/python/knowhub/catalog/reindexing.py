"""The row of a rebuild of the chunk index: there is at most one at a time."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from knowhub.catalog import keys
from knowhub.catalog.rows import from_item, losses_of, plain, to_item
from knowhub.errors import ConditionFailed, Conflict
from knowhub.model.document import Loss
from knowhub.ports.table import Delete, Equals, Item, Missing, Put, Table

Phase = Literal["write", "check"]


@dataclass(frozen=True, slots=True)
class ReindexRun:
    """How far a rebuild has come: its generation, 0 before the first slice, and the place to go on after.

    `made_at` is when the generation was made, in epoch seconds.
    `done` counts documents written, `added` those that the check in hand has found missing.
    """

    job_id: str
    started_at: str
    generation: int = 0
    made_at: int = 0
    phase: Phase = "write"
    kb_id: int = 0
    place: str | None = None
    done: int = 0
    added: int = 0
    updated_at: str = ""
    losses: tuple[Loss, ...] = ()

    @property
    def failed(self) -> int:
        """Count the documents that could not be written."""
        return len(self.losses)


class ReindexRows:
    """The rebuild's row over the table port, read consistently."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def get(self) -> ReindexRun | None:
        """Read the rebuild that is going on."""
        item = self._table.get(keys.reindex())
        return None if item is None else from_item(ReindexRun, item, losses=losses_of(item))

    def begin(self, run: ReindexRun) -> None:
        """Write a new rebuild; raises `Conflict`, with its job's id, where one is going on."""
        try:
            self._table.write(Put(_row(run), Missing()))
        except ConditionFailed as error:
            going = self.get()
            raise Conflict("The index is being rebuilt", {"job_id": going.job_id if going else None}) from error

    def advance(self, run: ReindexRun) -> None:
        """Note how far it has come, with the losses that are noted already; one that is over stays over."""
        current = self.get()
        if current is None or current.job_id != run.job_id:
            return
        with suppress(ConditionFailed):
            self._table.write(Put(_row(replace(run, losses=current.losses)), Equals("job_id", run.job_id)))

    def lose(self, job_id: str, loss: Loss, most: int) -> None:
        """Note a document that could not be written, once, up to a number of them."""
        current = self.get()
        if current is None or current.job_id != job_id or loss in current.losses or len(current.losses) >= most:
            return
        with suppress(ConditionFailed):
            self._table.write(Put(_row(replace(current, losses=(*current.losses, loss))), Equals("job_id", job_id)))

    def end(self, job_id: str) -> None:
        """Remove the row; one of another rebuild stays."""
        with suppress(ConditionFailed):
            self._table.write(Delete(keys.reindex(), Equals("job_id", job_id)))


def _row(run: ReindexRun) -> Item:
    # The sweeper finds it by these members, should its message be lost.
    item = to_item(keys.reindex(), run, due_pk=keys.work(0), due_sk=f"{run.updated_at}#REINDEX#{run.job_id}")
    return {**item, "losses": plain(run.losses)}
