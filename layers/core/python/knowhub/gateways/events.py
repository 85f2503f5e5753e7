"""API Gateway proxy events, read once into what the gateways use."""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from knowhub.errors import InvalidRequest, MalformedJson, PayloadTooLarge, UnsupportedMediaType

MAX_BODY = 4 * 1024 * 1024
"""Of a decoded body in bytes: what is left of Lambda's 6 MB after base64."""


@dataclass(frozen=True, slots=True)
class ProxyRequest:
    """One HTTP request: header names in lower case, the body decoded.

    `client` is the address that the gateway saw, never one that a header names; empty where the event has none.
    """

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    client: str = ""

    @property
    def media_type(self) -> str:
        """Give the content type without parameters, in lower case; empty where the request names none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


def proxy_request(event: Mapping[str, Any]) -> ProxyRequest:
    """Read an event; a body that says it is base64 and is not raises `InvalidRequest`."""
    many = {name.lower(): values[-1] for name, values in (event.get("multiValueHeaders") or {}).items() if values}
    single = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    body = event.get("body") or ""
    try:
        data = base64.b64decode(body, validate=True) if event.get("isBase64Encoded") else body.encode()
    except (binascii.Error, UnicodeEncodeError) as error:
        raise InvalidRequest("The body can't be decoded") from error
    client = ((event.get("requestContext") or {}).get("identity") or {}).get("sourceIp") or ""
    return ProxyRequest(event.get("httpMethod", "GET"), event.get("path", "/"), {**many, **single}, data, str(client))


def check_size(request: ProxyRequest) -> None:
    """Raise `PayloadTooLarge` for a body over `MAX_BODY`."""
    if len(request.body) > MAX_BODY:
        raise PayloadTooLarge(f"A body has at most {MAX_BODY} bytes", {"limit": MAX_BODY})


def json_body(request: ProxyRequest) -> Any:
    """Parse a JSON body strictly: UTF-8, no NaN or Infinity, no lone surrogates.

    Raises `UnsupportedMediaType` for another content type, `MalformedJson` for what is not JSON.
    """
    if request.media_type not in {"", "application/json"}:
        raise UnsupportedMediaType("The body is to be application/json", {"content_type": request.media_type})
    return parse_json(request.body)


def parse_json(data: bytes) -> Any:
    """Parse strictly; anything that is not JSON raises `MalformedJson` without saying why in detail."""
    try:
        value = json.loads(data.decode("utf-8"), parse_constant=_refuse_constant)
        # A lone surrogate, escaped, parses; it can be neither stored nor sent on, so it counts as malformed.
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise MalformedJson("The body is not valid JSON") from error
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)
