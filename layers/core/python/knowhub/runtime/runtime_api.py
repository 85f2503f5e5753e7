"""The HTTP client of the Lambda Runtime API (version 2018-06-01).

Every request has a connection of its own: an execution environment may be frozen for hours between two of them, and a
stream's connection must be closed after it anyway.
"""

import http.client
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote

from knowhub.runtime.faults import ErrorReport

_VERSION = "/2018-06-01/runtime"
_ERROR_TYPE = "Lambda-Runtime-Function-Error-Type"
_ERROR_BODY = "Lambda-Runtime-Function-Error-Body"
_INVOCATION_ID = "Lambda-Runtime-Invocation-Id"
_STREAM_CONTENT_TYPE = "application/vnd.awslambda.http-integration-response"
_JSON = {"Content-Type": "application/json", "User-Agent": "knowhub-streaming-runtime"}


class HostGone(Exception):
    """The Runtime API closed the connection, refused the request or answered before all was sent."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """One event to answer; header names are in lower case."""

    request_id: str
    headers: Mapping[str, str]
    body: bytes


class RuntimeApi:
    """The calls of one execution environment to its host; nothing here has a timeout."""

    def __init__(self, address: str) -> None:
        """Take `host:port` as `AWS_LAMBDA_RUNTIME_API` gives it; nothing is opened yet."""
        self._address = address

    def next(self) -> Invocation:
        """Wait for the next event, for as long as it takes; raises `HostGone`."""
        status, headers, body = self._call("GET", "/invocation/next")
        request_id = headers.get("lambda-runtime-aws-request-id")
        if status != HTTPStatus.OK or request_id is None:
            raise HostGone(f"The Runtime API answered {status} when asked for the next event")
        return Invocation(request_id, headers, body)

    def respond(self, invocation: Invocation, body: bytes) -> int:
        """Send a whole JSON answer and return the host's status; raises `HostGone`."""
        return self._post(_place(invocation, "response"), body, _echo(invocation))

    def fail(self, invocation: Invocation, report: ErrorReport) -> int:
        """Answer an invocation with a failure and return the host's status; raises `HostGone`."""
        return self._post(_place(invocation, "error"), report.body, {**_type_of(report), **_echo(invocation)})

    def fail_init(self, report: ErrorReport) -> int:
        """Report that the handler could not be made ready; raises `HostGone`."""
        return self._post("/init/error", report.body, _type_of(report))

    def stream(self, invocation: Invocation) -> "ResponseStream":
        """Open a streamed answer; raises `HostGone`."""
        return ResponseStream(self._connection(), invocation)

    def restore_next(self) -> None:
        """Say that the environment may be snapshotted, and return in the restored copy; raises `HostGone`."""
        status, _, _ = self._call("GET", "/restore/next")
        if status != HTTPStatus.OK:
            raise HostGone(f"The Runtime API answered {status} to the end of the initialisation")

    def fail_restore(self, report: ErrorReport) -> int:
        """Report that a hook failed after the restore; raises `HostGone`."""
        return self._post("/restore/error", report.body, _type_of(report))

    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self._address)

    def _post(self, place: str, body: bytes, headers: Mapping[str, str]) -> int:
        status, _, _ = self._call("POST", place, body, {**_JSON, **headers})
        return status

    def _call(
        self, method: str, place: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        connection = self._connection()
        try:
            connection.request(method, _VERSION + place, body, dict(headers or {}))
            response = connection.getresponse()
            return response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
        except (OSError, http.client.HTTPException) as error:
            raise HostGone(f"{method} {place}: {type(error).__name__}: {error}") from error
        finally:
            connection.close()


class ResponseStream:
    """A chunked answer under way. Each piece goes out at once, as a chunk of its own."""

    def __init__(self, connection: http.client.HTTPConnection, invocation: Invocation) -> None:
        """Send the request's head; raises `HostGone`."""
        self._connection = connection
        try:
            connection.putrequest("POST", _VERSION + _place(invocation, "response"), skip_accept_encoding=True)
            for name, value in {
                "Content-Type": _STREAM_CONTENT_TYPE,
                "User-Agent": _JSON["User-Agent"],
                "Lambda-Runtime-Function-Response-Mode": "streaming",
                "Transfer-Encoding": "chunked",
                "Trailer": f"{_ERROR_TYPE}, {_ERROR_BODY}",
                **_echo(invocation),
            }.items():
                connection.putheader(name, value)
            connection.endheaders()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise HostGone(f"The stream could not be opened: {error}") from error

    def send(self, piece: bytes) -> None:
        """Send one non-empty piece, waiting while the host's buffers are full; raises `HostGone`."""
        if self._host_has_spoken():
            raise HostGone("The host ended the stream before the handler did")
        self._write(b"%x\r\n%b\r\n" % (len(piece), piece))

    def finish(self, report: ErrorReport | None = None) -> int:
        """End the answer, with error trailers where there is a report, and return the host's status.

        Raises `HostGone`. The connection is closed either way.
        """
        end = b"0\r\n"
        if report is not None:
            end += f"{_ERROR_TYPE}: {report.header_type}\r\n{_ERROR_BODY}: {report.trailer_body}\r\n".encode("ascii")
        try:
            self._write(end + b"\r\n")
            return self._connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            raise HostGone(f"The end of the stream was not acknowledged: {error}") from error
        finally:
            self.close()

    def close(self) -> None:
        """Close the connection as it is; a host that reads a stream without an end knows that it was cut."""
        with suppress(OSError):
            self._connection.close()

    def _write(self, data: bytes) -> None:
        try:
            self._connection.send(data)
        except OSError as error:
            raise HostGone(f"The stream broke: {error}") from error

    def _host_has_spoken(self) -> bool:
        # A host has nothing to say before the end. What can be read is the end of the connection or an early refusal;
        # without this look a closed connection would swallow one more piece before a send fails.
        try:
            self._connection.sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True


def _place(invocation: Invocation, what: str) -> str:
    return f"/invocation/{quote(invocation.request_id, safe='')}/{what}"


def _type_of(report: ErrorReport) -> dict[str, str]:
    return {_ERROR_TYPE: report.header_type}


def _echo(invocation: Invocation) -> dict[str, str]:
    # Hosts that send an invocation id want it back, to tell a late answer from the current one's.
    value = invocation.headers.get(_INVOCATION_ID.lower())
    return {} if value is None else {_INVOCATION_ID: value}
