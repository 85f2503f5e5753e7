"""Routes of sessions: conversations that are kept, and what people think of their answers."""

from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from knowhub.gateways.http.ask_bodies import FeedbackIn, FeedbackOut, SessionDetailOut, SessionIn, SessionOut
from knowhub.gateways.http.call import call_of
from knowhub.gateways.http.paging import TIME_AND_ID, PageSize, page_bounds, page_shape
from knowhub.gateways.http.repeats import once
from knowhub.gateways.http.schemas import Page
from knowhub.model.session import Session
from knowhub.model.times import iso
from knowhub.services.sessions import Message

router = Router()
_KEPT_TURNS = 10


@router.get("/sessions", tags=["Ask"], summary="List your sessions, the latest first")
def list_sessions(
    *,
    page: Annotated[int | None, Query()] = None,
    page_size: PageSize = 20,
    cursor: Annotated[str | None, Query()] = None,
) -> Page[SessionOut]:
    """List the conversations that this principal has begun, those that expire within days too."""
    call = call_of(router)
    bounds = page_bounds("sessions", page, page_size, cursor, TIME_AND_ID)
    found = call.hub.sessions.page(call.principal, limit=bounds.limit, skip=bounds.skip, after=bounds.after)
    items = [_shape(session) for session in found.items]
    return Page[SessionOut](**page_shape("sessions", bounds, items, found.total, found.after))


@router.post(
    "/sessions",
    tags=["Ask"],
    summary="Begin a session",
    responses={201: {"description": "Begun", "content": {"application/json": {"model": SessionOut}}}},
)
def create_session(body: SessionIn) -> Response[SessionOut]:
    """Begin a conversation; it keeps its last 10 turns, each for 30 days, and belongs to this principal alone."""
    call = call_of(router)

    def make() -> Session:
        call.hub.audit.record(call.principal, "session_create", call.request_id)
        return call.hub.sessions.create(call.principal, body.title)

    session = once(
        call,
        make,
        lambda made: {"session_id": made.session_id},
        lambda kept: call.hub.sessions.get(call.principal, str(kept["session_id"])),
    )
    return Response(HTTPStatus.CREATED, "application/json", SessionOut(**_shape(session)))


@router.get("/sessions/<session_id>", tags=["Ask"], summary="Show a session with its turns")
def get_session(session_id: str) -> SessionDetailOut:
    """Show a conversation; an answer of which a source is gone, replaced or no longer readable is withheld."""
    call = call_of(router)
    session = call.hub.sessions.get(call.principal, session_id)
    messages = [_message(message) for message in call.hub.sessions.messages(call.principal, session)]
    return SessionDetailOut.model_validate({**_shape(session), "messages": messages})


@router.delete(
    "/sessions/<session_id>",
    tags=["Ask"],
    summary="Delete a session",
    responses={204: {"description": "Gone with everything that was said in it"}},
)
def delete_session(session_id: str) -> Response[None]:
    """Delete a conversation at once."""
    call = call_of(router)
    call.hub.sessions.get(call.principal, session_id)
    call.hub.audit.record(call.principal, "session_delete", call.request_id, object_id=session_id)
    call.hub.sessions.delete(call.principal, session_id)
    return Response(HTTPStatus.NO_CONTENT)


@router.post(
    "/sessions/<session_id>/messages/<message_id>/feedback", tags=["Ask"], summary="Say what you think of an answer"
)
def rate_message(session_id: str, message_id: str, body: FeedbackIn) -> FeedbackOut:
    """Keep one opinion an answer, in the place of an earlier one."""
    call = call_of(router)
    call.hub.sessions.get(call.principal, session_id)
    call.hub.audit.record(call.principal, "message_feedback", call.request_id, object_id=message_id)
    feedback = call.hub.sessions.rate(call.principal, session_id, message_id, body.rating, body.comment or None)
    return FeedbackOut(**asdict(feedback))


def _shape(session: Session) -> dict[str, Any]:
    return {
        "session_id": session.session_id,
        "title": session.title,
        "turn_count": min(session.turns, _KEPT_TURNS),
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "expires_at": iso(session.expires_at),
    }


def _message(message: Message) -> dict[str, Any]:
    turn = message.turn
    sources = [
        {
            "n": source.n,
            "chunk_id": source.chunk_id,
            "doc_id": source.head.doc_id,
            "kb_id": source.head.kb_id,
            "title": source.head.title,
        }
        for source in message.sources
        if source.head is not None
    ]
    return {
        "message_id": turn.message_id,
        "question": turn.question,
        "answer": None if message.withheld else turn.answer,
        "withheld": message.withheld,
        "citations": [] if message.withheld else [asdict(one) for one in turn.citations],
        "sources": sources,
        "extractive": turn.extractive,
        "finish_reason": turn.finish_reason,
        "created_at": turn.created_at,
        "feedback": None if turn.feedback is None else asdict(turn.feedback),
    }
