"""Routes of ask: an answer as server-sent events."""

from collections.abc import Callable
from time import monotonic

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.types import OpenAPIResponse

from knowhub.gateways.http.bodies import AskIn, KbAskIn
from knowhub.gateways.http.call import Call, call_of
from knowhub.gateways.http.sse import SSE_HEADERS, event_stream
from knowhub.model.query import SearchRequest
from knowhub.retrieval.search import clamp_top_k

router = Router()
_EVENTS: dict[int, OpenAPIResponse] = {
    200: {"description": "Events sources, delta*, done; or error", "content": {"text/event-stream": {}}}
}


@router.post("/ask", tags=["Ask"], summary="Ask knowledge bases", responses=_EVENTS)
def ask(body: AskIn) -> Response[str]:
    """Answer from the named KBs, or from every readable one."""
    return _ask(body, None if body.kb_ids is None else tuple(body.kb_ids))


@router.post("/kb/<kb_id>/ask", tags=["Ask"], summary="Ask one knowledge base", responses=_EVENTS)
def ask_knowledge_base(kb_id: int, body: KbAskIn) -> Response[str]:
    """Answer from one KB."""
    return _ask(body, (kb_id,))


def _ask(body: KbAskIn, kb_ids: tuple[int, ...] | None) -> Response[str]:
    call = call_of(router)
    request = SearchRequest(body.question, kb_ids, body.mode, clamp_top_k(body.top_k))
    kb_id = kb_ids[0] if kb_ids is not None and len(kb_ids) == 1 else None
    call.hub.audit.record(call.principal, "ask", call.request_id, kb_id=kb_id)
    answer = call.hub.ask.prepare(call.principal, request, _deadline(call))
    frames = answer.frames(one_shot=not body.stream)
    call.stream = event_stream(frames, request_id=call.request_id)
    return Response(200, SSE_HEADERS["Content-Type"], "", headers=dict(SSE_HEADERS))


def _deadline(call: Call) -> Callable[[], bool]:
    end = monotonic() + call.seconds
    return lambda: monotonic() >= end
