"""Imports and sources: a description of where documents come from, read once or again and again."""

import json
import re
from dataclasses import dataclass, replace

from knowhub.catalog.sources import ImportRun, Phase, SourceRows
from knowhub.catalog.uploads import UploadRows
from knowhub.errors import ConditionFailed, Conflict, InvalidRequest, NotFound, PayloadTooLarge
from knowhub.model.job import Job
from knowhub.model.knowledge_base import KnowledgeBase
from knowhub.model.principal import Principal
from knowhub.model.source import ListedItem, SourceRecord
from knowhub.model.times import iso
from knowhub.ports.clock import Clock
from knowhub.ports.identifiers import Identifiers
from knowhub.ports.queue import Queue
from knowhub.ports.sources import Sources, SourceSpec
from knowhub.services.documents import Documents
from knowhub.services.import_specs import spec_of
from knowhub.services.import_uploads import check_uploads
from knowhub.services.permissions import Permissions
from knowhub.services.work import Work

_NAME = re.compile(r"[\w .-]{1,200}")

MAX_SPEC_BYTES = 200_000
"""Of an import's description as JSON: it lies in a row, twice."""


@dataclass(frozen=True, slots=True)
class ListedPage:
    """Items of a source by document id; `after` is where to go on, None at the end."""

    items: tuple[ListedItem, ...]
    after: str | None


class Imports:
    """Starts imports and shows sources; the reading itself is background work (`import_runs`)."""

    def __init__(
        self,
        *,
        rows: SourceRows,
        uploads: UploadRows,
        queue: Queue,
        sources: Sources,
        documents: Documents,
        permissions: Permissions,
        clock: Clock,
        identifiers: Identifiers,
    ) -> None:
        """Keep the collaborators."""
        self._rows = rows
        self._uploads = uploads
        self._queue = queue
        self._sources = sources
        self._documents = documents
        self._permissions = permissions
        self._clock = clock
        self._identifiers = identifiers

    def start(self, principal: Principal, kb_id: int, sent: dict[str, object]) -> str:
        """Start an import and give its job's id; with a name it becomes a source of the KB.

        Raises `InvalidRequest` with the faults of what was sent, `Conflict` for a name that is taken, and as adding a
        document and opening the source do.
        """
        kb = self._documents.writable(principal, kb_id)
        spec = spec_of(sent)
        if len(json.dumps(sent)) > MAX_SPEC_BYTES:
            raise PayloadTooLarge(
                f"An import is described in at most {MAX_SPEC_BYTES} bytes", {"limit": MAX_SPEC_BYTES}
            )
        self._sources.open(spec, kb_id)
        _check(spec, kb)
        check_uploads(self._uploads, spec, kb_id, principal.user_id, self._clock.now())
        job_id = self._identifiers.new("job_")
        now = iso(self._clock.now())
        row = None
        if spec.name is not None:
            row = SourceRecord(
                kb_id, spec.name, sent, principal.user_id, 1, job_id, busy=True, created_at=now, updated_at=now
            )
        run = ImportRun(
            job_id=job_id,
            kb_id=kb_id,
            user_id=principal.user_id,
            collection=spec.name or job_id,
            spec=sent,
            run=1,
            phase="listing",
            name=spec.name,
        )
        try:
            self._begin(row, None, run, now)
        except ConditionFailed as error:
            raise Conflict("The knowledge base has a source of this name", {"name": spec.name}) from error
        return job_id

    def reload(self, principal: Principal, kb_id: int, name: str) -> str:
        """Read a source again and give the job's id.

        Raises `Conflict`, with the job in its detail, while an import or removal of it goes on: what has changed since
        that one began is perhaps not seen by it.
        """
        return self._again(principal, kb_id, name, "listing")

    def remove(self, principal: Principal, kb_id: int, name: str) -> str:
        """Start removing a source with every document that came from it, and give the job's id.

        Raises `Conflict` as `reload` does.
        """
        return self._again(principal, kb_id, name, "removing")

    def get(self, principal: Principal, kb_id: int, name: str) -> SourceRecord:
        """Show a source; raises `NotFound` (`SOURCE_NOT_FOUND`)."""
        self._permissions.require(principal, kb_id, "read")
        row = self._rows.get(kb_id, name)
        if row is None:
            raise NotFound("SOURCE", {"name": name})
        return row

    def list(self, principal: Principal, kb_id: int) -> list[SourceRecord]:
        """List a KB's sources by name."""
        self._permissions.require(principal, kb_id, "read")
        return self._rows.all(kb_id)

    def items(self, principal: Principal, kb_id: int, name: str, *, after: str | None, limit: int) -> ListedPage:
        """Page through what a source's imports listed."""
        self.get(principal, kb_id, name)
        found = self._rows.listed.page(kb_id, name, after=after, limit=limit + 1)
        shown = tuple(found[:limit])
        return ListedPage(shown, shown[-1].doc_id if len(found) > limit else None)

    def _again(self, principal: Principal, kb_id: int, name: str, phase: Phase) -> str:
        row = self._writable_source(principal, kb_id, name)
        if row.busy:
            raise Conflict("An import or removal of this source goes on", {"job_id": row.job_id})
        job_id = self._identifiers.new("job_")
        busy = replace(
            row,
            run=row.run + 1,
            job_id=job_id,
            user_id=principal.user_id,
            busy=True,
            updated_at=iso(self._clock.now()),
            version=row.version + 1,
        )
        run = ImportRun(
            job_id=job_id,
            kb_id=kb_id,
            user_id=principal.user_id,
            collection=name,
            spec=row.spec,
            run=busy.run,
            phase=phase,
            name=name,
        )
        try:
            self._begin(busy, row, run, busy.updated_at)
        except ConditionFailed:
            # Another caller was faster: its job is the one that goes on.
            return self._again(principal, kb_id, name, phase)
        return job_id

    def _writable_source(self, principal: Principal, kb_id: int, name: str) -> SourceRecord:
        self._documents.writable(principal, kb_id)
        return self.get(principal, kb_id, name)

    def _begin(self, row: SourceRecord | None, known: SourceRecord | None, run: ImportRun, now: str) -> None:
        kind = "remove_source" if run.phase == "removing" else "import"
        self._rows.begin(row, known, run, Job(run.job_id, kind, "pending", run.kb_id, run.user_id, now, total=0))
        self._queue.send([Work("import", run.kb_id, run.job_id).message()])


def _check(spec: SourceSpec, kb: KnowledgeBase) -> None:
    """Refuse what could only fail later: a name without an address, sizes that leave no room."""
    if spec.name is not None and (_NAME.fullmatch(spec.name) is None or not spec.name.strip(". ")):
        raise _fault("name", "a name has letters, digits, spaces and . _ - only, so that it can stand in an address")
    chunking = spec.chunking_over(kb.chunking)
    if chunking.overlap >= chunking.size:
        raise _fault("chunk_overlap", f"the overlap {chunking.overlap} is not less than the size {chunking.size}")


def _fault(member: str, message: str) -> InvalidRequest:
    error = {"loc": ["body", member], "type": "value_error", "message": message}
    return InvalidRequest("The import does not fit", {"errors": [error]})
