"""Routes of documents and their chunks."""

from http import HTTPStatus
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from knowhub.gateways.http.bodies import ChangedDocumentIn, DeletedDocumentsIn
from knowhub.gateways.http.call import call_of
from knowhub.gateways.http.paging import TIME_AND_ID, PageSize, page_bounds, page_shape
from knowhub.gateways.http.repeats import once
from knowhub.gateways.http.schemas import ChunkOut, ContentOut, DeletedOut, DocumentOut, Page, SubmittedOut
from knowhub.gateways.http.submissions import submission_of
from knowhub.gateways.http.versions import entity_tag, expected_version
from knowhub.gateways.shapes import chunk_shape, document_row_shape, document_shape
from knowhub.model.document import DocumentChange
from knowhub.services.document_lists import DocumentQuery
from knowhub.services.documents import Submitted

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
    items = [document_row_shape(view.head, view.detail, view.error) for view in found.items]
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
    done = once(
        call,
        lambda: call.hub.documents.submit(call.principal, kb_id, submission),
        lambda made: {"doc_id": made.doc_id, "job_id": made.job_id},
        lambda ids: Submitted(
            ids["doc_id"], ids["job_id"], call.hub.documents.head(call.principal, ids["doc_id"], "read").status
        ),
    )
    return _submitted(done)


@router.get("/documents/<doc_id>", tags=["Documents"], summary="Show a document")
def get_document(doc_id: str) -> Response[DocumentOut]:
    """Show one document; its entity tag is its latest revision."""
    call = call_of(router)
    view = call.hub.documents.get(call.principal, doc_id)
    shown = DocumentOut.model_validate(document_shape(view))
    return Response(HTTPStatus.OK, "application/json", shown, headers=entity_tag(view.head.last_revision))


@router.patch(
    "/documents/<doc_id>",
    tags=["Documents"],
    summary="Change a document's title, address or metadata",
    responses={202: {"description": "Taken in", "content": {"application/json": {"model": SubmittedOut}}}},
)
def change_document(doc_id: str, body: ChangedDocumentIn) -> Response[SubmittedOut]:
    """Describe a document anew; it is read again under its new description, and the old one stays until then."""
    call = call_of(router)
    call.hub.documents.head(call.principal, doc_id, "write")
    call.hub.audit.record(call.principal, "document_change", call.request_id, object_id=doc_id)
    change = DocumentChange(body.title, body.url, body.metadata)
    return _submitted(call.hub.documents.change(call.principal, doc_id, change, expected_version(call.request)))


@router.post("/kb/<kb_id>/documents/delete", tags=["Documents"], summary="Delete up to 100 documents")
def delete_documents(kb_id: int, body: DeletedDocumentsIn) -> DeletedOut:
    """Delete documents of one KB; those that are not there are named apart."""
    call = call_of(router)
    detail = {"documents": len(body.doc_ids)}
    call.hub.audit.record(call.principal, "documents_delete", call.request_id, kb_id=kb_id, detail=detail)
    gone = call.hub.documents.delete_all(call.principal, kb_id, body.doc_ids)
    return DeletedOut(deleted=gone, missing=[doc_id for doc_id in dict.fromkeys(body.doc_ids) if doc_id not in gone])


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


@router.post(
    "/documents/<doc_id>/retry",
    tags=["Documents"],
    summary="Read a document again",
    responses={202: {"description": "Taken in", "content": {"application/json": {"model": SubmittedOut}}}},
)
def retry_document(doc_id: str) -> Response[SubmittedOut]:
    """Read a document's latest bytes again; while they are being read, this gives the job that does it."""
    call = call_of(router)
    call.hub.documents.head(call.principal, doc_id, "write")
    call.hub.audit.record(call.principal, "document_retry", call.request_id, object_id=doc_id)
    return _submitted(call.hub.documents.retry(call.principal, doc_id))


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


def _submitted(done: Submitted) -> Response[SubmittedOut]:
    body = SubmittedOut(doc_id=done.doc_id, job_id=done.job_id, status=done.status)
    return Response(HTTPStatus.ACCEPTED, "application/json", body)
