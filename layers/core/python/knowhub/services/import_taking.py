"""Taking items in: what a source lists becomes documents, what can't is a loss, and what may pass comes again."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from knowhub.catalog.documents import DocumentRows
from knowhub.catalog.rows import plain
from knowhub.catalog.sources import ImportRun, SourceRows
from knowhub.errors import KnowhubError, NotFound, Retryable, SourceFailed
from knowhub.model.document import Loss, ReadingOptions, Submission
from knowhub.model.knowledge_base import Chunking, KnowledgeBase
from knowhub.model.principal import Principal
from knowhub.model.source import ListedItem
from knowhub.ports.sources import Source, SourceContent, SourceItem, Sources, SourceSpec
from knowhub.ports.sources_rules import UPLOAD
from knowhub.services.documents import Documents
from knowhub.services.import_retries import judge
from knowhub.services.import_specs import spec_of
from knowhub.services.import_uploads import Importer, ImportUploads, UploadStores
from knowhub.sources.specs import merged_metadata


@dataclass(frozen=True, slots=True)
class OpenSource:
    """What all items of a listing share; `fingerprint` describes how they are read now."""

    spec: SourceSpec
    source: Source
    uploads: ImportUploads
    principal: Principal
    options: ReadingOptions
    fingerprint: str


class Taking:
    """Opens an import's source and takes its items in, one by one; what came of each is on its row."""

    def __init__(
        self,
        *,
        rows: SourceRows,
        document_rows: DocumentRows,
        documents: Documents,
        sources: Sources,
        uploads: UploadStores,
    ) -> None:
        """Keep the collaborators."""
        self._rows = rows
        self._document_rows = document_rows
        self._documents = documents
        self._sources = sources
        self._uploads = uploads

    def open(self, run: ImportRun, principal: Principal) -> OpenSource:
        """Give the source of a run and how its documents are read now; raises as opening it does."""
        spec = spec_of(run.spec)

        def doc_id(uri: str) -> str:
            return self._documents.doc_id(run.kb_id, run.name, uri)

        uploads = ImportUploads(self._uploads, Importer(run.kb_id, run.user_id, doc_id))
        source = self._sources.open(spec, run.kb_id, uploads)
        kb = self._documents.writable(principal, run.kb_id)
        options = ReadingOptions(chunking=_chunking(spec, kb), transformers=spec.transformers, reader=spec.reader)
        return OpenSource(spec, source, uploads, principal, options, self._documents.fingerprint(kb, options))

    def take(self, run: ImportRun, reading: OpenSource, item: SourceItem, now: float) -> ListedItem:
        """Take one item in and give its row: one that can't be had, or that no reader takes, keeps what was there.

        One that waits in this run for its time is left waiting.
        """
        known, listed = self._listed(run, item)
        if listed.next_at > now:
            return listed
        try:
            content = reading.source.fetch(item, self._version(known, reading))
            if content is not None:
                self._keep(run, reading, item, content)
                listed = replace(listed, version=content.version)
            listed = replace(listed, next_at=0, offer=None)
        except (Retryable, NotFound):
            raise
        except KnowhubError as error:
            listed = _failed(listed, item, error, now)
        self._rows.listed.save(run.kb_id, run.collection, listed)
        return listed

    def again(self, run: ImportRun, reading: OpenSource, listed: ListedItem, now: float) -> ListedItem:
        """Take in what could not be had before."""
        return self.take(run, reading, _item(listed.offer or {}), now)

    def defer(self, run: ImportRun, item: SourceItem, now: float) -> ListedItem:
        """Leave an item for a later slice, which takes it as if it had failed without a try."""
        _, listed = self._listed(run, item)
        if not listed.next_at:
            listed = replace(listed, next_at=int(now), offer=_offer(item))
            self._rows.listed.save(run.kb_id, run.collection, listed)
        return listed

    def _listed(self, run: ImportRun, item: SourceItem) -> tuple[ListedItem | None, ListedItem]:
        """Give the item's row as it was, and the one to begin with: this run's own, or one without tries."""
        doc_id = self._documents.doc_id(run.kb_id, run.name, item.external_id)
        known = self._rows.listed.get(run.kb_id, run.collection, doc_id)
        if known is not None and known.run == run.run:
            return known, replace(known, loss=None)
        return known, ListedItem(doc_id, item.external_id, item.uri, run.run, known.version if known else None)

    def _keep(self, run: ImportRun, reading: OpenSource, item: SourceItem, content: SourceContent) -> None:
        self._documents.submit(reading.principal, run.kb_id, _submission(run, reading, item, content))
        if item.uri.startswith(UPLOAD):
            reading.uploads.taken(item.uri.removeprefix(UPLOAD), len(content.data))

    def _version(self, known: ListedItem | None, reading: OpenSource) -> str | None:
        """Give the version that need not be read again: of a document that is there, read as it would be read now."""
        if known is None:
            return None
        head = self._document_rows.head(known.doc_id)
        if head is None or head.deleted or not (head.visible_revision or head.pending_revision):
            return None
        return known.version if head.fingerprint == reading.fingerprint else None


def _failed(listed: ListedItem, item: SourceItem, error: KnowhubError, now: float) -> ListedItem:
    reason, message = str(error.detail.get("reason", error.code)), error.message
    if isinstance(error, SourceFailed):
        verdict = judge(error, listed, now)
        listed, message = replace(listed, tries=verdict.tries, since=verdict.since), verdict.message
        if verdict.next_at is not None:
            return replace(listed, next_at=verdict.next_at, offer=_offer(item))
    return replace(listed, next_at=0, offer=None, loss=Loss(reason, item.uri, message))


def _offer(item: SourceItem) -> Mapping[str, Any]:
    """Write an item so that a later slice fetches it without listing again."""
    return {each.name: plain(getattr(item, each.name)) for each in fields(item)}


def _item(offer: Mapping[str, Any]) -> SourceItem:
    return SourceItem(**offer)


def _submission(run: ImportRun, reading: OpenSource, item: SourceItem, content: SourceContent) -> Submission:
    return Submission(
        # Where the source knows no better than the file's name, what is in it may.
        title=None if item.title in {"", item.name} else item.title[:300],
        name=content.name,
        content_type=content.content_type,
        data=content.data,
        external_id=item.external_id,
        url=item.url,
        metadata=merged_metadata(reading.spec, item.metadata),
        source=run.name,
        options=reading.options,
    )


def _chunking(spec: SourceSpec, kb: KnowledgeBase) -> Chunking | None:
    if spec.chunking is None and spec.chunk_size is None and spec.chunk_overlap is None:
        return None
    return spec.chunking_over(kb.chunking)
