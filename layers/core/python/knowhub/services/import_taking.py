"""Taking items in: what a source lists becomes documents, and what can't is a loss."""

from dataclasses import dataclass, replace

from knowhub.catalog.documents import DocumentRows
from knowhub.catalog.sources import ImportRun, SourceRows
from knowhub.errors import KnowhubError, NotFound, Retryable
from knowhub.model.document import Loss, ReadingOptions
from knowhub.model.knowledge_base import Chunking, KnowledgeBase
from knowhub.model.principal import Principal
from knowhub.model.source import ListedItem
from knowhub.ports.sources import Source, SourceContent, SourceItem, Sources, SourceSpec
from knowhub.services.documents import Documents, Submission
from knowhub.services.import_specs import spec_of
from knowhub.sources.specs import merged_metadata


@dataclass(frozen=True, slots=True)
class OpenSource:
    """What all items of a listing share; `fingerprint` describes how they are read now."""

    spec: SourceSpec
    source: Source
    principal: Principal
    options: ReadingOptions
    fingerprint: str


class Taking:
    """Opens an import's source and takes its items in, one by one."""

    def __init__(self, rows: SourceRows, document_rows: DocumentRows, documents: Documents, sources: Sources) -> None:
        """Keep the collaborators."""
        self._rows = rows
        self._document_rows = document_rows
        self._documents = documents
        self._sources = sources

    def open(self, run: ImportRun, principal: Principal) -> OpenSource:
        """Give the source of a run and how its documents are read now; raises as opening it does."""
        spec = spec_of(run.spec)
        source = self._sources.open(spec, run.kb_id)
        kb = self._documents.writable(principal, run.kb_id)
        options = ReadingOptions(chunking=_chunking(spec, kb), transformers=spec.transformers, reader=spec.reader)
        return OpenSource(spec, source, principal, options, self._documents.fingerprint(kb, options))

    def take(self, run: ImportRun, reading: OpenSource, item: SourceItem) -> ImportRun:
        """Take one item in; one that can't be had, or that no reader takes, is a loss and keeps what was there."""
        doc_id = self._documents.doc_id(run.kb_id, run.name, item.external_id)
        known = self._rows.listed.get(run.kb_id, run.collection, doc_id)
        listed = ListedItem(doc_id, item.external_id, item.uri, run.run, known.version if known else None)
        try:
            content = reading.source.fetch(item, self._version(known, reading))
            if content is not None:
                submission = _submission(run, reading, item, content)
                self._documents.submit(reading.principal, run.kb_id, submission)
                listed = replace(listed, version=content.version)
        except (Retryable, NotFound):
            raise
        except KnowhubError as error:
            reason = str(error.detail.get("reason", error.code))
            run = run.with_losses(Loss(reason, item.uri, error.message))
            listed = replace(listed, lost=True)
        self._rows.listed.save(run.kb_id, run.collection, listed)
        return run

    def _version(self, known: ListedItem | None, reading: OpenSource) -> str | None:
        """Give the version that need not be read again: of a document that is there, read as it would be read now."""
        if known is None:
            return None
        head = self._document_rows.head(known.doc_id)
        if head is None or head.deleted or not (head.visible_revision or head.pending_revision):
            return None
        return known.version if head.fingerprint == reading.fingerprint else None


def _submission(run: ImportRun, reading: OpenSource, item: SourceItem, content: SourceContent) -> Submission:
    return Submission(
        title=item.title[:300] or content.name,
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
