"""A2A tasks: what is asked, in the task dialect or as the plain body, and the task that comes of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

from knowhub.answering.limits import limits_until
from knowhub.gateways.hub import Hub
from knowhub.gateways.json_rpc import INVALID_PARAMS, RpcError
from knowhub.gateways.whole_answers import whole_answer
from knowhub.model.principal import Principal
from knowhub.model.query import SearchRequest

SKILLS = ("answer",)
TASK_SECONDS = 25.0
_TOP_K = 10
_MAX_QUERY = 2000


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """One question to one KB."""

    skill: str
    kb_id: int
    query: str


def read_plain(body: Mapping[str, Any]) -> TaskRequest:
    """Read the plain body `{skill, kb_id, query}`."""
    return _checked(body.get("skill", SKILLS[0]), body.get("kb_id"), body.get("query"))


def read_send(params: Mapping[str, Any]) -> TaskRequest:
    """Read the parameters of `tasks/send`: the question is the text of the message's text parts."""
    message = params.get("message")
    parts = message.get("parts") if isinstance(message, dict) else None
    if not isinstance(parts, list):
        raise _wrong("message.parts is a list")
    texts = [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return _checked(params.get("skill", SKILLS[0]), params.get("kb_id"), "\n".join(texts))


def run_task(hub: Hub, principal: Principal, asked: TaskRequest, request_id: str) -> dict[str, Any]:
    """Answer and give the completed task; raises as the services do."""
    hub.audit.record(principal, "a2a_call", request_id, kb_id=asked.kb_id, detail={"skill": asked.skill})
    request = SearchRequest(asked.query, (asked.kb_id,), top_k=_TOP_K)
    answer = hub.ask.prepare(principal, request, limits_until(monotonic() + TASK_SECONDS, monotonic))
    whole = whole_answer(answer.frames(one_shot=True))
    text = {
        "kind": "text",
        "text": whole.done["answer"],
        "metadata": {"citations": whole.done["citations"]},
    }
    return {
        "id": hub.identifiers.new("task_"),
        "contextId": hub.identifiers.new("ctx_"),
        "status": {"state": "completed"},
        "history": [{"role": "user", "parts": [{"kind": "text", "text": asked.query}]}],
        "artifacts": [{"artifactId": "answer", "parts": [text]}],
        "metadata": {
            "kb_id": asked.kb_id,
            "skill": asked.skill,
            "sources": whole.sources,
            "documents": [],
            "extractive": whole.done["extractive"],
            "truncated": whole.done["finish_reason"] == "length",
        },
    }


def _checked(skill: Any, kb_id: Any, query: Any) -> TaskRequest:
    if skill not in SKILLS:
        raise _wrong(f"skill is one of {', '.join(SKILLS)}")
    if isinstance(kb_id, float) and kb_id.is_integer():
        # Clients whose JSON numbers are all floats send 88.0 for 88.
        kb_id = int(kb_id)
    if not isinstance(kb_id, int) or isinstance(kb_id, bool):
        raise _wrong("kb_id is an integer")
    if not isinstance(query, str) or not query.strip() or len(query) > _MAX_QUERY:
        raise _wrong(f"the question has between 1 and {_MAX_QUERY} characters")
    return TaskRequest(skill, kb_id, query.strip())


def _wrong(what: str) -> RpcError:
    return RpcError(INVALID_PARAMS, what)
