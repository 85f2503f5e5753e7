"""Headers of requests and answers: what is sent, what a redirect may take along, what tells a version."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from knowhub.errors import InvalidRequest

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_VALUE = re.compile(r"[\t\x20-\x7e]*\Z")
_OURS = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "cookie",
        "expect",
        "host",
        "if-modified-since",
        "if-none-match",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_PORTABLE = frozenset({"accept", "accept-language", "if-modified-since", "if-none-match", "user-agent"})
_DEFAULTS: Mapping[str, str] = {"accept": "*/*", "user-agent": "knowhub"}
_MOST_VALIDATOR = 512


@dataclass(frozen=True, slots=True)
class Validators:
    """What a server said of a version that is here already; sent back, it may answer 304."""

    etag: str | None = None
    last_modified: str | None = None

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> "Validators":
        """Take them from an answer's headers; what could not be sent back as it stands is left out."""
        return cls(_sendable(headers.get("etag")), _sendable(headers.get("last-modified")))

    def headers(self) -> dict[str, str]:
        """Write the condition."""
        pairs = (("if-none-match", self.etag), ("if-modified-since", self.last_modified))
        return {name: value for name, value in pairs if value}


def outgoing(given: Mapping[str, str], validators: Validators | None) -> dict[str, str]:
    """Put a request's headers together, in lower case; raises `InvalidRequest` for one that is not the caller's to set.

    Cookies are neither kept nor sent.
    """
    for name, value in given.items():
        reserved = name.lower() in _OURS or name.lower().startswith("proxy-")
        if reserved or not _NAME.match(name) or not _VALUE.match(value):
            message = "this header can't be sent"
            raise InvalidRequest(message, {"errors": [{"loc": ["headers"], "type": "value_error", "message": message}]})
    own = {name.lower(): value for name, value in given.items()}
    return {**_DEFAULTS, **own, **(validators.headers() if validators else {})}


def portable(headers: Mapping[str, str]) -> dict[str, str]:
    """Give what another origin may see: nothing that could be a credential."""
    return {name: value for name, value in headers.items() if name in _PORTABLE}


def incoming(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Join an answer's headers by name in lower case; cookies are dropped here."""
    joined: dict[str, str] = {}
    for name, value in pairs:
        key = name.lower()
        if key not in {"set-cookie", "set-cookie2"}:
            joined[key] = f"{joined[key]}, {value}" if key in joined else value
    return joined


def _sendable(value: str | None) -> str | None:
    return value if value and len(value) <= _MOST_VALIDATOR and _VALUE.match(value) else None
