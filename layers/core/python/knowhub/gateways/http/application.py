"""The HTTP gateway: one proxy event in, one answer or one stream out."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from knowhub.errors import InvalidRequest, KnowhubError, MalformedJson, NotFound
from knowhub.gateways.answers import json_answer
from knowhub.gateways.events import ProxyRequest, check_size, json_body, proxy_request
from knowhub.gateways.guard import guarded
from knowhub.gateways.http.call import Call
from knowhub.gateways.http.envelope import envelope, error_answer, headers_of, status_of
from knowhub.gateways.http.faults import validation_faults
from knowhub.gateways.http.routes import ROUTES
from knowhub.gateways.hub import Hub
from knowhub.gateways.streams import as_stream, joined
from knowhub.model.principal import Principal
from knowhub.observability import report

PREFIX = "/api/v1"
STREAMED_SECONDS = 60.0
BUFFERED_SECONDS = 25.0
"""API Gateway cuts a buffered answer at 29 s."""

_ASK = re.compile(rf"{PREFIX}/(?:kb/[^/]+/)?ask")
_NOBODY = Principal("", "", "member", frozenset(), kb_limit=frozenset())
_OPEN = frozenset({f"{PREFIX}/health", f"{PREFIX}/auth/login", f"{PREFIX}/auth/bootstrap"})
_DESCRIPTION, _BROWSER = f"{PREFIX}/openapi.json", f"{PREFIX}/docs"


def application() -> APIGatewayRestResolver:
    """Build the resolver with every route; it holds no state but the call that it is serving."""
    app = APIGatewayRestResolver(enable_validation=True, debug=False, serializer=_json)
    for module in ROUTES:
        app.include_router(module.router, prefix=PREFIX)
    app.exception_handler(RequestValidationError)(_invalid(app))
    app.exception_handler(KnowhubError)(_failed(app))
    app.not_found(_unknown_route(app))
    return app


def _json(value: Any) -> str:
    """Write an answer in UTF-8: escapes would double what a Chinese text takes of Lambda's 6 MB."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def http_gateway(hub: Hub, *, ask_streaming: bool, open_docs: bool = False) -> Callable[[Mapping[str, Any], Any], Any]:
    """Give the function's handler: a dict is answered whole, a generator of bytes is streamed."""
    app = application()
    open_paths = _OPEN | ({_DESCRIPTION, _BROWSER} if open_docs else frozenset())

    def serve(event: Mapping[str, Any], context: Any) -> dict[str, Any] | Iterator[bytes]:
        request_id = hub.identifiers.new("req_")
        streams = ask_streaming and _is_ask(event)
        seconds = STREAMED_SECONDS if streams else BUFFERED_SECONDS
        stream: Iterator[bytes] | None = None

        def act() -> dict[str, Any]:
            nonlocal stream
            request = proxy_request(event)
            principal = _NOBODY if request.path in open_paths else _principal(hub, request)
            if request.path in {_DESCRIPTION, _BROWSER} and request.method in {"GET", "HEAD"}:
                return _described(app, request, request_id)
            call = Call(hub, principal, request, request_id, seconds)
            _check_body(request)
            answer = _resolve(app, event, context, call)
            stream = call.stream
            return answer

        answer = guarded(act, lambda error: error_answer(error, request_id), request_id)
        if stream is None:
            return as_stream(answer, iter(())) if streams else answer
        return as_stream(answer, stream) if streams else joined(answer, stream)

    return serve


def _is_ask(event: Mapping[str, Any]) -> bool:
    """Tell the two routes whose integration streams: there even an error must have the stream's form."""
    return event.get("httpMethod") == "POST" and _ASK.fullmatch(str(event.get("path", ""))) is not None


def _principal(hub: Hub, request: ProxyRequest) -> Principal:
    return hub.identity.authenticate(request.headers.get("authorization"))


def _described(app: APIGatewayRestResolver, request: ProxyRequest, request_id: str) -> dict[str, Any]:
    """Answer the OpenAPI document, or the page that shows it; both are generated when they are asked for."""
    from knowhub.gateways.http import openapi  # noqa: PLC0415 - what generates it is not loaded to answer anything else

    if request.path == _DESCRIPTION:
        return json_answer(200, openapi.document(app), request_id)
    headers = {"Content-Type": "text/html; charset=utf-8", "X-Request-Id": request_id}
    return {"statusCode": 200, "headers": headers, "body": openapi.page(app), "isBase64Encoded": False}


def _check_body(request: ProxyRequest) -> None:
    check_size(request)
    multipart = request.media_type == "multipart/form-data" and request.path.endswith("/documents")
    # Some routes take no body; for the others `_invalid` finds that it is missing.
    if request.method in {"POST", "PUT", "PATCH"} and request.body and not multipart:
        json_body(request)


def _resolve(app: APIGatewayRestResolver, event: Mapping[str, Any], context: Any, call: Call) -> dict[str, Any]:
    app.append_context(call=call)
    answer = app.resolve({"multiValueHeaders": {}, "headers": {}, **event}, context)
    answer.setdefault("multiValueHeaders", {})["X-Request-Id"] = [call.request_id]
    return answer


def _invalid(app: APIGatewayRestResolver) -> Callable[[RequestValidationError], Response[str]]:
    def answer(error: RequestValidationError) -> Response[str]:
        faults = error.errors()
        if not app.context["call"].request.body and any(fault["loc"][:1] == ("body",) for fault in faults):
            return _error(app, MalformedJson("The body is not valid JSON"))
        return _error(app, InvalidRequest("The request does not fit", validation_faults(faults)))

    return answer


def _failed(app: APIGatewayRestResolver) -> Callable[[KnowhubError], Response[str]]:
    def answer(error: KnowhubError) -> Response[str]:
        if status_of(error.code) >= HTTPStatus.INTERNAL_SERVER_ERROR:
            report("request failed", error, request_id=app.context["call"].request_id)
        return _error(app, error)

    return answer


def _unknown_route(app: APIGatewayRestResolver) -> Callable[[NotFoundError], Response[str]]:
    def answer(_: NotFoundError) -> Response[str]:
        return _error(app, NotFound("ROUTE"))

    return answer


def _error(app: APIGatewayRestResolver, error: KnowhubError) -> Response[str]:
    request_id = app.context["call"].request_id
    body = json.dumps(envelope(error, request_id), ensure_ascii=False)
    return Response(status_of(error.code), "application/json", body, headers=dict(headers_of(error)))
