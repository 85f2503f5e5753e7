"""Reindexing: a next generation of the chunk index is built from stored documents, then takes the old one's place.

While it is built, new documents are written to both. It is done in slices, each of which may be repeated:

    write    every visible document, KB by KB, as the catalog lists them
    check    the same way again: what a reader wrote to the old generation only, because it had begun before, is added
    serve    once a check has found nothing, the next generation is searched and the old one is dropped a little later
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from knowhub.catalog.documents import DocumentRows
from knowhub.catalog.jobs import JobRows, Tally
from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
from knowhub.catalog.reindexing import ReindexRows, ReindexRun
from knowhub.errors import Conflict, Forbidden, NotFound
from knowhub.model.chunk import chunk_id
from knowhub.model.document import DocumentHead, Loss
from knowhub.model.job import Job
from knowhub.model.knowledge_base import KnowledgeBase
from knowhub.model.principal import Principal
from knowhub.model.times import iso
from knowhub.ports.chunk_generations import ChunkGenerations, Generation
from knowhub.ports.chunk_index import IndexedChunk
from knowhub.ports.clock import Clock
from knowhub.ports.identifiers import Identifiers
from knowhub.ports.queue import Queue
from knowhub.services.chunk_entries import fields_of, indexed
from knowhub.services.chunk_files import ChunkFiles
from knowhub.services.indexing import Indexing
from knowhub.services.work import Work

SLICE_CHUNKS = 2_000
"""Chunks after which a slice ends: seconds with any embedder, so that other work of the reader is not kept waiting."""

RETIRED_SECONDS = 60
"""How long the old generation stays: longer than any search that began before the change."""

SETTLED_SECONDS = 30
"""Age of a generation before it may serve: every reader knows of it by then, and lists show what was ready before."""

_PAGE = 100
_CHECKPOINT = 500
_LOSSES = 100


class Reindex:
    """Starts a rebuild, for an administrator."""

    def __init__(
        self,
        *,
        rows: ReindexRows,
        jobs: JobRows,
        queue: Queue,
        clock: Clock,
        identifiers: Identifiers,
    ) -> None:
        """Keep the collaborators."""
        self._rows = rows
        self._jobs = jobs
        self._queue = queue
        self._clock = clock
        self._identifiers = identifiers

    def start(self, principal: Principal) -> Job:
        """Begin to build the next generation; raises `Conflict`, with the job's id, while one is being built."""
        if principal.role != "admin" or "admin" not in principal.scopes:
            raise Forbidden("Only an administrator may rebuild the index")
        going = self._rows.get()
        if going is not None:
            raise Conflict("The index is being rebuilt", {"job_id": going.job_id})
        now = iso(self._clock.now())
        job = Job(self._identifiers.new("j_"), "reindex", "pending", 0, principal.user_id, now, total=0)
        self._jobs.create(job)
        self._rows.begin(ReindexRun(job.job_id, now, updated_at=now))
        self._queue.send([Work("reindex", 0, job.job_id).message()])
        return job


