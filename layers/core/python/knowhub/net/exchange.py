"""One request and its answer over a connection that is open."""

import socket
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from email import errors
from http.client import HTTPException, HTTPResponse, IncompleteRead, RemoteDisconnected
from typing import cast

from knowhub.net.failures import broken, malformed, too_large
from knowhub.net.headers import incoming
from knowhub.net.inflating import Body
from knowhub.net.policy import Policy
from knowhub.net.urls import Target
from knowhub.net.wire import Deadline, Monotonic, Wire

REDIRECTS = frozenset({301, 302, 303, 307, 308})
_DEFECTS = (
    errors.FirstHeaderLineIsContinuationDefect,
    errors.MisplacedEnvelopeHeaderDefect,
    errors.MissingHeaderBodySeparatorDefect,
)
_STEP = 64 * 1024
_FIRST_FINAL = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer; the body of a redirect is left unread."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def exchange(
    connection: socket.socket,
    target: Target,
    headers: Mapping[str, str],
    *,
    policy: Policy,
    deadline: Deadline,
    clock: Monotonic,
) -> Answer:
    """Send a GET and read what comes back, within the policy's caps; raises `SourceFailed`."""
    request = _request(target, headers)
    return converse(connection, request, method="GET", policy=policy, deadline=deadline, clock=clock)


def converse(
    connection: socket.socket, request: bytes, *, method: str, policy: Policy, deadline: Deadline, clock: Monotonic
) -> Answer:
    """Send a whole request and read what comes back, as `exchange` does."""
    try:
        connection.settimeout(deadline.left(policy.first_byte_seconds))
        connection.sendall(request)
        wire = Wire(connection, policy, deadline, clock)
        # `http.client` asks nothing of a socket but to be read like a file.
        with closing(HTTPResponse(cast("socket.socket", wire), method=method)) as response:
            response.begin()
            # It takes the end of the connection for the end of the headers, and passes over what is no header.
            if wire.ended:
                raise broken()
            if any(isinstance(defect, _DEFECTS) for defect in response.msg.defects):
                raise malformed()
            return _read(response, policy)
    except (RemoteDisconnected, IncompleteRead) as error:
        raise broken() from error
    except (HTTPException, ValueError) as error:
        raise malformed() from error
    except OSError as error:
        raise broken() from error


def _read(response: HTTPResponse, policy: Policy) -> Answer:
    headers = incoming(response.getheaders())
    if response.status < _FIRST_FINAL:
        raise malformed()
    if response.status in REDIRECTS:
        return Answer(response.status, headers, b"")
    _check_framing(response, headers, policy)
    body = Body(headers.get("content-encoding", ""), policy)
    while data := response.read(_STEP):
        body.add(data)
    if response.length:
        raise broken()
    return Answer(response.status, headers, body.whole())


def _check_framing(response: HTTPResponse, headers: Mapping[str, str], policy: Policy) -> None:
    """Refuse an answer whose length can be understood in two ways, or that announces too much."""
    transfer, length = headers.get("transfer-encoding"), headers.get("content-length")
    if transfer is not None and (transfer.lower() != "chunked" or length is not None):
        raise malformed()
    if length is None:
        return
    if not (length.isascii() and length.isdigit()):
        raise malformed()
    if response.length and response.length > policy.max_wire_bytes:
        raise too_large(policy.max_wire_bytes)


def _request(target: Target, headers: Mapping[str, str]) -> bytes:
    lines = [f"GET {target.path} HTTP/1.1", f"host: {target.authority}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines += ["accept-encoding: gzip, deflate", "connection: close", "", ""]
    return "\r\n".join(lines).encode("ascii")
