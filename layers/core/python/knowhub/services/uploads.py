"""Uploads: files too large for a body go to the blob store by a ticket, and become documents when they arrive.

One for an import stays where it is until an import names it (`import_uploads`) or it expires.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from knowhub.catalog.jobs import JobRows
from knowhub.catalog.uploads import Upload, UploadRows
from knowhub.errors import KnowhubError, NotFound, Retryable
from knowhub.model.document import Submission
from knowhub.model.job import Job
from knowhub.model.principal import Principal
from knowhub.model.times import iso
from knowhub.observability import report
from knowhub.ports.blobs import Blobs, UploadTicket
from knowhub.ports.clock import Clock
from knowhub.ports.identifiers import Identifiers
from knowhub.services.documents import Documents
from knowhub.services.identity import Identity

MAX_BYTES = 100 * 1024 * 1024
TICKET_SECONDS = 3600

_ARRIVAL_SECONDS = 24 * 3600
"""How long after its ticket's end a file may still be on its way; the bucket drops it after a day too."""

PREFIX = "uploads/"


@dataclass(frozen=True, slots=True)
class Announced:
    """What a client says of a file before it sends it; the title may be empty."""

    title: str
    name: str
    content_type: str
    size: int
    external_id: str | None
    url: str | None
    metadata: Mapping[str, object]
    for_import: bool = False


@dataclass(frozen=True, slots=True)
class Granted:
    """Where to send the file, and the job that tells when it is read; what is for an import has none."""

    upload_id: str
    job_id: str | None
    ticket: UploadTicket


class Uploads:
    """Hands tickets out, and takes in what arrives by them."""

    def __init__(
        self,
        *,
        rows: UploadRows,
        jobs: JobRows,
        blobs: Blobs,
        documents: Documents,
        identity: Identity,
        clock: Clock,
        identifiers: Identifiers,
    ) -> None:
        """Keep the collaborators."""
        self._rows = rows
        self._jobs = jobs
        self._blobs = blobs
        self._documents = documents
        self._identity = identity
        self._clock = clock
        self._identifiers = identifiers

    def grant(self, principal: Principal, kb_id: int, announced: Announced) -> Granted:
        """Give a ticket for one file of up to the announced size; raises as adding a document does."""
        self._documents.writable(principal, kb_id)
        now = self._clock.now()
        upload_id = self._identifiers.new("up_")
        job_id = None if announced.for_import else self._identifiers.new("job_")
        ticket = self._ticket(upload_id, announced)
        if job_id is not None:
            self._jobs.create(Job(job_id, "read", "pending", kb_id, principal.user_id, iso(now)))
        self._rows.create(
            Upload(
                upload_id=upload_id,
                kb_id=kb_id,
                user_id=principal.user_id,
                job_id=job_id,
                title=announced.title,
                name=announced.name,
                content_type=announced.content_type,
                expires_at=int(now) + TICKET_SECONDS + _ARRIVAL_SECONDS,
                external_id=announced.external_id,
                url=announced.url,
                metadata=announced.metadata,
                for_import=announced.for_import,
            )
        )
        return Granted(upload_id, job_id, ticket)

    def grant_again(self, principal: Principal, upload_id: str, announced: Announced) -> Granted:
        """Give another ticket for an upload that was granted; raises `NotFound` once its file has been taken in."""
        upload = self._rows.get(upload_id)
        if upload is None or upload.user_id != principal.user_id or upload.expired(self._clock.now()):
            raise NotFound("UPLOAD", {"upload_id": upload_id})
        self._documents.writable(principal, upload.kb_id)
        return Granted(upload_id, upload.job_id, self._ticket(upload_id, announced))

    def _ticket(self, upload_id: str, announced: Announced) -> UploadTicket:
        return self._blobs.presign_upload(
            PREFIX + upload_id,
            content_type=announced.content_type,
            max_bytes=announced.size,
            seconds=TICKET_SECONDS,
        )

    def arrived(self, key: str) -> None:
        """Make a document of a file that came by a ticket; may be told of the same file again, and of one too late.

        A file without a row (its ticket unknown, or used already) is removed, and one that an import has taken. So is
        one that can't be taken in, and one that has expired: the reason is on its job. What is for an import waits.
        """
        upload = self._rows.get(key.removeprefix(PREFIX))
        if upload is not None and upload.expired(self._clock.now()):
            self._expire(upload)
        elif upload is not None and upload.for_import:
            if not upload.taken:
                return
        elif upload is not None and self._blobs.stat(key) is not None:
            self._take_in(key, upload)
        self._blobs.delete([key])

    def _expire(self, upload: Upload) -> None:
        if upload.job_id is not None:
            self._jobs.end(upload.job_id, "failed", iso(self._clock.now()), "No file came in time")
        self._rows.forget(upload.upload_id)

    def _take_in(self, key: str, upload: Upload) -> None:
        submission = Submission(
            title=upload.title or None,
            name=upload.name,
            content_type=upload.content_type,
            data=self._blobs.get(key),
            external_id=upload.external_id or upload.upload_id,
            url=upload.url,
            metadata=upload.metadata,
        )
        try:
            principal = self._identity.on_behalf_of(upload.user_id, upload.kb_id)
            self._documents.submit(principal, upload.kb_id, submission, job_id=upload.job_id)
        except Retryable:
            raise
        except KnowhubError as error:
            report("upload refused", error, upload_id=upload.upload_id)
            reason = (
                "The knowledge base is gone or closed to its sender" if isinstance(error, NotFound) else error.message
            )
            if upload.job_id is not None:
                self._jobs.end(upload.job_id, "failed", iso(self._clock.now()), reason)
        self._rows.forget(upload.upload_id)
