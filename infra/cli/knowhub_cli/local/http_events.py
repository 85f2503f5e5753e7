"""HTTP as API Gateway's REST proxy events (payload version 1.0), there and back."""

import base64
import binascii
import json
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import parse_qsl

from knowhub_cli.local.intrinsics import ACCOUNT
from knowhub_cli.local.routes import Match

SEPARATOR: Final = bytes(8)
"""Between the prelude of a streamed response and its body."""

_OURS: Final = frozenset({"connection", "content-length", "keep-alive", "transfer-encoding", "upgrade"})
_FIRST_STATUS, _LAST_STATUS = 100, 599


class MalformedAnswer(Exception):
    """The function answered what API Gateway would refuse; the message is for the log."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """What came over the wire: the path decoded once, header names in lower case, duplicates kept in order."""

    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    client: str
    stage: str = ""
    received_at: float = 0.0
    request_id: str = field(default_factory=lambda: str(uuid.uuid4()))

    @property
    def media_type(self) -> str:
        """Give the body's type without its parameters, in lower case; empty where none is named."""
        return self.header("content-type").partition(";")[0].strip().lower()

    def header(self, name: str) -> str:
        """Give the last value of a header; empty where it is absent."""
        return next((value for key, value in reversed(self.headers) if key == name), "")


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole response, or the head of a streamed one."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""


def proxy_event(request: HttpRequest, match: Match, body: bytes, binary_types: frozenset[str]) -> dict[str, Any]:
    """Build the event; a body of one of `binary_types` (patterns as `image/*` are fine) travels as base64."""
    binary = _is_binary(request.media_type, binary_types)
    # A byte that is no UTF-8 is lost in a body that was declared to be text, as it is on AWS.
    text = base64.b64encode(body).decode() if binary else body.decode("utf-8", "replace")
    headers = _grouped(request.headers)
    query = _grouped(parse_qsl(request.query, keep_blank_values=True))
    return {
        "resource": match.route.path,
        "path": request.path,
        "httpMethod": request.method,
        "headers": {name: values[-1] for name, values in headers.items()},
        "multiValueHeaders": headers,
        "queryStringParameters": {name: values[-1] for name, values in query.items()} or None,
        "multiValueQueryStringParameters": query or None,
        "pathParameters": match.parameters or None,
        "stageVariables": None,
        "requestContext": _context(request, match),
        "body": text if body else None,
        "isBase64Encoded": binary and bool(body),
    }


def _context(request: HttpRequest, match: Match) -> dict[str, Any]:
    host = request.header("host")
    moment = datetime.fromtimestamp(request.received_at, tz=UTC)
    return {
        "accountId": ACCOUNT,
        "apiId": "local",
        "resourceId": match.route.function,
        "resourcePath": match.route.path,
        "httpMethod": request.method,
        "path": f"/{request.stage}{request.path}" if request.stage else request.path,
        "protocol": "HTTP/1.1",
        "stage": request.stage or "local",
        "domainName": host.partition(":")[0],
        "requestId": request.request_id,
        "extendedRequestId": request.request_id,
        "requestTime": moment.strftime("%d/%b/%Y:%H:%M:%S +0000"),
        "requestTimeEpoch": int(request.received_at * 1000),
        "identity": {"sourceIp": request.client, "userAgent": request.header("user-agent") or None},
    }


def _is_binary(media_type: str, patterns: frozenset[str]) -> bool:
    kind = media_type.partition("/")[0]
    return bool(media_type) and not patterns.isdisjoint({media_type, f"{kind}/*", "*/*"})


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for name, value in pairs:
        grouped.setdefault(name, []).append(value)
    return grouped


def answer_of(payload: bytes) -> Answer:
    """Read what a handler returned; raises `MalformedAnswer`."""
    try:
        returned = json.loads(payload)
    except ValueError as error:
        raise MalformedAnswer("the function's answer is not JSON") from error
    head = _head(returned)
    body = returned.get("body")
    if body is None:
        return head
    if not isinstance(body, str):
        raise MalformedAnswer("the answer's body is no string")
    if returned.get("isBase64Encoded") is not True:
        return Answer(head.status, head.headers, body.encode("utf-8", "surrogatepass"))
    try:
        return Answer(head.status, head.headers, base64.b64decode(body, validate=True))
    except binascii.Error as error:
        raise MalformedAnswer("the answer's body is not base64") from error


def prelude_of(data: bytes) -> Answer:
    """Read the JSON before the separator of a streamed response; raises `MalformedAnswer`."""
    try:
        return _head(json.loads(data))
    except ValueError as error:
        raise MalformedAnswer("the stream's prelude is not JSON") from error


def _head(returned: Any) -> Answer:
    if not isinstance(returned, dict):
        raise MalformedAnswer("the answer is no object")
    status = returned.get("statusCode")
    if isinstance(status, str) and status.isdigit():
        status = int(status)
    if not isinstance(status, int) or isinstance(status, bool) or not _FIRST_STATUS <= status <= _LAST_STATUS:
        raise MalformedAnswer("the answer has no usable statusCode")
    many = _mapping(returned, "multiValueHeaders")
    headers = [(name, value) for name, values in many.items() for value in _listed(values)]
    taken = {name.lower() for name in many}
    headers += [(name, value) for name, value in _mapping(returned, "headers").items() if name.lower() not in taken]
    headers += [("set-cookie", cookie) for cookie in _listed(returned.get("cookies") or [])]
    return Answer(status, tuple(_checked(name, value) for name, value in headers if name.lower() not in _OURS))


def _mapping(returned: Mapping[str, Any], member: str) -> dict[str, Any]:
    value = returned.get(member) or {}
    if not isinstance(value, dict):
        raise MalformedAnswer(f"the answer's {member} are no object")
    return value


def _listed(values: Any) -> list[Any]:
    if not isinstance(values, list):
        raise MalformedAnswer("a header with several values is no list")
    return values


def _checked(name: str, value: Any) -> tuple[str, str]:
    if isinstance(value, dict | list) or value is None:
        raise MalformedAnswer(f"the header {name} has no plain value")
    text = str(value).lower() if isinstance(value, bool) else str(value)
    try:
        (name + text).encode("latin-1")
    except UnicodeEncodeError as error:
        raise MalformedAnswer(f"the header {name} is not Latin-1") from error
    if not name or any(character in "\r\n\0" for character in name + text):
        raise MalformedAnswer("a header holds a line end")
    return name.lower(), text


def error_answer(
    status: int, code: str, message: str, request_id: str, detail: Mapping[str, object] | None = None
) -> Answer:
    """Answer in the interface's error shape, as the template's gateway responses do on AWS."""
    shown = f"req_{request_id.replace('-', '')}"
    error = {"code": code, "message": message, "detail": dict(detail or {}), "request_id": shown}
    body = json.dumps({"error": error}).encode()
    return Answer(status, (("content-type", "application/json"), ("x-request-id", shown)), body)
