"""Import runs: list, take in, wait until all is read, remove what is gone; in slices, each of which may be repeated.

Every slice goes on from the run's row. A slice that is repeated takes the same items in again, which changes nothing:
documents are known by their identity, and equal content is not read again.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from knowhub.catalog.documents import DocumentRows
from knowhub.catalog.jobs import JobRows
from knowhub.catalog.sources import LOSSES_KEPT, ImportRun, SourceRows
from knowhub.errors import ConditionFailed, KnowhubError, NotFound, Retryable, SourceFailed
from knowhub.model.document import Loss
from knowhub.model.job import JobState
from knowhub.model.principal import Principal
from knowhub.model.source import ListedItem
from knowhub.model.times import iso
from knowhub.observability import report
from knowhub.ports.clock import Clock
from knowhub.ports.queue import Queue
from knowhub.ports.sources import Sources
from knowhub.services.documents import Documents
from knowhub.services.identity import Identity
from knowhub.services.import_taking import Taking
from knowhub.services.work import Work
from knowhub.sources import accounts

SLICE_SECONDS = 15.0
"""How long one message works before it sends itself again: other KBs' documents wait behind it."""

PAGE = 20
TRIES = 5
"""Of a listing that fails and may pass; after that the import ends as failed, with what it has taken in."""

MAX_KEPT_BYTES = 60_000
"""Of the places of losses that are remembered; beyond that nothing counts as missing."""

_PAUSE_SECONDS = (1, 2, 5, 10, 20, 30)


