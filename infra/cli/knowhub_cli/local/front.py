"""The public address: an ASGI application that turns requests into invocations, as API Gateway does."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from knowhub.gateways.events import MAX_BODY as MAX_FUNCTION_BODY
from knowhub_cli.local.answering import ClientGone, Exchange, PassOn
from knowhub_cli.local.failures import FunctionError
from knowhub_cli.local.http_events import Answer, HttpRequest, MalformedAnswer, answer_of, error_answer, proxy_event
from knowhub_cli.local.invocation import BufferedReply
from knowhub_cli.local.payloads import json_bytes
from knowhub_cli.local.pools import Pool
from knowhub_cli.local.routes import Match, RouteTable

MAX_BODY: Final = 10 * 1024 * 1024
"""Bytes of a request body: API Gateway's limit."""

MAX_EVENT: Final = 6 * 1024 * 1024
"""Bytes of an event as JSON, where a binary body counts a third more than it has: Lambda's limit."""

UPLOADS_PATH: Final = "/_uploads"
"""Where presigned uploads are POSTed; the folder store names this address in its tickets."""

LIMIT_TOLD: Final = MAX_FUNCTION_BODY
"""What a caller is told who sent more than either: the functions themselves take no larger body."""

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Uploads: TypeAlias = Callable[[str, bytes, str], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Site:
    """What the front serves: `upload` takes content type, body and request id of a presigned POST.

    With a `stage_prefix` (`prod`) everything lies below `/prod`, and `WWW-Authenticate` is renamed, as on an API
    without a domain of its own.
    """

    routes: RouteTable
    pools: Mapping[str, Pool]
    binary_types: frozenset[str]
    upload: Uploads
    max_upload: int
    report: Callable[[str], None]
    stage_prefix: str = ""


class Front:
    """Serves one site over ASGI; nothing but HTTP."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})
        if scope["type"] != "http":
            return
        request = _request(scope, self._site.stage_prefix)
        exchange = Exchange(receive, send, rename=bool(self._site.stage_prefix))
        with suppress(ClientGone):
            await self._serve(request, exchange, scope["path"])

    async def _serve(self, request: HttpRequest | None, exchange: Exchange, path: str) -> None:
        if request is None:
            await exchange.answer(_unknown(path, _request_id()))
        elif request.path == UPLOADS_PATH and request.method == "POST":
            await self._upload(request, exchange)
        else:
            await self._invoke(request, exchange)

    async def _upload(self, request: HttpRequest, exchange: Exchange) -> None:
        body = await exchange.body(self._site.max_upload)
        if body is None:
            await exchange.answer(_too_large(request, self._site.max_upload))
        else:
            await exchange.answer(await self._site.upload(request.header("content-type"), body, request.request_id))

    async def _invoke(self, request: HttpRequest, exchange: Exchange) -> None:
        match = self._site.routes.find(request.method, request.path)
        if match is None or match.route.function not in self._site.pools:
            await exchange.answer(_unknown(request.path, request.request_id))
            return
        body = await exchange.body(MAX_BODY)
        if body is None:
            await exchange.answer(_too_large(request, LIMIT_TOLD))
            return
        event = json_bytes(proxy_event(request, match, body, self._site.binary_types))
        if len(event) > MAX_EVENT:
            await exchange.answer(_too_large(request, LIMIT_TOLD))
            return
        try:
            async with asyncio.timeout(match.route.seconds):
                await self._answer(match, event, exchange)
        except TimeoutError:
            await self._give_up(exchange, request, 504, f"no answer within {match.route.seconds:g} s")
        except (FunctionError, MalformedAnswer) as error:
            await self._give_up(exchange, request, 502, str(error))

    async def _answer(self, match: Match, event: bytes, exchange: Exchange) -> None:
        pool = self._site.pools[match.route.function]
        if not match.route.stream:
            reply = await pool.invoke(event)
            if not isinstance(reply, BufferedReply):
                reply.body.abandon()
                raise MalformedAnswer(f"{pool.name} streams on a route that is not declared to stream")
            await exchange.answer(answer_of(reply.body))
            return
        awaited = await exchange.unless_gone(pool.invoke(event))
        if isinstance(awaited, BufferedReply):
            await exchange.answer(answer_of(awaited.body))
        elif awaited is not None:
            await PassOn(awaited.body, exchange).run()

    async def _give_up(self, exchange: Exchange, request: HttpRequest, status: int, reason: str) -> None:
        """Say that the function is at fault; a response that has begun can only be broken off."""
        self._site.report(f"{request.method} {request.path}: {reason}")
        if not exchange.begun:
            await exchange.answer(
                error_answer(status, "INTERNAL", "The server could not answer this request", request.request_id)
            )


def _request(scope: Scope, stage_prefix: str) -> HttpRequest | None:
    path: str = scope["path"]
    if stage_prefix:
        prefix = f"/{stage_prefix}"
        if path != prefix and not path.startswith(f"{prefix}/"):
            return None
        path = path.removeprefix(prefix) or "/"
    client = scope.get("client") or ("127.0.0.1", 0)
    headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
    kept = [(name, value) for name, value in headers if not name.startswith("x-forwarded-")]
    # Only this front knows who called: what a client says about it is dropped, as a function trusts these headers.
    forwarded = (("x-forwarded-for", str(client[0])), ("x-forwarded-proto", scope.get("scheme", "http")))
    return HttpRequest(
        method=scope["method"].upper(),
        path=path,
        query=scope.get("query_string", b"").decode("latin-1"),
        headers=(*kept, *forwarded),
        client=str(client[0]),
        stage=stage_prefix,
        received_at=time.time(),
    )


def _request_id() -> str:
    return HttpRequest("", "", "", (), "").request_id


def _unknown(path: str, request_id: str) -> Answer:
    """Answer as the template's gateway responses do where no resource or method fits."""
    return error_answer(404, "ROUTE_NOT_FOUND", "Route not found", request_id, {"path": path})


def _too_large(request: HttpRequest, limit: int) -> Answer:
    return error_answer(413, "PAYLOAD_TOO_LARGE", "The request is too large", request.request_id, {"limit": limit})
