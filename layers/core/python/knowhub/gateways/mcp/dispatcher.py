"""The MCP methods of the legacy protocol versions, stateless, tools only."""

import json
from typing import Any

from knowhub.errors import InvalidRequest, KnowhubError
from knowhub.gateways.hub import Hub
from knowhub.gateways.json_rpc import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, RpcError, RpcRequest
from knowhub.gateways.mcp.arguments import check_arguments
from knowhub.gateways.mcp.tools import BY_NAME, TOOLS
from knowhub.model.principal import Principal
from knowhub.observability import report
from knowhub.version import VERSION

LEGACY_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


def dispatch(hub: Hub, principal: Principal, request: RpcRequest, request_id: str) -> dict[str, Any]:
    """Answer one request; raises `RpcError` for a protocol error."""
    if request.method == "initialize":
        return _initialize(request)
    if request.method == "ping":
        return {}
    if request.method == "tools/list":
        return {"tools": _declarations(hub, principal)}
    if request.method == "tools/call":
        return _call(hub, principal, request, request_id)
    raise RpcError(METHOD_NOT_FOUND, f"unknown method {request.method[:64]!r}")


def _initialize(request: RpcRequest) -> dict[str, Any]:
    asked = request.params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in LEGACY_VERSIONS else LEGACY_VERSIONS[-1],
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": "knowhub", "version": VERSION},
        "instructions": "Call list_kb first; search_kb finds passages, ask_kb answers with citations.",
    }


def _declarations(hub: Hub, principal: Principal) -> list[dict[str, Any]]:
    kb_ids = [kb.kb_id for kb, _ in hub.knowledge_bases.list(principal)]
    return [tool.declaration(kb_ids) for tool in TOOLS if kb_ids or "kb_id" not in tool.required]


def _call(hub: Hub, principal: Principal, request: RpcRequest, request_id: str) -> dict[str, Any]:
    name = request.params.get("name")
    tool = BY_NAME.get(name) if isinstance(name, str) else None
    hub.audit.record(principal, "mcp_call", request_id, detail={"tool": tool.name if tool is not None else "unknown"})
    if not isinstance(name, str):
        raise RpcError(INVALID_PARAMS, "tools/call: argument 'name' is a string")
    if tool is None:
        raise RpcError(METHOD_NOT_FOUND, f"unknown tool {name[:64]!r}")
    sent = request.params.get("arguments", {})
    arguments = check_arguments(tool.name, tool.properties(()), tool.required, {} if sent is None else sent)
    try:
        return _result(tool.run(hub, principal, arguments), failed=False)
    except InvalidRequest as error:
        raise RpcError(INVALID_PARAMS, f"{tool.name}: {error.message}") from error
    except KnowhubError as error:
        if error.code == "INTERNAL" or error.retryable:
            report("tool failed", error, tool=tool.name, request_id=request_id)
        if error.code == "INTERNAL":
            raise RpcError(INTERNAL_ERROR, "internal error") from error
        return _result({"error": error.code}, failed=True)


def _result(value: dict[str, Any], *, failed: bool) -> dict[str, Any]:
    text = {"type": "text", "text": json.dumps(value, ensure_ascii=False)}
    if failed:
        # The output schema describes successes, so a failure has no structured content.
        return {"content": [text], "isError": True}
    return {"content": [text], "structuredContent": value, "isError": False}
