"""The A2A endpoint: the card, `tasks/send`, and the plain body."""

from typing import Any

import pytest

from tests.hubs import Answer, Rig


@pytest.fixture
def filled(hub: Rig, alice: str, kb: int) -> int:
    body = {"title": "Walrus", "text": "The walrus sleeps on ice.", "external_id": "w"}
    hub.http("POST", f"/kb/{kb}/documents", body, key=alice)
    hub.drain()
    return kb


def send(hub: Rig, key: str, kb_id: Any, text: str = "Where does the walrus sleep?", **params: Any) -> Answer:
    message = {"role": "user", "parts": [{"kind": "text", "text": text}]}
    sent = {"skill": "answer", "kb_id": kb_id, "message": message, **params}
    return hub.a2a({"jsonrpc": "2.0", "id": "a", "method": "tasks/send", "params": sent}, key=key)


@pytest.mark.parametrize("name", ["agent-card.json", "agent.json"])
def test_the_card_is_public_and_names_no_kb(hub: Rig, filled: int, name: str) -> None:
    answer = hub.a2a(None, method="GET", path=f"/.well-known/{name}")
    assert answer.status == 200
    assert answer.json["url"] == "http://hub.test/a2a/tasks"
    assert answer.json["capabilities"] == {"streaming": False, "pushNotifications": False}
    assert [skill["id"] for skill in answer.json["skills"]] == ["answer"]
    assert b"Notes" not in answer.body


def test_the_card_is_cached_by_its_tag(hub: Rig) -> None:
    tag = hub.a2a(None, method="GET", path="/.well-known/agent-card.json").headers["etag"]
    again = hub.a2a(None, method="GET", path="/.well-known/agent-card.json", headers={"If-None-Match": tag})
    assert (again.status, again.body) == (304, b"")


def test_a_task_is_completed_with_its_sources(hub: Rig, alice: str, filled: int) -> None:
    answer = send(hub, alice, filled)
    assert answer.status == 200
    assert answer.json["id"] == "a"
    task = answer.json["result"]
    assert task["status"] == {"state": "completed"}
    part = task["artifacts"][0]["parts"][0]
    assert part["kind"] == "text"
    assert "The walrus sleeps on ice. [1]" in part["text"]
    assert part["metadata"]["citations"][0]["n"] == task["metadata"]["sources"][0]["idx"] == 1
    assert (task["metadata"]["kb_id"], task["metadata"]["skill"]) == (filled, "answer")
    assert task["metadata"]["extractive"] is True


def test_the_plain_body_gets_the_bare_task(hub: Rig, alice: str, filled: int) -> None:
    answer = hub.a2a({"skill": "answer", "kb_id": filled, "query": "Where does the walrus sleep?"}, key=alice)
    assert (answer.status, answer.json["status"]) == (200, {"state": "completed"})
    assert "jsonrpc" not in answer.json


def test_a2a_http_and_mcp_give_the_same_answer_and_sources(hub: Rig, alice: str, filled: int) -> None:
    question = "Where does the walrus sleep?"
    task = send(hub, alice, filled, question).json["result"]
    events = hub.http("POST", f"/kb/{filled}/ask", {"question": question}, key=alice).events
    params = {"name": "ask_kb", "arguments": {"kb_id": filled, "question": question}}
    over_mcp = hub.mcp({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, key=alice)
    structured = over_mcp.json["result"]["structuredContent"]
    assert task["artifacts"][0]["parts"][0]["text"] == events[-1][1]["answer"] == structured["answer"]
    assert task["metadata"]["sources"] == events[0][1]["sources"] == structured["sources"]


def test_a_foreign_and_an_absent_kb_are_the_same_403(hub: Rig, alice: str, bob: str, filled: int) -> None:
    foreign, absent = send(hub, bob, filled), send(hub, bob, 999)
    assert foreign.status == absent.status == 403
    assert (
        foreign.json
        == absent.json
        == {
            "jsonrpc": "2.0",
            "id": "a",
            "error": {"code": -32000, "message": "KB_NOT_FOUND"},
        }
    )
    assert hub.a2a({"kb_id": filled, "query": "x"}, key=bob).status == 403


def test_integral_floats_are_integers(hub: Rig, alice: str, filled: int) -> None:
    assert send(hub, alice, float(filled)).json["result"]["metadata"]["kb_id"] == filled


@pytest.mark.parametrize(
    "params",
    [
        {"kb_id": None},
        {"kb_id": "1"},
        {"kb_id": 1.5},
        {"kb_id": True},
        {"skill": "cook"},
        {"message": {}},
        {"message": {"parts": [{"kind": "text", "text": " "}]}},
        {"message": {"parts": [{"kind": "text", "text": "x" * 2001}]}},
    ],
)
def test_wrong_parameters_are_an_error_over_200(hub: Rig, alice: str, filled: int, params: dict[str, Any]) -> None:
    answer = send(hub, alice, params.pop("kb_id", filled), **params)
    assert (answer.status, answer.json["error"]["code"]) == (200, -32602)


@pytest.mark.parametrize(
    ("raw", "code"), [(b"nope", -32700), (b"[]", -32600), (b'{"jsonrpc": "2.0", "id": 1, "method": "x"}', -32601)]
)
def test_what_is_no_task_is_an_error_over_200(hub: Rig, alice: str, raw: bytes, code: int) -> None:
    answer = hub.a2a(None, key=alice, raw=raw, headers={"Content-Type": "application/json"})
    assert (answer.status, answer.json["error"]["code"]) == (200, code)


def test_an_unsupported_version_is_refused(hub: Rig, alice: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tasks/send", "params": {}}
    answer = hub.a2a(body, key=alice, headers={"A2A-Version": "9.9"})
    assert answer.json["error"]["code"] == -32009


def test_a_wrong_key_is_a_real_401(hub: Rig) -> None:
    answer = hub.a2a({"kb_id": 1, "query": "x"}, key="wrong")
    assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")


def test_other_methods_and_paths(hub: Rig, alice: str) -> None:
    assert hub.a2a(None, key=alice, method="GET").headers["allow"] == "POST"
    assert hub.a2a(None, key=alice, path="/a2a/other").status == 404


def test_each_task_leaves_exactly_one_audit_event(hub: Rig, alice: str, filled: int) -> None:
    before = len(hub.audit_events())
    send(hub, alice, filled)
    send(hub, alice, 999)
    assert [event["action"] for event in hub.audit_events()[before:]] == ["a2a_call"] * 2
