"""Rows of jobs."""

from contextlib import suppress
from dataclasses import dataclass

from knowhub.catalog import keys
from knowhub.catalog.rows import from_item, losses_of, plain, to_item
from knowhub.errors import ConditionFailed
from knowhub.model.document import Loss
from knowhub.model.job import Job, JobState
from knowhub.ports.table import AllOf, Exists, Missing, Put, Table, Update, Value


@dataclass(frozen=True, slots=True)
class Tally:
    """What came of a job's items: `failed` counts the losses, of which the first are listed."""

    done: int
    total: int
    failed: int
    losses: tuple[Loss, ...] = ()


def created(job: Job) -> Put:
    """Build the operation that writes a new job."""
    return Put(
        to_item(
            keys.job(job.job_id),
            job,
            list_pk=keys.principal_jobs(job.principal_id),
            list_sk=f"{job.created_at}#{job.job_id}",
        )
    )


def started(job_id: str, at: str) -> Update:
    """Build the operation that marks a job as running."""
    return Update(keys.job(job_id), values={"state": "running", "started_at": at}, condition=Exists())


def ended(job_id: str, state: JobState, at: str, error: str | None = None, tally: Tally | None = None) -> Update:
    """Build the operation that ends a job; without a tally it had one item, which its state tells of."""
    counts = tally or Tally(int(state == "completed"), 1, int(state == "failed"))
    values: dict[str, Value] = {"state": state, "finished_at": at, **_counts(counts)}
    if counts.losses:
        values |= {"losses": plain(counts.losses), "loss_count": counts.failed}
    if error is not None:
        values["error"] = error
    return Update(keys.job(job_id), values=values, condition=Exists())


class JobRows:
    """Jobs over the table port."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def create(self, job: Job) -> None:
        """Write a new job."""
        self._table.write(created(job))

    def start(self, job_id: str, at: str) -> None:
        """Note that work on a job has begun."""
        self._table.write(started(job_id, at))

    def progress(self, job_id: str, tally: Tally) -> None:
        """Note how far a job of many items has come; one that has ended stays as it ended."""
        values: dict[str, Value] = {"state": "running", **_counts(tally)}
        with suppress(ConditionFailed):
            going = AllOf((Exists(), Missing("finished_at")))
            self._table.write(Update(keys.job(job_id), values=values, condition=going))

    def end(self, job_id: str, state: JobState, at: str, error: str | None = None, tally: Tally | None = None) -> None:
        """End a job; raises `ConditionFailed` where there is none."""
        self._table.write(ended(job_id, state, at, error, tally))

    def get(self, job_id: str) -> Job | None:
        """Read one job, consistently."""
        if len(job_id) > keys.MAX_ID:
            return None
        item = self._table.get(keys.job(job_id))
        return None if item is None else from_item(Job, item, losses=losses_of(item))


def _counts(tally: Tally) -> dict[str, Value]:
    return {"done": tally.done, "total": tally.total, "failed": tally.failed}
