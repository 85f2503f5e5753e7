"""Search and ask over HTTP."""

from typing import Any

import pytest

from knowhub.gateways.http.application import http_gateway
from tests.hubs import Answer, Rig, context, proxy_event

TEXTS = {
    "Walrus": "The walrus sleeps on ice. It eats clams. A walrus weighs 1.2 tons.",
    "Narwhal": "The narwhal has one tusk. It lives in cold water.",
    "海象": "海象在冰上睡觉。它吃蛤蜊。",
}


@pytest.fixture
def filled(hub: Rig, alice: str, kb: int) -> int:
    for title, text in TEXTS.items():
        hub.http("POST", f"/kb/{kb}/documents", {"title": title, "text": text, "external_id": title}, key=alice)
    hub.drain()
    return kb


def ask(hub: Rig, key: str, path: str, question: str, *, streaming: bool = True, **body: Any) -> Answer:
    return hub.http("POST", path, {"question": question, **body}, key=key, streaming=streaming)


def test_an_answer_has_every_member_of_the_contract(hub: Rig, alice: str, filled: int) -> None:
    found = hub.http("POST", f"/kb/{filled}/search", {"query": "walrus"}, key=alice).json
    assert found == {
        "query": "walrus",
        "mode": "hybrid",
        "hits": found["hits"],
        "legs": ["keyword", "exact"],
        "visual": "unavailable",
        "took_ms": found["took_ms"],
        "scope_truncated": False,
        "debug": None,
    }
    assert set(found["hits"][0]) == {
        "rank", "score", "chunk_id", "doc_id", "kb_id", "title", "url", "text", "highlights", "header_path",
        "locator", "metadata", "source", "evidence_state", "observed_at",
    }  # fmt: skip


def test_no_hits_is_an_empty_list(hub: Rig, alice: str, filled: int) -> None:
    assert hub.http("POST", f"/kb/{filled}/search", {"query": "zeppelin"}, key=alice).json["hits"] == []


@pytest.mark.parametrize(
    "query", ["AND OR NOT", "+-*/\\", '"', "()[]{}^~?:", "\u0000\u0007", "🦭" * 2000, "the of and"]
)
def test_odd_queries_answer_sensibly(hub: Rig, alice: str, filled: int, query: str) -> None:
    assert hub.http("POST", f"/kb/{filled}/search", {"query": query}, key=alice).status == 200


@pytest.mark.parametrize("query", ["", "   "])
def test_an_empty_query_is_a_422(hub: Rig, alice: str, filled: int, query: str) -> None:
    assert hub.http("POST", f"/kb/{filled}/search", {"query": query}, key=alice).code == "INVALID_REQUEST"


@pytest.mark.parametrize(
    "body",
    [
        {"query": "x" * 2001},
        {"query": "x", "mode": "magic"},
        {"query": "x", "filter": {}},
        {"query": "x", "min_score": 2},
    ],
)
def test_a_search_that_does_not_fit_is_a_422(hub: Rig, alice: str, filled: int, body: dict[str, Any]) -> None:
    assert hub.http("POST", f"/kb/{filled}/search", body, key=alice).status == 422


def test_dense_search_without_an_embedder_says_so(hub: Rig, alice: str, filled: int) -> None:
    answer = hub.http("POST", f"/kb/{filled}/search", {"query": "x", "mode": "dense"}, key=alice)
    assert (answer.status, answer.code) == (422, "INVALID_REQUEST")
    assert "embedder" in answer.json["error"]["message"]


@pytest.mark.parametrize(("top_k", "hits"), [(-5, 1), (0, 1), (1, 1), (2, 2), (1000, 2)])
def test_top_k_is_clamped(hub: Rig, alice: str, filled: int, top_k: int, hits: int) -> None:
    found = hub.http("POST", f"/kb/{filled}/search", {"query": "the", "top_k": top_k}, key=alice)
    assert len(found.json["hits"]) == hits


def test_without_kb_ids_every_readable_kb_is_searched_and_no_other(hub: Rig, alice: str, bob: str, filled: int) -> None:
    assert hub.http("POST", "/search", {"query": "walrus"}, key=alice).json["hits"]
    assert hub.http("POST", "/search", {"query": "walrus"}, key=bob).json["hits"] == []
    assert hub.http("POST", "/search", {"query": "walrus", "kb_ids": []}, key=alice).json["hits"] == []


def test_one_unreadable_kb_among_many_is_a_404(hub: Rig, alice: str, bob: str, filled: int) -> None:
    own = hub.http("POST", "/kb", {"name": "Own"}, key=bob).json["kb_id"]
    answer = hub.http("POST", "/search", {"query": "walrus", "kb_ids": [own, filled]}, key=bob)
    assert (answer.status, answer.code) == (404, "KB_NOT_FOUND")


