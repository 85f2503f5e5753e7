"""The A2A endpoint and the agent card."""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from knowhub.errors import InvalidRequest, KnowhubError, MalformedJson, NotFound, Unauthenticated, UnsupportedMediaType
from knowhub.gateways.a2a.card import agent_card
from knowhub.gateways.a2a.tasks import read_plain, read_send, run_task
from knowhub.gateways.answers import json_answer, refusal
from knowhub.gateways.events import ProxyRequest, check_size, json_body, proxy_request
from knowhub.gateways.guard import guarded
from knowhub.gateways.hub import Hub
from knowhub.gateways.json_rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Id,
    RpcError,
    error_body,
    id_of,
    read_request,
    result_body,
)
from knowhub.model.principal import Principal
from knowhub.observability import report

NOT_ACCESSIBLE = -32000
CONTENT_TYPE = -32005
VERSION_NOT_SUPPORTED = -32009
SUPPORTED_VERSIONS = frozenset({"", "0.3", "0.3.0"})
_CARDS = frozenset({"agent-card.json", "agent.json"})


def a2a_gateway(hub: Hub) -> Callable[[Mapping[str, Any], Any], dict[str, Any]]:
    """Give the function's handler."""

    def serve(event: Mapping[str, Any], _: Any) -> dict[str, Any]:
        request_id = hub.identifiers.new("req_")

        def act() -> dict[str, Any]:
            request = proxy_request(event)
            if request.path.rpartition("/")[2] in _CARDS:
                return _card(hub.public_url or _own_origin(event), request, request_id)
            return _endpoint(hub, request, request_id)

        return guarded(act, lambda error: _refusal(_outer(error), request_id, None), request_id)

    return serve


def _own_origin(event: Mapping[str, Any]) -> str:
    """Give the address under which API Gateway itself says that it was reached, stage included."""
    context = event.get("requestContext") or {}
    return f"https://{context.get('domainName', '')}/{context.get('stage', '')}".rstrip("/")


def _card(public_url: str, request: ProxyRequest, request_id: str) -> dict[str, Any]:
    card = agent_card(public_url)
    tag = '"' + hashlib.sha256(json.dumps(card, sort_keys=True).encode()).hexdigest()[:32] + '"'
    headers = {"ETag": tag, "Cache-Control": "public, max-age=300"}
    if request.method not in {"GET", "HEAD"}:
        return refusal(405, "METHOD_NOT_ALLOWED", "Only GET is served here", request_id, {"Allow": "GET, HEAD"})
    if request.headers.get("if-none-match") == tag:
        return json_answer(304, None, request_id, headers)
    return json_answer(200, card, request_id, headers)


def _endpoint(hub: Hub, request: ProxyRequest, request_id: str) -> dict[str, Any]:
    if request.path.rstrip("/").rpartition("/")[2] != "tasks":
        return refusal(404, "ROUTE_NOT_FOUND", "This path is not served", request_id)
    if request.method != "POST":
        return refusal(405, "METHOD_NOT_ALLOWED", "Only POST is served here", request_id, {"Allow": "POST"})
    rpc_id: Id = None
    try:
        principal = hub.identity.authenticate(request.headers.get("authorization"))
        check_size(request)
        body = json_body(request)
        if isinstance(body, dict) and "jsonrpc" not in body and "query" in body:
            return json_answer(200, _plain(hub, principal, body, request_id), request_id)
        rpc_id = id_of(body)
        _check_version(request)
        return json_answer(200, result_body(rpc_id, _rpc(hub, principal, body, request_id)), request_id)
    except RpcError as error:
        return _refusal(error, request_id, rpc_id)
    except KnowhubError as error:
        if error.code == "INTERNAL" or error.retryable:
            report("task failed", error, request_id=request_id)
        return _refusal(_outer(error), request_id, rpc_id)


def _plain(hub: Hub, principal: Principal, body: Mapping[str, Any], request_id: str) -> dict[str, Any]:
    return run_task(hub, principal, read_plain(body), request_id)


def _rpc(hub: Hub, principal: Principal, body: Any, request_id: str) -> dict[str, Any]:
    rpc = read_request(body)
    if rpc.notification:
        raise RpcError(INVALID_REQUEST, "a task is a request: it has an id")
    if rpc.method != "tasks/send":
        raise RpcError(METHOD_NOT_FOUND, f"unknown method {rpc.method[:64]!r}")
    return run_task(hub, principal, read_send(rpc.params), request_id)


def _check_version(request: ProxyRequest) -> None:
    version = request.headers.get("a2a-version", "").strip()
    if version not in SUPPORTED_VERSIONS:
        raise RpcError(VERSION_NOT_SUPPORTED, "this A2A version is not supported")


def _outer(error: KnowhubError) -> RpcError:
    """Turn a service's error into the protocol's; a KB that is absent and one that can't be read are one answer."""
    if isinstance(error, Unauthenticated):
        return RpcError(INVALID_REQUEST, error.message, status=401)
    if isinstance(error, NotFound):
        return RpcError(NOT_ACCESSIBLE, error.code, status=403)
    if isinstance(error, MalformedJson):
        return RpcError(PARSE_ERROR, error.message)
    if isinstance(error, UnsupportedMediaType):
        return RpcError(CONTENT_TYPE, error.message)
    if isinstance(error, InvalidRequest):
        return RpcError(INVALID_PARAMS, error.message)
    return RpcError(INTERNAL_ERROR, "internal error" if error.code == "INTERNAL" else error.code)


def _refusal(error: RpcError, request_id: str, rpc_id: Id) -> dict[str, Any]:
    headers = {"WWW-Authenticate": "Bearer"} if error.status == 401 else {}  # noqa: PLR2004 - an HTTP status
    # In this protocol a malformed call is an error over HTTP 200; only refusals keep a status of their own.
    status = error.status if error.status in {401, 403} else 200
    return json_answer(status, error_body(rpc_id, error), request_id, headers)
