"""Routes of knowledge bases."""

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from knowhub.gateways.http.bodies import KnowledgeBaseIn
from knowhub.gateways.http.call import call_of
from knowhub.gateways.http.paging import PageSize, page_bounds, page_shape
from knowhub.gateways.http.schemas import KnowledgeBaseOut, Page
from knowhub.gateways.shapes import knowledge_base_shape
from knowhub.model.knowledge_base import Chunking
from knowhub.services.knowledge_bases import NewKnowledgeBase

router = Router()


@router.get("/kb", tags=["Knowledge bases"], summary="List the readable knowledge bases")
def list_knowledge_bases(
    page: Annotated[int | None, Query()] = None,
    page_size: PageSize = 20,
    cursor: Annotated[str | None, Query()] = None,
) -> Page[KnowledgeBaseOut]:
    """List what the caller reads, by ascending id."""
    call = call_of(router)
    bounds = page_bounds("kb", page, page_size, cursor)
    found = call.hub.knowledge_bases.list(call.principal)
    after = 0 if bounds.after is None else int(bounds.after)
    rest = [one for one in found if one[0].kb_id > after][bounds.skip :]
    shown = rest[: bounds.limit]
    items = [knowledge_base_shape(call.hub.knowledge_bases.view(kb, role)) for kb, role in shown]
    following = str(shown[-1][0].kb_id) if len(rest) > bounds.limit else None
    return Page[KnowledgeBaseOut](**page_shape("kb", bounds, items, len(found), following))


@router.post(
    "/kb",
    tags=["Knowledge bases"],
    summary="Make a knowledge base",
    responses={201: {"description": "Made", "content": {"application/json": {"model": KnowledgeBaseOut}}}},
)
def create_knowledge_base(body: KnowledgeBaseIn) -> Response[KnowledgeBaseOut]:
    """Make a KB that the caller owns."""
    call = call_of(router)
    new = NewKnowledgeBase(
        name=body.name,
        description=body.description,
        visibility=body.visibility,
        language=body.language,
        chunking=Chunking(body.chunking.strategy, body.chunking.size, body.chunking.overlap),
    )
    call.hub.audit.record(call.principal, "kb_create", call.request_id)
    view = call.hub.knowledge_bases.create(call.principal, new)
    return Response(HTTPStatus.CREATED, "application/json", KnowledgeBaseOut.model_validate(knowledge_base_shape(view)))


@router.get("/kb/<kb_id>", tags=["Knowledge bases"], summary="Show a knowledge base")
def get_knowledge_base(kb_id: int) -> KnowledgeBaseOut:
    """Show one KB."""
    call = call_of(router)
    view = call.hub.knowledge_bases.get(call.principal, kb_id)
    return KnowledgeBaseOut.model_validate(knowledge_base_shape(view))


@router.delete(
    "/kb/<kb_id>",
    tags=["Knowledge bases"],
    summary="Delete a knowledge base",
    responses={204: {"description": "Gone for everybody at once; its content is removed in the background"}},
)
def delete_knowledge_base(kb_id: int) -> Response[None]:
    """Hide a KB and all beneath it."""
    call = call_of(router)
    call.hub.audit.record(call.principal, "kb_delete", call.request_id, kb_id=kb_id)
    call.hub.knowledge_bases.delete(call.principal, kb_id)
    return Response(HTTPStatus.NO_CONTENT)