def test_debug_shows_the_legs_and_what_the_gate_dropped(hub: Rig, alice: str, filled: int) -> None:
    body = {"query": "walrus", "include_debug": True}
    debug = hub.http("POST", f"/kb/{filled}/search", body, key=alice).json["debug"]
    assert set(debug["legs"]) == {"keyword", "exact"}
    assert debug["legs"]["keyword"]["hits"][0]["rank"] == 1
    doc_id = debug["fused"][0]["chunk_id"].partition(":")[0]
    hub.http("DELETE", f"/documents/{doc_id}", key=alice)
    debug = hub.http("POST", f"/kb/{filled}/search", body, key=alice).json["debug"]
    assert [one["reason"] for one in debug["dropped"] if one["chunk_id"].startswith(doc_id)] == ["document"]


@pytest.mark.parametrize("streaming", [True, False])
def test_an_answer_is_sources_then_deltas_then_done(hub: Rig, alice: str, filled: int, streaming: bool) -> None:
    answer = ask(hub, alice, f"/kb/{filled}/ask", "What does the walrus eat?", streaming=streaming)
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache, no-transform"
    assert answer.headers["x-accel-buffering"] == "no"
    names = [name for name, _ in answer.events]
    assert (names[0], names[-1]) == ("sources", "done")
    assert set(names[1:-1]) == {"delta"}
    sources, done = answer.events[0][1], answer.events[-1][1]
    assert sources["request_id"] == answer.headers["x-request-id"]
    assert "".join(data["text"] for name, data in answer.events if name == "delta") == done["answer"]
    assert (done["finish_reason"], done["extractive"]) == ("stop", True)
    by_number = {source["idx"]: source for source in sources["sources"]}
    assert done["citations"]
    for citation in done["citations"]:
        quoted = done["answer"][citation["start"] : citation["end"]]
        assert quoted in by_number[citation["n"]]["text"]
        assert citation["chunk_id"] == by_number[citation["n"]]["chunk_id"]


def test_without_streaming_the_answer_is_one_delta(hub: Rig, alice: str, filled: int) -> None:
    answer = ask(hub, alice, f"/kb/{filled}/ask", "What does the walrus eat?", stream=False)
    assert [name for name, _ in answer.events] == ["sources", "delta", "done"]


def test_a_chinese_question_is_answered_from_chinese_text(hub: Rig, alice: str, filled: int) -> None:
    answer = ask(hub, alice, "/ask", "海象吃什么？", kb_ids=[filled])
    assert "它吃蛤蜊" in answer.events[-1][1]["answer"] or "海象在冰上睡觉" in answer.events[-1][1]["answer"]


def test_a_question_without_evidence_says_so(hub: Rig, alice: str, filled: int) -> None:
    done = ask(hub, alice, "/ask", "Who built the zeppelin?").events[-1][1]
    assert (done["finish_reason"], done["citations"]) == ("no_evidence", [])


@pytest.mark.parametrize("streaming", [True, False])
def test_an_error_before_the_stream_keeps_its_status(
    hub: Rig, alice: str, bob: str, filled: int, streaming: bool
) -> None:
    assert ask(hub, bob, f"/kb/{filled}/ask", "walrus?", streaming=streaming).code == "KB_NOT_FOUND"
    assert ask(hub, "wrong", f"/kb/{filled}/ask", "walrus?", streaming=streaming).status == 401
    assert ask(hub, alice, f"/kb/{filled}/ask", " ", streaming=streaming).status == 422


def test_each_search_and_ask_leaves_exactly_one_audit_event(hub: Rig, alice: str, filled: int) -> None:
    before = len(hub.audit_events())
    hub.http("POST", f"/kb/{filled}/search", {"query": "walrus"}, key=alice)
    ask(hub, alice, "/ask", "walrus?")
    actions = [event["action"] for event in hub.audit_events()[before:]]
    assert actions == ["search", "ask"]
    assert "walrus" not in str(hub.audit_events())


@pytest.mark.parametrize("path", ["/foo/ask", "/kb/ask", "/kb/1/documents/ask"])
def test_only_the_two_ask_routes_stream(hub: Rig, alice: str, path: str) -> None:
    event = proxy_event("POST", f"/api/v1{path}", {"question": "x"}, key=alice)
    answer = http_gateway(hub.hub, ask_streaming=True)(event, context())
    assert isinstance(answer, dict)
    assert answer["statusCode"] == 404


@pytest.mark.parametrize("body", [{"top_k": "5"}, {"top_k": True}, {"include_debug": "no"}])
def test_a_value_of_another_type_is_not_taken_for_one(hub: Rig, alice: str, kb: int, body: dict[str, Any]) -> None:
    assert hub.http("POST", f"/kb/{kb}/search", {"query": "x", **body}, key=alice).status == 422


def test_an_id_beyond_every_counter_is_an_absent_kb(hub: Rig, alice: str) -> None:
    for kb_id in ("9" * 12, "9" * 40):
        assert hub.http("POST", f"/kb/{kb_id}/search", {"query": "x"}, key=alice).code == "KB_NOT_FOUND"
        assert hub.http("DELETE", f"/kb/{kb_id}", key=alice).code == "KB_NOT_FOUND"
