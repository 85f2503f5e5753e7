"""Routes of documents and their chunks."""

from http import HTTPStatus
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from knowhub.gateways.http.call import call_of
from knowhub.gateways.http.paging import TIME_AND_ID, PageSize, page_bounds, page_shape
from knowhub.gateways.http.schemas import ChunkOut, ContentOut, DocumentOut, Page, SubmittedOut
from knowhub.gateways.http.submissions import submission_of
from knowhub.gateways.shapes import chunk_shape, document_row_shape, document_shape
from knowhub.services.document_lists import DocumentQuery

router = Router()
Status = Literal["pending", "reading", "ready", "failed"]


@router.get("/kb/<kb_id>/documents", tags=["Documents"], summary="List a knowledge base's documents, newest first")
def list_documents(
    kb_id: int,
    *,
    page: Annotated[int | None, Query()] = None,
    page_size: PageSize = 20,
    cursor: Annotated[str | None, Query()] = None,
    status: Annotated[Status | None, Query()] = None,
    q: Annotated[str | None, Query(max_length=300)] = None,
    source: Annotated[str | None, Query(max_length=200)] = None,
) -> Page[DocumentOut]:
    """List documents; `q` is the beginning of a title, without regard to case."""
    call = call_of(router)
    what = f"documents:{kb_id}:{status or ''}:{q or ''}:{source or ''}"
    bounds = page_bounds(what, page, page_size, cursor, TIME_AND_ID)
    query = DocumentQuery(bounds.limit, bounds.after, bounds.skip, status, q or None, source or None)
    found = call.hub.document_lists.page(call.principal, kb_id, query)
    items = [document_row_shape(head, detail, detail.error) for head, detail in found.items]
    return Page[DocumentOut](**page_shape(what, bounds, items, found.total, found.after))


@router.post(
    "/kb/<kb_id>/documents",
    tags=["Documents"],
    summary="Add or update a document, as JSON or as a file",
    responses={202: {"description": "Taken in", "content": {"application/json": {"model": SubmittedOut}}}},
)
def add_document(kb_id: int) -> Response[SubmittedOut]:
    """Take in a document: what is answered with 202 is kept and will be read."""
    call = call_of(router)
    call.hub.documents.writable(call.principal, kb_id)
    submission = submission_of(call.request)
    call.hub.audit.record(call.principal, "document_add", call.request_id, kb_id=kb_id)
    done = call.hub.documents.submit(call.principal, kb_id, submission)
    body = SubmittedOut(doc_id=done.doc_id, job_id=done.job_id, status=done.status)
    return Response(HTTPStatus.ACCEPTED, "application/json", body)


@router.get("/documents/<doc_id>", tags=["Documents"], summary="Show a document")
def get_document(doc_id: str) -> DocumentOut:
    """Show one document."""
    call = call_of(router)
    return DocumentOut.model_validate(document_shape(call.hub.documents.get(call.principal, doc_id)))


@router.delete(
    "/documents/<doc_id>",
    tags=["Documents"],
    summary="Delete a document",
    responses={204: {"description": "Gone from every entrance at once"}},
)
def delete_document(doc_id: str) -> Response[None]:
    """Delete one document."""
    call = call_of(router)
    call.hub.documents.head(call.principal, doc_id, "write")
    call.hub.audit.record(call.principal, "document_delete", call.request_id, object_id=doc_id)
    call.hub.documents.delete(call.principal, doc_id)
    return Response(HTTPStatus.NO_CONTENT)


@router.get("/documents/<doc_id>/chunks", tags=["Documents"], summary="List a document's chunks in order")
def list_chunks(
    doc_id: str,
    page: Annotated[int | None, Query()] = None,
    page_size: PageSize = 20,
    cursor: Annotated[str | None, Query()] = None,
) -> Page[ChunkOut]:
    """List the chunks of the visible revision; there are none before the document is ready."""
    call = call_of(router)
    what = f"chunks:{doc_id}"
    bounds = page_bounds(what, page, page_size, cursor)
    skip = bounds.skip if bounds.after is None else int(bounds.after)
    found = call.hub.passages.page(call.principal, doc_id, skip=skip, limit=bounds.limit)
    items: list[dict[str, Any]] = [chunk_shape(chunk) for chunk in found.chunks]
    end = skip + len(items)
    return Page[ChunkOut](**page_shape(what, bounds, items, found.total, str(end) if end < found.total else None))


@router.get("/documents/<doc_id>/content", tags=["Documents"], summary="Read a document's extracted text")
def get_content(
    doc_id: str,
    start: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=1_000_000)] = 100_000,
) -> ContentOut:
    """Give a range of the text after preprocessing; it is empty before the document is ready."""
    call = call_of(router)
    found = call.hub.passages.text(call.principal, doc_id, start=start, limit=limit)
    return ContentOut(
        doc_id=doc_id,
        revision=found.document.head.visible_revision,
        start=found.start,
        end=found.start + len(found.text),
        total=found.total,
        text=found.text,
    )
