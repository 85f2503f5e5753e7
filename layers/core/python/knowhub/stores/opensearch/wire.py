"""One request to the engine, over the vendor's client, with what it raises sorted by what may help."""

import json
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from knowhub.stores.opensearch.places import Place

if TYPE_CHECKING:
    from opensearchpy import Transport

_POOL = 10

Credentials = Callable[[], tuple[Any, str]]
"""Gives the credentials that requests are signed with, and the region."""


class Busy(Exception):
    """The engine did not answer, or not now: the same request may succeed in a moment."""


class Refused(Exception):
    """The engine answered, and will answer the same again."""

    def __init__(self, status: int, kind: str) -> None:
        """Keep the status and the engine's name for the cause; its text may quote documents and stays out."""
        super().__init__(f"{status} {kind}")
        self.status = status
        self.kind = kind


class Wire(Protocol):
    """What carries requests."""

    def send(self, method: str, path: str, params: Mapping[str, str], body: bytes | None, seconds: float) -> Any:
        """Give the parsed answer; raises `Busy` or `Refused`."""

    def close(self) -> None:
        """Let go of the connections; a later request opens new ones."""


class ClientWire:
    """Requests through `opensearch-py`, which is loaded by the first of them; safe to share between threads."""

    def __init__(self, place: Place, credentials: Credentials | None = None) -> None:
        """Remember where; credentials are asked for where the place is signed."""
        self._place = place
        self._credentials = credentials
        self._opening = threading.Lock()
        self._transport: Transport | None = None

    def send(self, method: str, path: str, params: Mapping[str, str], body: bytes | None, seconds: float) -> Any:
        """Send one request, once."""
        import opensearchpy  # noqa: PLC0415 - takes longer to load than most searches take

        headers = {"content-type": "application/x-ndjson" if path.endswith(("/_bulk", "/_msearch")) else _JSON}
        try:
            return self._opened().perform_request(
                method, path, params={**params, "request_timeout": seconds}, body=body, headers=headers
            )
        except (opensearchpy.ConnectionError, opensearchpy.SerializationError) as error:
            # Time-outs are connection errors too; what is no JSON comes from something in between.
            raise Busy(type(error).__name__) from error
        except opensearchpy.TransportError as error:
            raise meaning(error.status_code, error.info) from error

    def close(self) -> None:
        """Close the connections."""
        with self._opening:
            transport, self._transport = self._transport, None
        if transport is not None:
            transport.close()

    def _opened(self) -> "Transport":
        with self._opening:
            if self._transport is None:
                self._transport = self._open()
            return self._transport

    def _open(self) -> "Transport":
        from opensearchpy import Transport, Urllib3AWSV4SignerAuth, Urllib3HttpConnection  # noqa: PLC0415 - as above

        signer = None
        if self._place.signed and self._credentials is not None:
            credentials, region = self._credentials()
            signer = Urllib3AWSV4SignerAuth(credentials, region, "es")
        host = {"host": self._place.host, "port": self._place.port, "use_ssl": self._place.tls}
        return Transport(
            [host],
            connection_class=Urllib3HttpConnection,
            http_auth=signer,
            maxsize=_POOL,
            max_retries=0,
            retry_on_status=(),
        )


_JSON = "application/json"
_TOO_MANY = 429
_GATEWAY = frozenset({502, 503, 504})


def passes(status: int) -> bool:
    """Tell whether what failed with this status may succeed a moment later."""
    return status == _TOO_MANY or status in _GATEWAY


def meaning(status: object, info: object) -> Busy | Refused:
    """Sort an error answer."""
    kind = cause(info)
    if not isinstance(status, int) or passes(status):
        return Busy(f"{status} {kind}")
    return Refused(status, kind)


def cause(info: object) -> str:
    """Name the cause in an error answer by the engine's own word for it."""
    if isinstance(info, str):
        try:
            info = json.loads(info)
        except ValueError:
            return "unknown"
    error = info.get("error", info) if isinstance(info, dict) else info
    if not isinstance(error, dict):
        return "unknown"
    inner = error.get("caused_by") or next(iter(error.get("root_cause") or ()), None)
    kinds = [one.get("type") for one in (error, inner) if isinstance(one, dict)]
    return "/".join(str(kind) for kind in dict.fromkeys(kinds) if kind) or "unknown"
