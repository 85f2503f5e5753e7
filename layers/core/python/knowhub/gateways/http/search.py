"""Routes of search."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from knowhub.gateways.http.bodies import KbSearchIn, SearchIn
from knowhub.gateways.http.call import call_of
from knowhub.gateways.http.schemas import SearchOut
from knowhub.gateways.shapes import search_shape
from knowhub.model.query import SearchRequest
from knowhub.retrieval.filters import parse_filter
from knowhub.retrieval.search import clamp_top_k

router = Router()


@router.post("/search", tags=["Search"], summary="Search knowledge bases")
def search(body: SearchIn) -> SearchOut:
    """Search the named KBs, or every readable one."""
    return _search(body, None if body.kb_ids is None else tuple(body.kb_ids))


@router.post("/kb/<kb_id>/search", tags=["Search"], summary="Search one knowledge base")
def search_knowledge_base(kb_id: int, body: KbSearchIn) -> SearchOut:
    """Search one KB."""
    return _search(body, (kb_id,))


@router.post("/kb/<kb_id>/search/debug", tags=["Search"], summary="Search one knowledge base and show how it went")
def debug_search(kb_id: int, body: KbSearchIn) -> SearchOut:
    """Search one KB, with the debug block whether it was asked for or not."""
    return _search(body, (kb_id,), debug=True)


def _search(body: KbSearchIn, kb_ids: tuple[int, ...] | None, *, debug: bool = False) -> SearchOut:
    call = call_of(router)
    request = SearchRequest(
        query=body.query,
        kb_ids=kb_ids,
        mode=body.mode,
        top_k=clamp_top_k(body.top_k),
        filter=None if body.filter is None else parse_filter(body.filter),
        min_score=body.min_score or 0.0,
        rerank=body.rerank,
        expand=body.expand,
        include_debug=body.include_debug or debug,
    )
    kb_id = kb_ids[0] if kb_ids is not None and len(kb_ids) == 1 else None
    call.hub.audit.record(call.principal, "search", call.request_id, kb_id=kb_id)
    return SearchOut.model_validate(search_shape(call.hub.search.run(call.principal, request)))
