"""The MCP endpoint in the legacy protocol era."""

import json
from typing import Any

import pytest

from tests.hubs import Answer, Rig


@pytest.fixture
def filled(hub: Rig, alice: str, kb: int) -> int:
    body = {"title": "Walrus", "text": "The walrus sleeps on ice.", "external_id": "w"}
    hub.http("POST", f"/kb/{kb}/documents", body, key=alice)
    hub.drain()
    return kb


def rpc(method: str, params: Any = None, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, **({} if params is None else {"params": params}), **more}


def call(hub: Rig, key: str, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = hub.mcp(rpc("tools/call", {"name": tool, "arguments": arguments}), key=key)
    assert answer.status == 200
    result: dict[str, Any] = answer.json
    return result


@pytest.mark.parametrize(
    ("asked", "given"), [("2025-06-18", "2025-06-18"), ("2026-07-28", "2025-11-25"), (None, "2025-11-25")]
)
def test_initialize_echoes_a_known_version_else_the_newest_legacy_one(
    hub: Rig, alice: str, asked: str | None, given: str
) -> None:
    result = hub.mcp(rpc("initialize", {"protocolVersion": asked}), key=alice).json["result"]
    assert result["protocolVersion"] == given
    assert result["capabilities"] == {"tools": {"listChanged": False}}


def test_ping_and_notifications(hub: Rig, alice: str) -> None:
    assert hub.mcp(rpc("ping"), key=alice).json == {"jsonrpc": "2.0", "id": 1, "result": {}}
    done = hub.mcp({"jsonrpc": "2.0", "method": "notifications/initialized"}, key=alice)
    assert (done.status, done.body) == (202, b"")


def test_the_four_tools_are_listed_in_order_with_the_readable_kbs(hub: Rig, alice: str, filled: int) -> None:
    tools = hub.mcp(rpc("tools/list"), key=alice).json["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["list_kb", "search_kb", "ask_kb", "get_document"]
    assert tools[0]["inputSchema"]["properties"] == {}
    assert tools[1]["inputSchema"]["properties"]["kb_id"]["enum"] == [filled]
    assert "$ref" not in json.dumps(tools)
    for tool in tools:
        assert tool["annotations"]["readOnlyHint"] is True
        assert all("description" in one for one in tool["inputSchema"]["properties"].values())


def test_without_a_readable_kb_only_tools_without_one_are_listed(hub: Rig, bob: str, filled: int) -> None:
    tools = hub.mcp(rpc("tools/list"), key=bob).json["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["list_kb"]


def test_each_tool_gives_its_value_as_text_and_as_structure(hub: Rig, alice: str, filled: int) -> None:
    hit = call(hub, alice, "search_kb", kb_id=filled, query="walrus")["result"]["structuredContent"]["hits"][0]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("list_kb", {}),
        ("search_kb", {"kb_id": filled, "query": "walrus"}),
        ("ask_kb", {"kb_id": filled, "question": "Where does the walrus sleep?"}),
        ("get_document", {"kb_id": filled, "doc_id": hit["doc_id"]}),
    ]
    declared = {tool["name"]: tool for tool in hub.mcp(rpc("tools/list"), key=alice).json["result"]["tools"]}
    for tool, arguments in calls:
        result = call(hub, alice, tool, **arguments)["result"]
        assert result["isError"] is False
        assert set(declared[tool]["outputSchema"]["required"]) <= set(result["structuredContent"])
        text = json.loads(result["content"][0]["text"])
        assert text == result["structuredContent"]


def test_search_over_mcp_and_http_gives_the_same_ranked_chunks(hub: Rig, alice: str, filled: int) -> None:
    over_http = hub.http("POST", f"/kb/{filled}/search", {"query": "walrus ice"}, key=alice).json["hits"]
    over_mcp = call(hub, alice, "search_kb", kb_id=filled, query="walrus ice")["result"]["structuredContent"]["hits"]
    assert over_mcp == over_http


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("search_kb", {"query": "x"}, "kb_id"),
        ("search_kb", {"kb_id": "1", "query": "x"}, "kb_id"),
        ("search_kb", {"kb_id": 1.0, "query": "x"}, "kb_id"),
        ("search_kb", {"kb_id": True, "query": "x"}, "kb_id"),
        ("search_kb", {"kb_id": 1}, "query"),
        ("search_kb", {"kb_id": 1, "query": 5}, "query"),
        ("search_kb", {"kb_id": 1, "query": ""}, "query"),
        ("search_kb", {"kb_id": 1, "query": "x" * 2001}, "query"),
        ("search_kb", {"kb_id": 1, "query": "x", "top_k": 0}, "top_k"),
        ("search_kb", {"kb_id": 1, "query": "x", "top_k": 51}, "top_k"),
        ("search_kb", {"kb_id": 1, "query": "x", "top_k": "5"}, "top_k"),
        ("search_kb", {"kb_id": 1, "query": "x", "mode": "dense"}, "mode"),
        ("search_kb", {"kb_id": 1, "query": "x", "colour": "red"}, "colour"),
        ("list_kb", {"kb_id": 1}, "kb_id"),
        ("get_document", {"kb_id": 1, "doc_id": None}, "doc_id"),
    ],
)
def test_a_wrong_argument_is_a_protocol_error_that_names_it(
    hub: Rig, alice: str, filled: int, tool: str, arguments: dict[str, Any], named: str
) -> None:
    error = call(hub, alice, tool, **arguments)["error"]
    assert error["code"] == -32602
    assert error["message"].startswith(f"{tool}: ")
    assert repr(named) in error["message"]


