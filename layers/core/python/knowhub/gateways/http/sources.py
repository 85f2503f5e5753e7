"""Routes of imports and sources."""

from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.openapi.types import OpenAPIResponse

from knowhub.gateways.http.bodies import ImportIn
from knowhub.gateways.http.call import call_of
from knowhub.gateways.http.paging import ID, NAME, PageSize, page_bounds, page_shape
from knowhub.gateways.http.repeats import once
from knowhub.gateways.http.schemas import DocumentOut, Page, SourceOut, StartedOut
from knowhub.gateways.shapes import document_row_shape, source_shape

router = Router()
_STARTED: dict[int, OpenAPIResponse] = {
    202: {"description": "Started", "content": {"application/json": {"model": StartedOut}}}
}


@router.post("/kb/<kb_id>/imports", tags=["Sources"], summary="Import documents from a source", responses=_STARTED)
def create_import(kb_id: int, body: ImportIn) -> Response[StartedOut]:
    """Start an import; with a name it stays as a source that can be read again."""
    call = call_of(router)
    call.hub.documents.writable(call.principal, kb_id)
    call.hub.audit.record(call.principal, "import_start", call.request_id, kb_id=kb_id)
    sent = body.model_dump(exclude_unset=True, exclude_none=True)
    job_id = once(
        call,
        lambda: call.hub.imports.start(call.principal, kb_id, sent),
        lambda made: {"job_id": made},
        lambda ids: str(ids["job_id"]),
    )
    return _started(job_id)


@router.get("/kb/<kb_id>/sources", tags=["Sources"], summary="List a knowledge base's sources by name")
def list_sources(
    kb_id: int,
    page: Annotated[int | None, Query()] = None,
    page_size: PageSize = 20,
    cursor: Annotated[str | None, Query()] = None,
) -> Page[SourceOut]:
    """List the sources of a KB."""
    call = call_of(router)
    what = f"sources:{kb_id}"
    bounds = page_bounds(what, page, page_size, cursor, NAME)
    found = call.hub.imports.list(call.principal, kb_id)
    rest = [row for row in found if bounds.after is None or row.name > bounds.after][bounds.skip :]
    shown = [source_shape(row) for row in rest[: bounds.limit]]
    following = str(shown[-1]["name"]) if len(rest) > bounds.limit else None
    return Page[SourceOut](**page_shape(what, bounds, shown, len(found), following))


@router.get("/kb/<kb_id>/sources/<name>", tags=["Sources"], summary="Show a source")
def get_source(kb_id: int, name: str) -> SourceOut:
    """Show one source with how its latest import ended."""
    call = call_of(router)
    return SourceOut.model_validate(source_shape(call.hub.imports.get(call.principal, kb_id, name)))


@router.delete(
    "/kb/<kb_id>/sources/<name>",
    tags=["Sources"],
    summary="Remove a source with its documents",
    responses=_STARTED,
)
def delete_source(kb_id: int, name: str) -> Response[StartedOut]:
    """Start removing a source; when the job has ended every document that came from it is gone."""
    call = call_of(router)
    call.hub.audit.record(call.principal, "source_remove", call.request_id, kb_id=kb_id)
    return _started(call.hub.imports.remove(call.principal, kb_id, name))


@router.post("/kb/<kb_id>/sources/<name>/reload", tags=["Sources"], summary="Read a source again", responses=_STARTED)
def create_reload(kb_id: int, name: str) -> Response[StartedOut]:
    """Start an import of what changed; while one goes on, or a removal, the conflict names its job."""
    call = call_of(router)
    call.hub.audit.record(call.principal, "source_reload", call.request_id, kb_id=kb_id)
    return _started(call.hub.imports.reload(call.principal, kb_id, name))


@router.get("/kb/<kb_id>/sources/<name>/documents", tags=["Sources"], summary="List a source's documents")
def list_source_documents(
    kb_id: int, name: str, page_size: PageSize = 20, cursor: Annotated[str | None, Query()] = None
) -> Page[DocumentOut]:
    """List what the source's imports listed, by document id."""
    call = call_of(router)
    what = f"source:{kb_id}:{name}"
    bounds = page_bounds(what, None, page_size, cursor, ID)
    found = call.hub.imports.items(call.principal, kb_id, name, after=bounds.after, limit=bounds.limit)
    views = call.hub.document_lists.views(call.principal, [item.doc_id for item in found.items])
    items: list[dict[str, Any]] = [document_row_shape(view.head, view.detail, view.error) for view in views]
    return Page[DocumentOut](**page_shape(what, bounds, items, None, found.after))


def _started(job_id: str) -> Response[StartedOut]:
    return Response(HTTPStatus.ACCEPTED, "application/json", StartedOut(job_id=job_id))