class ImportRuns:
    """Works imports off."""

    def __init__(
        self,
        *,
        rows: SourceRows,
        jobs: JobRows,
        document_rows: DocumentRows,
        documents: Documents,
        identity: Identity,
        sources: Sources,
        queue: Queue,
        clock: Clock,
    ) -> None:
        """Keep the collaborators."""
        self._rows = rows
        self._jobs = jobs
        self._document_rows = document_rows
        self._documents = documents
        self._identity = identity
        self._taking = Taking(rows, document_rows, documents, sources)
        self._queue = queue
        self._clock = clock

    def work(self, work: Work) -> None:
        """Do one slice of an import; a job that is over, or unknown, is left alone."""
        run = self._rows.run(work.doc_id)
        job = self._jobs.get(work.doc_id)
        if run is None or job is None or job.state not in {"pending", "running"}:
            self._rows.forget_run(work.doc_id)
            return
        if job.started_at is None:
            self._jobs.start(run.job_id, iso(self._clock.now()))
        try:
            principal = self._identity.on_behalf_of(run.user_id, run.kb_id)
            self._documents.writable(principal, run.kb_id)
            self._slice(run, principal)
        except Retryable:
            raise
        except SourceFailed as error:
            self._listing_failed(run, error)
        except KnowhubError as error:
            report("import failed", error, job_id=run.job_id)
            reason = (
                "The knowledge base is gone or closed to who started this"
                if isinstance(error, NotFound)
                else error.message
            )
            self._finish(run, "failed", error=reason)
        except Exception:
            # A bug, most likely: tried again as any message, but its job must not wait for ever.
            if run.tries >= TRIES:
                self._finish(run, "failed", error="The import failed unexpectedly")
            else:
                self._save(replace(run, tries=run.tries + 1))
            raise

    def _slice(self, run: ImportRun, principal: Principal) -> None:
        if run.phase == "removing":
            self._remove(run, principal)
        elif run.phase == "listing":
            self._list(run, principal)
        else:
            self._settle(run, principal)

    def _list(self, run: ImportRun, principal: Principal) -> None:
        reading = self._taking.open(run, principal)
        until = self._clock.now() + SLICE_SECONDS
        while self._clock.now() < until:
            page = reading.source.list(run.cursor, PAGE)
            run = self._noted(run, page.losses)
            for item in page.items:
                run = self._taking.take(run, reading, item)
            run = replace(run, cursor=page.cursor, listed=run.listed + page.declared, tries=0)
            if page.cursor is None:
                run = replace(run, phase="settling")
            self._save(run)
            self._jobs.progress(run.job_id, done=0, total=run.listed, failed=run.loss_count)
            if run.phase == "settling":
                break
        self._send(run)

    def _noted(self, run: ImportRun, losses: tuple[Loss, ...]) -> ImportRun:
        """Note losses of the listing, and that what stands in their places is not missing."""
        kept = (*run.kept, *(loss.where for loss in losses))
        fits = sum(len(place.encode()) for place in kept) <= MAX_KEPT_BYTES
        return replace(
            run.with_losses(*losses),
            kept=kept if fits else run.kept,
            complete=run.complete and fits,
            unlisted=run.unlisted + len(losses),
        )

    def _settle(self, run: ImportRun, principal: Principal) -> None:
        """Wait until everything is read; then note what failed, remove what is gone, and end."""
        waiting, done, offered, failed = 0, 0, 0, run
        for batch in _batches(item for item in self._rows.listed.all(run.kb_id, run.collection) if item.run == run.run):
            heads = self._document_rows.heads(item.doc_id for item in batch)
            offered += len(batch)
            for item in batch:
                head = heads.get(item.doc_id)
                if item.lost:
                    continue
                if head is not None and head.pending_revision:
                    waiting += 1
                elif head is not None and head.last_revision != head.visible_revision and not head.deleted:
                    failed = failed.with_losses(self._reading_loss(item, head.last_revision))
                else:
                    done += 1
        if waiting:
            self._jobs.progress(run.job_id, done=done, total=run.listed, failed=failed.loss_count)
            pause = _PAUSE_SECONDS[min(run.tries, len(_PAUSE_SECONDS) - 1)]
            self._save(replace(run, tries=run.tries + 1))
            self._send(run, pause)
            return
        if run.name is not None and run.complete and run.listed:
            self._remove_missing(run, principal)
        # What a source offers twice, under two spellings, is one document.
        self._account(replace(failed, listed=offered + run.unlisted), done)

    def _account(self, run: ImportRun, done: int) -> None:
        """End the job: what the source declared is what is there and what is listed as lost, or it has failed."""
        try:
            if run.listed:
                accounts.settle(declared=run.listed, read=done, losses=run.loss_count)
        except SourceFailed as error:
            self._finish(run, "failed", done=done, error=error.message)
            return
        if run.name is not None and not run.complete:
            told = Loss("REMOVALS_SKIPPED", run.name, "So much was lost in listing that nothing was removed as missing")
            run = replace(run, losses=(told, *run.losses[: LOSSES_KEPT - 1]))
        self._finish(run, "completed", done=done)

    def _reading_loss(self, item: ListedItem, revision: int) -> Loss:
        detail = self._document_rows.detail(item.doc_id, revision)
        return Loss("UNREADABLE", item.uri, (detail.error if detail else None) or "It could not be read")

    def _remove_missing(self, run: ImportRun, principal: Principal) -> None:
        """Delete what this complete listing did not show any more; what was lost on the way is not missing."""
        items = list(self._rows.listed.all(run.kb_id, run.collection))
        seen = [item.uri for item in items if item.run == run.run]
        places = [Loss("", place, "") for place in run.kept]
        gone = set(accounts.missing((item.uri for item in items), seen, places))
        for item in items:
            if item.run != run.run and item.uri in gone:
                self._delete(run, item, principal)

    def _remove(self, run: ImportRun, principal: Principal) -> None:
        until = self._clock.now() + SLICE_SECONDS
        for item in self._rows.listed.all(run.kb_id, run.collection):
            if self._clock.now() >= until:
                self._send(run)
                return
            self._delete(run, item, principal)
        self._finish(run, "completed")

    def _delete(self, run: ImportRun, item: ListedItem, principal: Principal) -> None:
        # What somebody deleted by hand is only named by the list.
        with suppress(NotFound):
            self._documents.delete(principal, item.doc_id)
        self._rows.listed.forget(run.kb_id, run.collection, item.doc_id)

    def _listing_failed(self, run: ImportRun, error: SourceFailed) -> None:
        report("listing failed", error, job_id=run.job_id)
        if error.detail.get("transient") and run.tries < TRIES:
            self._save(replace(run, tries=run.tries + 1))
            asked = error.detail.get("retry_after")
            pause = _PAUSE_SECONDS[min(run.tries, len(_PAUSE_SECONDS) - 1)]
            self._send(run, min(max(pause, asked if isinstance(asked, int) else 0), 900))
            return
        lost = run.with_losses(Loss(str(error.detail.get("reason", error.code)), "listing", error.message))
        self._finish(lost, "failed", error=error.message)

    def _finish(self, run: ImportRun, state: JobState, *, done: int = 0, error: str | None = None) -> None:
        """End the job and free its source; a removed source's row goes with it."""
        now = iso(self._clock.now())
        self._jobs.finish(
            run.job_id, state, now, done=done, total=run.listed, failed=run.loss_count, losses=run.losses, error=error
        )
        self._rows.forget_run(run.job_id)
        if run.name is None:
            self._rows.listed.forget_all(run.kb_id, run.collection)
        row = None if run.name is None else self._rows.get(run.kb_id, run.name)
        if row is None or row.job_id != run.job_id:
            return
        try:
            if run.phase == "removing" and state == "completed":
                self._rows.remove(row)
                return
            self._rows.put(
                replace(
                    row,
                    busy=False,
                    documents=done if state == "completed" else row.documents,
                    error=error,
                    losses=run.losses,
                    loss_count=run.loss_count,
                    updated_at=now,
                    version=row.version + 1,
                ),
                row,
            )
        except ConditionFailed:
            # Only another delivery of this same message can have been faster.
            return

    def _save(self, run: ImportRun) -> None:
        self._rows.save_run(run, iso(self._clock.now()))

    def _send(self, run: ImportRun, delay_seconds: int = 0) -> None:
        self._queue.send([Work("import", run.kb_id, run.job_id).message(delay_seconds)])


def _batches(items: Iterator[ListedItem]) -> Iterator[list[ListedItem]]:
    while batch := list(islice(items, 100)):
        yield batch
