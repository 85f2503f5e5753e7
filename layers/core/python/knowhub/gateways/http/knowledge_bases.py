"""Routes of knowledge bases."""

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from knowhub.gateways.http.bodies import ChangedKnowledgeBaseIn, KnowledgeBaseIn
from knowhub.gateways.http.call import call_of
from knowhub.gateways.http.paging import PageSize, page_bounds, page_shape
from knowhub.gateways.http.repeats import once
from knowhub.gateways.http.schemas import FacetsOut, KnowledgeBaseOut, Page
from knowhub.gateways.http.versions import entity_tag, expected_version
from knowhub.gateways.shapes import facets_shape, knowledge_base_shape
from knowhub.services.knowledge_bases import ChangedKnowledgeBase, KnowledgeBaseView, NewKnowledgeBase

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
        language=body.language or "",
        chunking=body.chunking.chunking(),
    )
    call.hub.audit.record(call.principal, "kb_create", call.request_id)
    kbs = call.hub.knowledge_bases
    made = once(
        call,
        lambda: kbs.create(call.principal, new),
        lambda view: {"kb_id": view.kb.kb_id},
        lambda ids: kbs.get(call.principal, ids["kb_id"]),
    )
    return _answer(made, HTTPStatus.CREATED)


@router.get("/kb/<kb_id>", tags=["Knowledge bases"], summary="Show a knowledge base")
def get_knowledge_base(kb_id: int) -> Response[KnowledgeBaseOut]:
    """Show one KB, with its version as its entity tag."""
    call = call_of(router)
    return _answer(call.hub.knowledge_bases.get(call.principal, kb_id))


@router.patch("/kb/<kb_id>", tags=["Knowledge bases"], summary="Change a knowledge base")
def change_knowledge_base(kb_id: int, body: ChangedKnowledgeBaseIn) -> Response[KnowledgeBaseOut]:
    """Change what a KB says of itself, for owners; with `If-Match` only in the version that was seen."""
    call = call_of(router)
    wanted = ChangedKnowledgeBase(
        name=body.name,
        description=body.description,
        visibility=body.visibility,
        language=body.language,
        chunking=None if body.chunking is None else body.chunking.chunking(),
    )
    call.hub.audit.record(call.principal, "kb_change", call.request_id, kb_id=kb_id)
    expected = expected_version(call.request)
    return _answer(call.hub.knowledge_bases.change(call.principal, kb_id, wanted, expected))


@router.get("/kb/<kb_id>/metadata", tags=["Knowledge bases"], summary="List metadata keys and values to filter by")
def get_metadata(kb_id: int) -> FacetsOut:
    """Show the keys of the visible documents' metadata, each with its commonest values."""
    call = call_of(router)
    return FacetsOut.model_validate(facets_shape(call.hub.knowledge_bases.facets(call.principal, kb_id)))


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


def _answer(view: KnowledgeBaseView, status: int = HTTPStatus.OK) -> Response[KnowledgeBaseOut]:
    shown = KnowledgeBaseOut.model_validate(knowledge_base_shape(view))
    return Response(status, "application/json", shown, headers=entity_tag(view.kb.version))
