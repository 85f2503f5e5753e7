"""The hub's HTTP interface as the commands use it: authorisation, paging, patience and plain failures."""

import ipaddress
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO
from urllib.parse import urlsplit

import click
import httpx

from knowhub_cli.events import Event, events
from knowhub_cli.failures import Refused, Unreachable, refusal
from knowhub_cli.profile import Connection

ATTEMPTS = 6
"""How often a call is made while the hub asks for patience."""

LONGEST_WAIT = 60
"""Seconds; a hub that asks for more gets its error shown instead."""

TIMEOUT = httpx.Timeout(30.0, connect=10.0)
STREAM_TIMEOUT = httpx.Timeout(90.0, connect=10.0)
"""Seconds between two pieces of a stream: a hub that can't stream sends an answer whole, after up to 60."""

DELIVERY_TIMEOUT = httpx.Timeout(120.0, connect=10.0)
"""Seconds between two signs of life while a file of up to 100 MB is taken in."""

PATIENCE = {httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE}

Query = Mapping[str, str | int]


def is_loopback(url: str) -> bool:
    """Tell whether an address stays on this machine, where no proxy of the environment can reach it."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def wait_seconds(retry_after: str | None, attempt: int) -> float:
    """Say how long to wait: what the hub asks for in seconds, else 1, 2, 4, ... by the attempt, counted from 0."""
    if retry_after and retry_after.isascii() and retry_after.strip().isdecimal():
        return float(retry_after)
    return float(2**attempt)


def reason_of(error: httpx.RequestError) -> str:
    """Say why a call came to nothing; a protocol error's own words are left out, they may quote a header with a key."""
    if isinstance(error, httpx.ProtocolError | httpx.DecodingError):
        return f"what is sent there or answered is no proper HTTP ({type(error).__name__})"
    return str(error) or type(error).__name__


class Hub:
    """One hub over one connection pool. Every method raises `Refused` for an error answer, `Unreachable` for none."""

    def __init__(self, connection: Connection, sleep: Callable[[float], None]) -> None:
        """Keep the connection; nothing is sent before the first call."""
        self.url = connection.url
        self._sleep = sleep
        self._http = httpx.Client(
            base_url=f"{connection.url}/api/v1",
            headers={"Authorization": f"Bearer {connection.key}", "User-Agent": "knowhub-cli"},
            timeout=TIMEOUT,
            trust_env=not is_loopback(connection.url),
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def get(self, path: str, query: Query | None = None) -> Any:
        """Read one resource."""
        return self._json(self._send("GET", path, params=query))

    def post(self, path: str, body: Mapping[str, object]) -> Any:
        """Call a route that creates nothing."""
        return self._json(self._send("POST", path, json=body))

    def act(self, path: str) -> None:
        """Call a route that answers nothing."""
        self._send("POST", path)

    def create(self, path: str, body: Mapping[str, object]) -> Any:
        """Create something, once, however often the call has to be repeated."""
        return self._json(self._send("POST", path, json=body, headers=_repeatable()))

    def upload(self, path: str, fields: Mapping[str, str], file: tuple[str, bytes, str]) -> Any:
        """Create a document from a file (its name, bytes and content type) and form fields."""
        return self._json(self._send("POST", path, data=fields, files={"file": file}, headers=_repeatable()))

    def deliver(self, url: str, fields: Mapping[str, str], file: tuple[str, BinaryIO, str]) -> None:
        """POST a file to where a ticket says; the key is not sent along, as the address may be another service's."""
        try:
            with httpx.Client(timeout=DELIVERY_TIMEOUT, trust_env=not is_loopback(url)) as http:
                response = http.post(url, data=fields, files={"file": file})
        except (httpx.RequestError, httpx.InvalidURL) as error:
            why = reason_of(error) if isinstance(error, httpx.RequestError) else "its address is none"
            raise Refused(0, "", f"the place for the upload can't be reached: {why}") from None
        if not response.is_success:
            raise Refused(response.status_code, "", f"the upload was refused with HTTP {response.status_code}")

    def pages(self, path: str, query: Query | None = None) -> Iterator[Mapping[str, Any]]:
        """Walk a list, page by page."""
        asked = {"page_size": 200, **(query or {})}
        while True:
            page = self.get(path, asked)
            yield from page["items"]
            cursor = page.get("next_cursor")
            if not cursor:
                return
            asked["cursor"] = cursor

    def total(self, path: str, query: Query) -> int | None:
        """Count a list without reading it; None where the hub does not count it."""
        count = self.get(path, {**query, "page_size": 1}).get("total")
        return count if isinstance(count, int) else None

    def probe(self, path: str) -> tuple[int, Any]:
        """Read a health route, whose error status is an answer too: the status and the body."""
        response = self._once(self._http.build_request("GET", path))
        return response.status_code, _decoded(response)

    def stream(self, path: str, body: Mapping[str, object]) -> Iterator[Event]:
        """Ask, and give the answer's events as they arrive."""
        response = self._send("POST", path, stream=True, json=body, timeout=STREAM_TIMEOUT)
        try:
            if not response.headers.get("Content-Type", "").startswith("text/event-stream"):
                raise Refused(response.status_code, "", f"{self.url} answered with no event stream; is it a knowhub?")
            yield from events(response.iter_bytes())
        except httpx.RequestError as error:
            raise self._unreachable(error) from None
        finally:
            response.close()

    def _send(self, method: str, path: str, *, stream: bool = False, **content: Any) -> httpx.Response:
        """Call a route, waiting while the hub says that it is busy; an error answer is raised."""
        for attempt in range(ATTEMPTS):
            response = self._once(self._http.build_request(method, path, **content), stream=stream)
            wait = wait_seconds(response.headers.get("Retry-After"), attempt)
            if response.status_code not in PATIENCE or attempt == ATTEMPTS - 1 or wait > LONGEST_WAIT:
                break
            response.close()
            self._sleep(wait)
        if not response.is_success:
            self._read(response)
            raise refusal(response.status_code, _decoded(response), self.url)
        return response

    def _once(self, request: httpx.Request, *, stream: bool = False) -> httpx.Response:
        try:
            return self._http.send(request, stream=stream)
        except httpx.RequestError as error:
            raise self._unreachable(error) from None

    def _read(self, response: httpx.Response) -> None:
        try:
            response.read()
        except httpx.RequestError as error:
            raise self._unreachable(error) from None
        finally:
            response.close()

    def _unreachable(self, error: httpx.RequestError) -> click.ClickException:
        return Unreachable(f"The hub at {self.url} can't be reached: {reason_of(error)}")

    def _json(self, response: httpx.Response) -> Any:
        body = _decoded(response)
        if body is None:
            raise Refused(response.status_code, "", f"{self.url} answered with no JSON; is it a knowhub?")
        return body


def _decoded(response: httpx.Response) -> Any:
    """Parse a body; None where it is no JSON."""
    try:
        return response.json()
    except ValueError:
        return None


def _repeatable() -> dict[str, str]:
    """Give the header by which a hub recognises a repeated call."""
    return {"Idempotency-Key": uuid.uuid4().hex}
