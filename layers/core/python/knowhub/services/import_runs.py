"""Import runs: list, take in, wait until all is read, remove what is gone; in slices, each of which may be repeated.

Every slice goes on from the run's row. A slice that is repeated takes the same items in again, which changes nothing:
documents are known by their identity, and equal content is not read again.
"""

import math
from contextlib import suppress
from dataclasses import replace

from knowhub.catalog.documents import DocumentRows
from knowhub.catalog.jobs import JobRows, Tally
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
from knowhub.ports.sources import SourceItem, Sources
from knowhub.services.documents import Documents
from knowhub.services.identity import Identity
from knowhub.services.import_progress import Progress, Standing
from knowhub.services.import_taking import OpenSource, Taking
from knowhub.services.import_uploads import UploadStores
from knowhub.services.work import Work
from knowhub.sources import accounts

SLICE_SECONDS = 15.0
"""How long one message works before it sends itself again: other KBs' documents wait behind it."""

PAGE = 20
TRIES = 5
"""Of a listing that fails and may pass; after that the import ends as failed, with what it has taken in."""

MAX_KEPT_BYTES = 60_000
"""Of the places of losses that are remembered; beyond that nothing counts as missing."""

LONGEST_PAUSE_SECONDS = 300
"""Between two slices: shorter than what the sweeper takes for a message that was lost."""

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
        uploads: UploadStores,
        queue: Queue,
        clock: Clock,
    ) -> None:
        """Keep the collaborators."""
        self._rows = rows
        self._jobs = jobs
        self._documents = documents
        self._identity = identity
        self._progress = Progress(rows, document_rows)
        self._taking = Taking(
            rows=rows, document_rows=document_rows, documents=documents, sources=sources, uploads=uploads
        )
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
            self._give_up(run, reason)
        except Exception:
            # A bug, most likely: tried again as any message, but its job must not wait for ever.
            if run.tries >= TRIES:
                self._give_up(run, "The import failed unexpectedly")
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
        """List and take in, page by page; what the slice has no time for is left to settling."""
        reading = self._taking.open(run, principal)
        until = self._clock.now() + SLICE_SECONDS
        while self._clock.now() < until:
            page = reading.source.list(run.cursor, PAGE)
            run = self._noted(run, page.losses)
            taken = [self._taken(run, reading, item, until) for item in page.items]
            run = self._progress.noted(run, taken)
            run = replace(run, cursor=page.cursor, listed=run.listed + page.declared, tries=0)
            if page.cursor is None:
                run = replace(run, phase="settling")
            self._save(run)
            self._show(run, run.done, run.failed + run.loss_count)
            if run.phase == "settling":
                break
        self._send(run)

    def _taken(self, run: ImportRun, reading: OpenSource, item: SourceItem, until: float) -> ListedItem:
        now = self._clock.now()
        return self._taking.take(run, reading, item, now) if now < until else self._taking.defer(run, item, now)

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
        """Fetch what comes again, wait until all is read; then note what failed, remove what is gone, and end."""
        standing = self._progress.standing(run)
        if standing.later and standing.next_at <= self._clock.now():
            self._fetch_again(run, principal)
            standing = self._progress.standing(run)
        if standing.later or standing.reading:
            self._show(run, standing.done, standing.run.loss_count)
            self._save(replace(run, tries=run.tries + 1))
            self._send(run, self._pause(run, standing))
            return
        if run.name is not None and run.complete and run.listed:
            self._remove_missing(run, principal)
        # What a source offers twice, under two spellings, is one document.
        self._account(replace(standing.run, listed=standing.offered + run.unlisted), standing.done)

    def _fetch_again(self, run: ImportRun, principal: Principal) -> None:
        reading = self._taking.open(run, principal)
        until = self._clock.now() + SLICE_SECONDS
        for item in self._progress.due(run, self._clock.now()):
            if self._clock.now() >= until:
                return
            self._taking.again(run, reading, item, self._clock.now())

    def _pause(self, run: ImportRun, standing: Standing) -> int:
        """Come by again when the next item's time has come; while documents are read, at least now and then."""
        pauses = []
        if standing.later:
            pauses.append(math.ceil(max(standing.next_at - self._clock.now(), 0)))
        if standing.reading:
            pauses.append(_PAUSE_SECONDS[min(run.tries, len(_PAUSE_SECONDS) - 1)])
        return min(*pauses, LONGEST_PAUSE_SECONDS)

    def _show(self, run: ImportRun, done: int, failed: int) -> None:
        self._jobs.progress(run.job_id, Tally(done, run.listed, failed))

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
        """Delete what the source has listed, and forget it one by one: the rest tells how far this is."""
        items = list(self._rows.listed.all(run.kb_id, run.collection))
        if not run.listed:
            run = replace(run, listed=len(items))
            self._save(run)
        until = self._clock.now() + SLICE_SECONDS
        for number, item in enumerate(items):
            if number % PAGE == 0:
                self._show(run, run.listed - len(items) + number, 0)
            if self._clock.now() >= until:
                self._send(run)
                return
            self._delete(run, item, principal)
        self._finish(run, "completed", done=run.listed)

    def _delete(self, run: ImportRun, item: ListedItem, principal: Principal) -> None:
        # What somebody deleted by hand is only named by the list.
        with suppress(NotFound):
            self._documents.delete(principal, item.doc_id)
        self._rows.listed.forget(run.kb_id, run.collection, item)

    def _listing_failed(self, run: ImportRun, error: SourceFailed) -> None:
        report("listing failed", error, job_id=run.job_id)
        if error.detail.get("transient") and run.tries < TRIES:
            self._save(replace(run, tries=run.tries + 1))
            asked = error.detail.get("retry_after")
            pause = _PAUSE_SECONDS[min(run.tries, len(_PAUSE_SECONDS) - 1)]
            self._send(run, min(max(pause, asked if isinstance(asked, int) else 0), LONGEST_PAUSE_SECONDS))
            return
        self._give_up(run, error.message, Loss(str(error.detail.get("reason", error.code)), "listing", error.message))

    def _give_up(self, run: ImportRun, error: str, *losses: Loss) -> None:
        """End as failed, with what has been done until here."""
        if run.phase == "removing":
            left = sum(1 for _ in self._rows.listed.all(run.kb_id, run.collection))
            self._finish(run, "failed", done=max(run.listed - left, 0), error=error)
            return
        standing = self._progress.standing(run)
        self._finish(standing.run.with_losses(*losses), "failed", done=standing.done, error=error)

    def _finish(self, run: ImportRun, state: JobState, *, done: int = 0, error: str | None = None) -> None:
        """End the job and free its source; a removed source's row goes with it."""
        now = iso(self._clock.now())
        tally = Tally(done, run.listed, run.loss_count, run.losses)
        self._jobs.end(run.job_id, state, now, error, tally)
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
