"""JSON to one server, and what comes back as it comes: the way to models that write their answers word by word."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from http.client import HTTPException, HTTPResponse
from socket import SHUT_RDWR, socket
from typing import cast

from knowhub.calling.posting import Poster, check_status, request_of
from knowhub.calling.retrying import Passing
from knowhub.errors import SourceFailed, Unavailable
from knowhub.net.headers import incoming
from knowhub.net.policy import Policy
from knowhub.net.wire import Deadline, Wire

EVENTS = "text/event-stream"

_STEP = 16 * 1024
_IDLE_SECONDS = 30.0
_MOST_BYTES = 16 * 1024 * 1024

Breaking = Callable[[Callable[[], None]], None]
"""Takes what ends a wait from another thread, for as long as the answer is read."""


class Opened:
    """An answer whose status was good, with its bytes still to come."""

    def __init__(self, connection: socket, response: HTTPResponse) -> None:
        self._connection = connection
        self._response = response

    def pieces(self) -> Iterator[bytes]:
        """Give the bytes as they come; raises `Unavailable` where they break off."""
        try:
            while data := self._response.read1(_STEP):
                yield data
        except (HTTPException, SourceFailed, OSError, ValueError) as error:
            raise Unavailable("The model's server broke off") from error
        if self._response.length:
            raise Unavailable("The model's server broke off")

    def close(self) -> None:
        """Close the connection."""
        self._response.close()
        self._connection.close()


def opened(
    poster: Poster,
    path: str,
    content: object,
    *,
    secret: str | None,
    seconds: float,
    total: float,
    breaking: Breaking,
) -> Opened:
    """Post to a path beneath the endpoint's: `seconds` until the answer begins, `total` until it has ended.

    Raises `Passing` where asking again may help, `Refused`, and `Unavailable`, as `Poster.post` does.
    """
    deadline = Deadline(poster.clock, total)
    connection = poster.connect(Deadline(poster.clock, seconds))
    try:
        breaking(lambda: _broken(connection))
        request = request_of(poster.endpoint, path, content, secret, accept=EVENTS)
        return _begun(connection, request, Deadline(poster.clock, seconds), deadline, poster)
    except BaseException:
        connection.close()
        raise


def _begun(connection: socket, request: bytes, beginning: Deadline, deadline: Deadline, poster: Poster) -> Opened:
    # Models think before they write, and while they write: speed is nothing to judge them by.
    policy = Policy(
        max_wire_bytes=_MOST_BYTES,
        first_byte_seconds=max(beginning.remaining(), 0.001),
        total_seconds=_IDLE_SECONDS,
        min_bytes_per_second=0,
    )
    try:
        connection.settimeout(beginning.left(policy.first_byte_seconds))
        connection.sendall(request)
        wire = Wire(connection, policy, deadline, poster.clock)
        # `http.client` asks nothing of a socket but to be read like a file.
        response = HTTPResponse(cast("socket", wire), method="POST")
        response.begin()
    except (HTTPException, SourceFailed, OSError, ValueError) as error:
        raise Passing("The model's server does not answer") from error
    headers = incoming(response.getheaders())
    check_status(response.status, headers)
    if headers.get("content-type", "").partition(";")[0].strip().lower() != EVENTS:
        raise Unavailable("The model's server does not stream its answers")
    return Opened(connection, response)


def _broken(connection: socket) -> None:
    with suppress(OSError):
        connection.shutdown(SHUT_RDWR)
