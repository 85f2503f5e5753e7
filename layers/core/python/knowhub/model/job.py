"""Background work that a caller can watch."""

from dataclasses import dataclass
from typing import Literal

from knowhub.model.document import Loss

JobState = Literal["pending", "running", "completed", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Job:
    """A unit of work: counts of its items, times in ISO 8601 UTC, the error in words for a person.

    `losses` are the first of `loss_count` things that could not be carried over.
    """

    job_id: str
    kind: str
    state: JobState
    kb_id: int
    principal_id: str
    created_at: str
    done: int = 0
    total: int = 1
    failed: int = 0
    doc_id: str | None = None
    error: str | None = None
    started_at: str | None = None
    finished_at: str | None = None
    losses: tuple[Loss, ...] = ()
    loss_count: int = 0
