"""JSON to one server and JSON back, within a time and a size: the way to models over HTTP.

A connection a call, made without a proxy and without following redirects; the certificate is checked. What comes back
is read under the same caps as everything that the hub fetches (`knowhub.net`).
"""

import json
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from socket import socket
from typing import Any

from knowhub.calling.endpoints import Endpoint
from knowhub.calling.retrying import Passing
from knowhub.errors import SourceFailed, Unavailable
from knowhub.net import addresses
from knowhub.net.addresses import Address
from knowhub.net.connecting import Connector, DirectConnector
from knowhub.net.exchange import REDIRECTS, Answer, converse
from knowhub.net.policy import Policy
from knowhub.net.resolving import Resolver, SystemResolver
from knowhub.net.wire import Deadline, Monotonic

_BUSY = frozenset({408, 409, 425, 429})
_FIRST_SERVER_ERROR = 500
_OK = 200
_CONNECT_SECONDS = 3.0
_LONGEST_WAIT = 3600.0


class Refused(Exception):
    """The server takes nothing with this key, or knows no such model or path; the message is for administrators."""


@dataclass(frozen=True, slots=True)
class Poster:
    """Posts to one endpoint."""

    endpoint: Endpoint
    resolver: Resolver = field(default_factory=SystemResolver)
    connector: Connector | None = None
    clock: Monotonic = time.monotonic

    def post(self, path: str, content: object, *, secret: str | None, seconds: float, most: int) -> Any:
        """Post to a path beneath the endpoint's, and give the JSON of the answer, which has at most `most` bytes.

        Raises `Passing` where asking again may help, `Refused`, and `Unavailable` for everything else. No message holds
        a word of what was sent or answered: servers quote keys.
        """
        policy = Policy(
            max_wire_bytes=most + 64 * 1024,
            max_body_bytes=most,
            connect_seconds=_CONNECT_SECONDS,
            first_byte_seconds=seconds,
            total_seconds=seconds,
        )
        deadline = Deadline(self.clock, seconds)
        request = request_of(self.endpoint, path, content, secret)
        try:
            with closing(self.connect(deadline)) as connection:
                answer = converse(
                    connection, request, method="POST", policy=policy, deadline=deadline, clock=self.clock
                )
        except SourceFailed as error:
            if error.detail.get("transient"):
                raise Passing("The model's server does not answer") from error
            raise Unavailable("The model's server answers with what can't be read") from error
        return _content(answer)

    def connect(self, deadline: Deadline) -> socket:
        """Connect to the first address that takes a connection, all of them within the same few seconds.

        Raises `Passing`.
        """
        connecting = Deadline(self.clock, min(_CONNECT_SECONDS, deadline.remaining()))
        connector = self.connector or DirectConnector()
        name = self.endpoint.host if self.endpoint.scheme == "https" else None
        cause: OSError | None = None
        for address in self._addresses(connecting):
            if connecting.remaining() <= 0:
                break
            try:
                seconds = connecting.remaining()
                return connector.connect(address, self.endpoint.port, server_name=name, seconds=seconds)
            except OSError as error:
                cause = error
        raise Passing("The model's server does not answer") from cause

    def _addresses(self, connecting: Deadline) -> list[Address]:
        literal = addresses.parse(self.endpoint.host)
        found: list[Address | None] = [literal]
        if literal is None:
            try:
                texts = self.resolver.resolve(self.endpoint.host, seconds=max(connecting.remaining(), 0))
            except OSError as error:
                raise Passing("The model's server is not found") from error
            found = [addresses.parse(text) for text in texts]
        # Without encryption nothing leaves this machine, whatever a name leads to.
        encrypted = self.endpoint.scheme == "https"
        return [each for each in found if each is not None and (encrypted or addresses.is_loopback(each))]


def request_of(
    endpoint: Endpoint, path: str, content: object, secret: str | None, *, accept: str = "application/json"
) -> bytes:
    """Write a whole request; only JSON may come back compressed."""
    body = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    lines = [
        f"POST {endpoint.path}{path} HTTP/1.1",
        f"host: {endpoint.authority}",
        "content-type: application/json",
        f"accept: {accept}",
        f"accept-encoding: {'gzip' if accept == 'application/json' else 'identity'}",
        f"content-length: {len(body)}",
        "connection: close",
    ]
    if secret is not None:
        lines.append(f"authorization: Bearer {secret}")
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body


def _content(answer: Answer) -> Any:
    """Read an answer's JSON."""
    check_status(answer.status, answer.headers)
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError):
        raise Unavailable("The model's server answers with what is no JSON") from None


def check_status(status: int, headers: Mapping[str, str]) -> None:
    """Raise what a status other than 200 means: `Passing`, `Refused` or `Unavailable`."""
    if status in _BUSY or status >= _FIRST_SERVER_ERROR:
        raise Passing(f"The model's server is busy (status {status})", _retry_after(headers))
    if status in {401, 403}:
        raise Refused(f"the model's server refuses the key (status {status})")
    if status in {404, 405, 410}:
        raise Refused(f"the model's server knows no such path or model (status {status})")
    if status in REDIRECTS:
        raise Unavailable(f"The model's server leads elsewhere, which is not followed (status {status})")
    if status != _OK:
        raise Unavailable(f"The model's server does not take the request (status {status})")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Read seconds; a date is not waited for, as clocks differ."""
    text = headers.get("retry-after", "").strip()
    return min(float(text), _LONGEST_WAIT) if text.isascii() and text.isdigit() else None
