"""Jobs as a use-case: a caller watches its own work and that of the KBs it reads."""

from knowhub.catalog.jobs import JobRows
from knowhub.errors import NotFound
from knowhub.model.job import Job
from knowhub.model.principal import Principal
from knowhub.services.permissions import Permissions


class Jobs:
    """Shows jobs."""

    def __init__(self, rows: JobRows, permissions: Permissions) -> None:
        """Keep the collaborators."""
        self._rows = rows
        self._permissions = permissions

    def get(self, principal: Principal, job_id: str) -> Job:
        """Show a job of a KB that the principal reads, or one of the hub's own to an administrator.

        Any other raises the same `NotFound` as an absent one.
        """
        job = self._rows.get(job_id)
        if job is None or not self._visible(principal, job):
            raise NotFound("JOB", {"job_id": job_id})
        return job

    def _visible(self, principal: Principal, job: Job) -> bool:
        if not job.kb_id:
            return principal.role == "admin" and "admin" in principal.scopes
        return bool(self._permissions.readable_of(principal, [job.kb_id]))
