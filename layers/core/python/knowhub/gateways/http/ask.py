"""Routes of ask: an answer as server-sent events."""

from collections.abc import Iterator
from threading import Event
from time import monotonic

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.types import OpenAPIResponse

from knowhub.answering.frames import Frame
from knowhub.answering.limits import Limits, limits_until
from knowhub.gateways.http.ask_bodies import AskIn, KbAskIn
from knowhub.gateways.http.beginning import Beginning
from knowhub.gateways.http.call import call_of
from knowhub.gateways.http.sse import SSE_HEADERS, event_stream
from knowhub.model.query import SearchRequest
from knowhub.retrieval.filters import parse_filter
from knowhub.retrieval.search import clamp_top_k
from knowhub.services.ask import Answer

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
    hub, principal, session_id = call.hub, call.principal, body.session_id
    asked = None if body.filter is None else parse_filter(body.filter)
    request = SearchRequest(body.question, kb_ids, body.mode, clamp_top_k(body.top_k), asked)
    kb_id = kb_ids[0] if kb_ids is not None and len(kb_ids) == 1 else None
    hub.audit.record(principal, "ask", call.request_id, kb_id=kb_id)
    stopped = Event()
    limits = limits_until(monotonic() + call.seconds, monotonic, stopped.is_set)
    answer = Beginning(lambda: hub.ask.prepare(principal, request, limits, session_id=session_id))
    answer.settle()
    frames = _frames(answer, limits, one_shot=not body.stream)
    call.stream = event_stream(frames, request_id=call.request_id, stopped=stopped)
    return Response(200, SSE_HEADERS["Content-Type"], "", headers=dict(SSE_HEADERS))


def _frames(answer: Beginning[Answer], limits: Limits, *, one_shot: bool) -> Iterator[Frame]:
    prepared = answer.result(limits)
    if prepared is not None:
        yield from prepared.frames(one_shot=one_shot)