@pytest.mark.parametrize("kb_id", [-1, 0, 999, 10**30])
def test_an_absent_kb_is_a_business_failure(hub: Rig, alice: str, filled: int, kb_id: int) -> None:
    for tool, more in (("search_kb", {"query": "x"}), ("ask_kb", {"question": "x"}), ("get_document", {"doc_id": "d"})):
        result = call(hub, alice, tool, kb_id=kb_id, **more)["result"]
        assert result == {"content": [{"type": "text", "text": '{"error": "KB_NOT_FOUND"}'}], "isError": True}


def test_a_foreign_kb_and_document_are_as_absent_ones(hub: Rig, alice: str, bob: str, filled: int) -> None:
    assert call(hub, bob, "search_kb", kb_id=filled, query="x") == call(hub, bob, "search_kb", kb_id=999, query="x")
    other = hub.http("POST", "/kb", {"name": "Other"}, key=alice).json["kb_id"]
    doc_id = call(hub, alice, "search_kb", kb_id=filled, query="walrus")["result"]["structuredContent"]["hits"][0][
        "doc_id"
    ]
    result = call(hub, alice, "get_document", kb_id=other, doc_id=doc_id)["result"]
    assert json.loads(result["content"][0]["text"]) == {"error": "DOCUMENT_NOT_FOUND"}


def test_an_unknown_tool_and_an_unknown_method_are_method_not_found(hub: Rig, alice: str) -> None:
    assert call(hub, alice, "delete_everything")["error"]["code"] == -32601
    unknown = hub.mcp(rpc("resources/list"), key=alice)
    assert (unknown.status, unknown.json["error"]["code"]) == (200, -32601)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"not json", -32700),
        (b"", -32700),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
        (b'{"id": 1, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600),
        (b'"ping"', -32600),
        (b"[" * 100_000, -32700),
    ],
)
def test_what_is_no_json_rpc_request_is_a_400(hub: Rig, alice: str, raw: bytes, code: int) -> None:
    answer = hub.mcp(None, key=alice, raw=raw, headers={"Content-Type": "application/json; charset=utf-8"})
    assert (answer.status, answer.json["error"]["code"], answer.json["id"]) == (400, code, None)


def test_get_and_delete_are_not_allowed(hub: Rig, alice: str) -> None:
    for method in ("GET", "DELETE"):
        answer = hub.mcp(None, key=alice, method=method)
        assert (answer.status, answer.headers["allow"]) == (405, "POST")


def test_a_wrong_key_is_a_401_with_a_json_rpc_body(hub: Rig) -> None:
    answer = hub.mcp(rpc("ping"), key="wrong")
    assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert answer.json["jsonrpc"] == "2.0"


@pytest.mark.parametrize(
    ("origin", "status"),
    [("https://evil.example", 403), ("null", 403), ("https://app.example", 200), ("http://hub.test", 200)],
)
def test_only_allowed_origins_get_in(hub: Rig, alice: str, origin: str, status: int) -> None:
    assert hub.mcp(rpc("ping"), key=alice, headers={"Origin": origin}).status == status


def test_an_unsupported_version_header_is_a_400_that_names_the_supported_ones(hub: Rig, alice: str) -> None:
    answer: Answer = hub.mcp(rpc("ping"), key=alice, headers={"MCP-Protocol-Version": "2026-07-28"})
    assert answer.status == 400
    assert "2025-11-25" in answer.json["error"]["data"]["supported"]


def test_each_tool_call_leaves_exactly_one_audit_event(hub: Rig, alice: str, filled: int) -> None:
    before = len(hub.audit_events())
    call(hub, alice, "search_kb", kb_id=filled, query="walrus")
    call(hub, alice, "search_kb", kb_id=999, query="walrus")
    call(hub, alice, "search_kb")
    assert [event["action"] for event in hub.audit_events()[before:]] == ["mcp_call"] * 3
