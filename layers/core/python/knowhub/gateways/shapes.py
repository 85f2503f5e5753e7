"""The hub's records as the JSON objects that every wire shows: one function a record, so that no wire differs."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from knowhub.model.chunk import Chunk
from knowhub.model.chunk_json import locator_members
from knowhub.model.document import DocumentDetail, DocumentHead
from knowhub.model.facet import Facet
from knowhub.model.hit import Hit, SearchResult
from knowhub.model.job import Job
from knowhub.model.source import SourceRecord
from knowhub.services.documents import DocumentView
from knowhub.services.knowledge_bases import KnowledgeBaseView


def knowledge_base_shape(view: KnowledgeBaseView) -> dict[str, Any]:
    """Show a KB as the principal sees it."""
    kb = view.kb
    return {
        "kb_id": kb.kb_id,
        "name": kb.name,
        "description": kb.description,
        "visibility": kb.visibility,
        "role": view.role,
        "owner": kb.owner,
        "language": kb.language or None,
        "chunking": asdict(kb.chunking),
        "document_count": view.counts.documents,
        "chunk_count": view.counts.chunks,
        "created_at": kb.created_at,
        "updated_at": kb.updated_at,
    }


def facets_shape(facets: Sequence[Facet]) -> dict[str, Any]:
    """Show the metadata that a KB can be filtered by."""
    return {
        "items": [
            {
                "key": facet.key,
                "values": [{"value": value, "count": count} for value, count in facet.values],
                "more": facet.more,
            }
            for facet in facets
        ]
    }


def document_shape(view: DocumentView) -> dict[str, Any]:
    """Show a document with its visible revision's detail, or its latest one's where none is visible yet."""
    return {**document_row_shape(view.head, view.detail, view.error), "attachments": list(view.attachments)}


def document_row_shape(head: DocumentHead, detail: DocumentDetail, error: str | None) -> dict[str, Any]:
    """Show a document's head and detail."""
    return {
        "doc_id": head.doc_id,
        "kb_id": head.kb_id,
        "title": head.title,
        "name": detail.name,
        "content_type": detail.content_type,
        "size": detail.size,
        "status": head.status,
        "revision": detail.revision,
        "updating": head.updating,
        "chunk_count": head.chunk_count,
        "source": head.source,
        "url": detail.url,
        "evidence_state": None,
        "metadata": dict(detail.described),
        "losses": [asdict(loss) for loss in detail.losses],
        "error": error,
        "created_at": head.created_at,
        "updated_at": head.updated_at,
    }


def chunk_shape(chunk: Chunk) -> dict[str, Any]:
    """Show one chunk of a document."""
    return {
        "chunk_id": chunk.chunk_id,
        "index": chunk.index,
        "text": chunk.text,
        "header_path": chunk.header_path,
        "chunk_type": chunk.chunk_type,
        "overlap": chunk.overlap,
        "locator": locator_members(chunk.locator),
    }


def job_shape(job: Job) -> dict[str, Any]:
    """Show a job; who started it stays inside."""
    return {
        "job_id": job.job_id,
        "kind": job.kind,
        "state": job.state,
        "kb_id": job.kb_id,
        "doc_id": job.doc_id,
        "done": job.done,
        "total": job.total,
        "failed": job.failed,
        "error": job.error,
        "losses": [asdict(loss) for loss in job.losses],
        "loss_count": job.loss_count,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
    }


def source_shape(row: SourceRecord) -> dict[str, Any]:
    """Show a source; who made it stays inside."""
    return {
        "name": row.name,
        "kb_id": row.kb_id,
        "spec": dict(row.spec),
        "busy": row.busy,
        "job_id": row.job_id,
        "runs": row.run,
        "document_count": row.documents,
        "error": row.error,
        "losses": [asdict(loss) for loss in row.losses],
        "loss_count": row.loss_count,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }


def hit_shape(hit: Hit) -> dict[str, Any]:
    """Show one hit."""
    chunk = hit.chunk
    return {
        "rank": hit.rank,
        "score": hit.score,
        "chunk_id": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "kb_id": chunk.kb_id,
        "title": chunk.title,
        "url": chunk.url,
        "text": chunk.text,
        "highlights": [{"start": span.start, "end": span.end} for span in hit.highlights],
        "header_path": chunk.header_path,
        "locator": locator_members(chunk.locator),
        "metadata": dict(chunk.metadata),
        "source": chunk.source,
        "evidence_state": None,
        "observed_at": None,
    }


def search_shape(result: SearchResult) -> dict[str, Any]:
    """Show a search's answer; page images are not indexed here, so the visual leg is unavailable."""
    return {
        "query": result.query,
        "mode": result.mode,
        "hits": [hit_shape(hit) for hit in result.hits],
        "legs": list(result.legs),
        "visual": "unavailable",
        "took_ms": result.took_ms,
        "scope_truncated": result.scope_truncated,
        "debug": None if result.debug is None else dict(result.debug),
    }
