"""Rows of jobs."""

from knowhub.catalog import keys
from knowhub.catalog.rows import from_item, losses_of, plain, to_item
from knowhub.model.document import Loss
from knowhub.model.job import Job, JobState
from knowhub.ports.table import Exists, Put, Table, Update, Value


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


def ended(job_id: str, state: JobState, at: str, error: str | None = None) -> Update:
    """Build the operation that ends a job of one item."""
    values: dict[str, Value] = {
        "state": state,
        "finished_at": at,
        "done": int(state == "completed"),
        "failed": int(state == "failed"),
    }
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

    def end(self, job_id: str, state: JobState, at: str, error: str | None = None) -> None:
        """End a job; raises `ConditionFailed` where there is none."""
        self._table.write(ended(job_id, state, at, error))

    def start(self, job_id: str, at: str) -> None:
        """Note that work on a job has begun."""
        self._table.write(started(job_id, at))

    def progress(self, job_id: str, *, done: int, total: int, failed: int) -> None:
        """Note how far a job of many items has come."""
        values: dict[str, Value] = {"state": "running", "done": done, "total": total, "failed": failed}
        self._table.write(Update(keys.job(job_id), values=values, condition=Exists()))

    def finish(
        self,
        job_id: str,
        state: JobState,
        at: str,
        *,
        done: int,
        total: int,
        failed: int,
        losses: tuple[Loss, ...],
        error: str | None,
    ) -> None:
        """End a job of many items; `failed` counts the losses, of which the first are listed."""
        values: dict[str, Value] = {
            "state": state,
            "finished_at": at,
            "done": done,
            "total": total,
            "failed": failed,
            "losses": plain(losses),
            "loss_count": failed,
        }
        if error is not None:
            values["error"] = error
        self._table.write(Update(keys.job(job_id), values=values, condition=Exists()))

    def get(self, job_id: str) -> Job | None:
        """Read one job, consistently."""
        if len(job_id) > keys.MAX_ID:
            return None
        item = self._table.get(keys.job(job_id))
        return None if item is None else from_item(Job, item, losses=losses_of(item))
