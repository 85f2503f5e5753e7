"""`Idempotency-Key` on the routes that make something."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from knowhub.gateways.events import ProxyRequest
from knowhub.gateways.http.call import Call
from knowhub.services.repeats import Once

HEADER = "idempotency-key"

Made = TypeVar("Made")


def once(
    call: Call,
    make: Callable[[], Made],
    ids_of: Callable[[Made], Mapping[str, object]],
    again: Callable[[Mapping[str, Any]], Made],
) -> Made:
    """Make what a request asks for: once a key where it has one, else each time."""
    key = call.request.headers.get(HEADER)
    if key is None:
        return make()
    route = f"{call.request.method} {call.request.path}"
    return call.hub.repeats.once(Once(call.principal, route, key.strip(), _body(call.request)), make, ids_of, again)


def _body(request: ProxyRequest) -> bytes:
    """Give the body as two requests that say the same have it: each form has a boundary of its own."""
    _, mark, boundary = request.headers.get("content-type", "").partition("boundary=")
    name = boundary.partition(";")[0].strip().strip('"').encode()
    return request.body.replace(name, b"boundary") if mark and name else request.body
