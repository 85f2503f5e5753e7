"""The request and answer bodies of ask and of sessions, as OpenAPI shows them."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from knowhub.gateways.http.bodies import KbId, RequestBody
from knowhub.gateways.http.schemas import Out

SessionId = Annotated[str, StringConstraints(min_length=1, max_length=64)]


class KbAskIn(RequestBody):
    """A question to one knowledge base; in a session it may follow up on earlier ones."""

    question: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
    top_k: int = 10
    mode: Literal["hybrid", "keyword", "exact", "dense"] = "hybrid"
    filter: dict[str, Any] | None = None
    session_id: SessionId | None = None
    stream: bool = True


class AskIn(KbAskIn):
    """A question over knowledge bases; without `kb_ids` over every readable one."""

    kb_ids: Annotated[list[KbId], Field(max_length=1000)] | None = None


class SessionIn(RequestBody):
    """A new session; without a title it gets that of its first question."""

    title: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""


class FeedbackIn(RequestBody):
    """What somebody thinks of an answer."""

    rating: Literal["up", "down"]
    comment: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000)] | None = None


class FeedbackOut(Out):
    """What somebody thinks of an answer, and since when."""

    rating: str
    comment: str | None
    at: str


class SessionOut(Out):
    """A session, without what was said in it; `turn_count` counts what is still kept of it."""

    session_id: str
    title: str
    turn_count: int
    created_at: str
    updated_at: str
    expires_at: str


class MessageCitationOut(Out):
    """`[n]` supports a range of the answer, half-open in code points."""

    n: int
    chunk_id: str
    start: int
    end: int


class MessageSourceOut(Out):
    """A cited source as its document is now."""

    n: int
    chunk_id: str
    doc_id: str
    kb_id: int
    title: str


class MessageOut(Out):
    """A question with its answer; a withheld answer is null, as something that it rests on is gone or not readable."""

    message_id: str
    question: str
    answer: str | None
    withheld: bool
    citations: list[MessageCitationOut]
    sources: list[MessageSourceOut]
    extractive: bool
    finish_reason: str
    created_at: str
    feedback: FeedbackOut | None


class SessionDetailOut(SessionOut):
    """A session with its last turns, the oldest first."""

    messages: list[MessageOut]