class ReindexRuns:
    """Builds a generation, slice by slice."""

    def __init__(
        self,
        *,
        rows: ReindexRows,
        jobs: JobRows,
        kbs: KnowledgeBaseRows,
        documents: DocumentRows,
        files: ChunkFiles,
        queue: Queue,
        indexing: Indexing,
        generations: ChunkGenerations,
        clock: Clock,
    ) -> None:
        """Keep the collaborators."""
        self._rows = rows
        self._jobs = jobs
        self._kbs = kbs
        self._documents = documents
        self._files = files
        self._queue = queue
        self._indexing = indexing
        self._generations = generations
        self._clock = clock

    def work(self, work: Work) -> None:
        """Do one slice, and queue the next; a message of a run that is over does nothing."""
        if work.kind == "drop_generation":
            self._drop(work.revision)
            return
        run = self._rows.get()
        if run is None or run.job_id != work.doc_id:
            return
        now = self._clock.now()
        generation = self._generation(run)
        if not run.generation:
            run = replace(run, generation=generation.number, made_at=int(now))
        later = self._slice(generation, run)
        if later is None and now >= run.made_at + SETTLED_SECONDS:
            self._serve(generation, run)
            return
        again = later if later is not None else replace(run, kb_id=0, place=None)
        self._rows.advance(replace(again, updated_at=iso(now)))
        self._jobs.progress(run.job_id, Tally(again.done, again.done, again.failed))
        self._queue.send([work.message(0 if later is not None else SETTLED_SECONDS)])

    def _generation(self, run: ReindexRun) -> Generation:
        """Give the generation of a run, which its first slice makes; the hub's first one serves from the beginning."""
        building = self._generations.building()
        for one in (building, self._generations.serving()):
            if one is not None and one.number == run.generation:
                return one
        if building is not None:
            # Left over by a run that was lost: half built for who knows which embedder.
            self._generations.drop(building.number)
        return self._indexing.create_next()

    def _slice(self, generation: Generation, run: ReindexRun) -> ReindexRun | None:
        """Write or check documents until a slice is full; None where a check has found nothing to add."""
        written = 0
        for kb, place, heads in self._pages(run):
            wanted = heads if run.phase == "write" else self._absent(generation, heads)
            counts = self._rewrite(generation, kb, wanted, run)
            written += sum(counts)
            done = run.done + (len(counts) if run.phase == "write" else 0)
            run = replace(run, kb_id=kb.kb_id, place=place, done=done, added=run.added + len(counts))
            if written >= SLICE_CHUNKS:
                self._generations.index(generation.number).refresh()
                return run
        self._generations.index(generation.number).refresh()
        if run.phase == "check" and not run.added:
            return None
        return replace(run, phase="check", kb_id=0, place=None, added=0)

    def _pages(self, run: ReindexRun) -> Iterator[tuple[KnowledgeBase, str | None, list[DocumentHead]]]:
        """Give the visible documents that are left, page by page, with the place to go on after."""
        for kb_id in range(max(run.kb_id, 1), self._kbs.last_id() + 1):
            kb = self._kbs.get(kb_id)
            place = run.place if kb_id == run.kb_id else None
            while kb is not None and not kb.deleted:
                listed = self._documents.newest(kb_id, kb.list_shards, before=place, limit=_PAGE)
                if not listed:
                    break
                place = listed[-1][0]
                heads = self._documents.heads(doc_id for _, doc_id in listed)
                yield kb, place, [head for head in heads.values() if head.visible_revision and not head.deleted]

    def _absent(self, generation: Generation, heads: Sequence[DocumentHead]) -> list[DocumentHead]:
        """Keep the documents whose last chunk is not there: what is written later has it last, or not at all."""
        last = {chunk_id(head.doc_id, head.visible_revision, head.chunk_count): head for head in heads}
        there = self._generations.index(generation.number).fetch(list(last))
        return [head for one, head in last.items() if one not in there]

    def _rewrite(
        self, generation: Generation, kb: KnowledgeBase, heads: Sequence[DocumentHead], run: ReindexRun
    ) -> list[int]:
        """Write documents as they are stored, and take out again what was deleted or replaced meanwhile.

        Gives the numbers of chunks of those that could be written.
        """
        written: list[int] = []
        for head in heads:
            try:
                entries = self._entries(head)
            except NotFound:
                self._lose(run, head)
                continue
            for start in range(0, len(entries), _CHECKPOINT):
                self._indexing.write_to(generation, entries[start : start + _CHECKPOINT])
            written.append(len(entries))
        self._take_back(generation, kb, heads)
        return written

    def _entries(self, head: DocumentHead) -> list[IndexedChunk]:
        detail = self._documents.detail(head.doc_id, head.visible_revision)
        if detail is None:
            raise NotFound("DOCUMENT")
        chunks = self._files.read(head.kb_id, head.doc_id, head.visible_revision)
        text = chunks[0].text if chunks else ""
        values = fields_of(head, detail, detail.described, title=head.title, text=text).values
        return [indexed(replace(chunk, name=detail.name), values) for chunk in chunks]

    def _take_back(self, generation: Generation, kb: KnowledgeBase, heads: Sequence[DocumentHead]) -> None:
        index = self._generations.index(generation.number)
        now = self._documents.heads(head.doc_id for head in heads)
        for head in heads:
            current = now.get(head.doc_id)
            if current is None or current.deleted or current.visible_revision != head.visible_revision:
                index.delete_revision(head.doc_id, head.visible_revision)
        current_kb = self._kbs.get(kb.kb_id)
        if current_kb is None or current_kb.deleted:
            index.delete_kb(kb.kb_id)

    def _lose(self, run: ReindexRun, head: DocumentHead) -> None:
        """Note a document whose stored chunks are gone; it may have been deleted meanwhile, which is no loss."""
        current = self._documents.head(head.doc_id)
        if run.phase == "write" and current is not None and current.visible_revision == head.visible_revision:
            loss = Loss("CHUNKS_MISSING", head.doc_id, f"{head.title}: its stored chunks are gone; have it read again")
            self._rows.lose(run.job_id, loss, _LOSSES)

    def _serve(self, generation: Generation, run: ReindexRun) -> None:
        self._generations.serve(generation.number)
        drops = [Work("drop_generation", 0, revision=one.number) for one in self._generations.retired()]
        if drops:
            self._queue.send([drop.message(RETIRED_SECONDS) for drop in drops])
        self._end(run)

    def _end(self, run: ReindexRun) -> None:
        current = self._rows.get() or run
        tally = Tally(current.done, current.done + len(current.losses), len(current.losses), current.losses)
        self._jobs.end(run.job_id, "completed", iso(self._clock.now()), tally=tally)
        self._rows.end(run.job_id)

    def _drop(self, number: int) -> None:
        try:
            self._generations.drop(number)
        except Conflict:
            # It serves again: then it is not to go.
            return
