"""The MCP endpoint: Streamable HTTP, stateless, JSON answers."""

from collections.abc import Callable, Mapping
from typing import Any

from knowhub.errors import KnowhubError, MalformedJson, PayloadTooLarge, Unauthenticated, UnsupportedMediaType
from knowhub.gateways.answers import json_answer, refusal
from knowhub.gateways.events import ProxyRequest, check_size, json_body, proxy_request
from knowhub.gateways.guard import guarded
from knowhub.gateways.hub import Hub
from knowhub.gateways.json_rpc import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    Id,
    RpcError,
    error_body,
    id_of,
    read_request,
    result_body,
)
from knowhub.gateways.mcp.dispatcher import LEGACY_VERSIONS, dispatch

UNSUPPORTED_VERSION = -32022


def mcp_gateway(hub: Hub, *, allowed_origins: frozenset[str]) -> Callable[[Mapping[str, Any], Any], dict[str, Any]]:
    """Give the function's handler; browser origins outside the allow-list and the hub's own are refused."""
    origins = allowed_origins | ({hub.public_url.rstrip("/").lower()} if hub.public_url else frozenset())

    def serve(event: Mapping[str, Any], _: Any) -> dict[str, Any]:
        request_id = hub.identifiers.new("req_")

        def act() -> dict[str, Any]:
            return _serve(hub, origins, proxy_request(event), request_id)

        return guarded(act, lambda error: _refusal(_outer(error), request_id), request_id)

    return serve


def _serve(hub: Hub, origins: frozenset[str], request: ProxyRequest, request_id: str) -> dict[str, Any]:
    if request.path.rstrip("/").rpartition("/")[2] != "mcp":
        return refusal(404, "ROUTE_NOT_FOUND", "This path is not served", request_id)
    if request.method != "POST":
        return refusal(405, "METHOD_NOT_ALLOWED", "Only POST is served here", request_id, {"Allow": "POST"})
    rpc_id: Id = None
    try:
        _check_origin(request, origins)
        principal = hub.identity.authenticate(request.headers.get("authorization"))
        _check_version(request)
        check_size(request)
        body = json_body(request)
        rpc_id = id_of(body)
        rpc = read_request(body)
        if rpc.notification:
            return json_answer(202, None, request_id)
        return json_answer(200, result_body(rpc_id, dispatch(hub, principal, rpc, request_id)), request_id)
    except RpcError as error:
        return _refusal(error, request_id, rpc_id)
    except KnowhubError as error:
        return _refusal(_outer(error), request_id, rpc_id)


def _check_origin(request: ProxyRequest, origins: frozenset[str]) -> None:
    origin = request.headers.get("origin")
    if origin is not None and origin.lower() not in origins:
        raise RpcError(INVALID_REQUEST, "this origin is not allowed", status=403)


def _check_version(request: ProxyRequest) -> None:
    version = request.headers.get("mcp-protocol-version")
    if version is not None and version.strip() not in LEGACY_VERSIONS:
        data = {"supported": list(LEGACY_VERSIONS), "requested": version[:64]}
        raise RpcError(UNSUPPORTED_VERSION, "unsupported protocol version", status=400, data=data)


def _outer(error: KnowhubError) -> RpcError:
    """Turn an error outside a tool's run into the protocol's."""
    if isinstance(error, Unauthenticated):
        return RpcError(INVALID_REQUEST, error.message, status=401)
    if isinstance(error, MalformedJson):
        return RpcError(PARSE_ERROR, error.message, status=400)
    if isinstance(error, UnsupportedMediaType):
        return RpcError(INVALID_REQUEST, error.message, status=415)
    if isinstance(error, PayloadTooLarge):
        return RpcError(INVALID_REQUEST, error.message, status=413)
    return RpcError(INTERNAL_ERROR, "internal error")


def _refusal(error: RpcError, request_id: str, rpc_id: Id = None) -> dict[str, Any]:
    headers = {"WWW-Authenticate": "Bearer"} if error.status == 401 else {}  # noqa: PLR2004 - an HTTP status
    return json_answer(error.status, error_body(rpc_id, error), request_id, headers)
