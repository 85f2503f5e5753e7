"""URLs as the client reads them: strictly, so that no other reader can understand another host."""

import re
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

from knowhub.net import hosts

MAX_URL = 4096
"""Characters in a URL."""

_DEFAULT_PORTS = {"http": 80, "https": 443}
_NEVER = re.compile(r"[\x00-\x20\x7f-\x9f\\\s\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\ud800-\udfff]")
_SHAPE = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?#]+)(?P<rest>[/?#].*)?\Z", re.IGNORECASE)
_AUTHORITY = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^:\[\]@%]+)(?::(?P<port>[0-9]{1,5})?)?\Z", re.ASCII)
_KEPT_IN_PATH = "!#$%&'()*+,/:;=?@[]~"
_MOST_PORTS = 65535


class UnusableUrl(ValueError):
    """A text that is not fetched, for what it says alone; the message tells why and names no part of it."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where one request goes: `host` in lower-case ASCII, `path` with its query and in ASCII, `url` all together."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Give what the `Host` header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> tuple[str, str, int]:
        """Give what two URLs of one origin have in common."""
        return (self.scheme, self.host, self.port)

    @property
    def url(self) -> str:
        """Write the whole URL, without a fragment."""
        return f"{self.scheme}://{self.authority}{self.path}"


def parse(text: str, *, loopback: bool = False) -> Target:
    """Read a URL; raises `UnusableUrl`.

    Refused are other schemes than http and https, credentials, backslashes, white space and control characters, and
    hosts that `hosts.canonical` refuses. Whether scheme, port and address are permitted is for the policy to say.
    """
    if len(text) > MAX_URL:
        raise UnusableUrl(f"an address has at most {MAX_URL} characters")
    if _NEVER.search(text):
        raise UnusableUrl("an address has no white space, control characters and backslashes")
    shape = _SHAPE.match(text)
    if shape is None:
        raise UnusableUrl("an address begins with https:// or http:// and a host")
    if "@" in shape["authority"]:
        raise UnusableUrl("an address holds no user name or password")
    authority = _AUTHORITY.match(shape["authority"])
    host = hosts.canonical(authority["host"], loopback=loopback) if authority else None
    if authority is None or host is None:
        raise UnusableUrl("the host is no public host name in its usual spelling")
    scheme = shape["scheme"].lower()
    port = int(authority["port"] or _DEFAULT_PORTS[scheme])
    if not 1 <= port <= _MOST_PORTS:
        raise UnusableUrl("a port is a number from 1 to 65535")
    return Target(scheme, host, port, _path(shape["rest"] or ""))


def follow(target: Target, location: str, *, loopback: bool = False) -> Target:
    """Read where an answer of this target sends us, with `location` as http.client gives it; raises `UnusableUrl`."""
    location = location.strip(" \t")
    if _NEVER.search(location.encode("latin-1", "replace").decode("ascii", "replace")):
        raise UnusableUrl("an address has no white space, control characters and backslashes")
    written = quote(location.encode("latin-1", "replace"), safe=_KEPT_IN_PATH)
    try:
        joined = urljoin(target.url, written)
    except ValueError:
        raise UnusableUrl("the redirect leads to no address") from None
    return parse(joined, loopback=loopback)


def identity(text: str) -> tuple[str, str, str]:
    """Give scheme, host and path of a URL that only names a document; raises `UnusableUrl`.

    Nothing is fetched from it, so any host passes, but no credentials and no characters that a URL can't have.
    """
    if len(text) > MAX_URL or _NEVER.search(text):
        raise UnusableUrl("an address has no white space, control characters and backslashes")
    shape = _SHAPE.match(text)
    if shape is None or "@" in shape["authority"]:
        raise UnusableUrl("an address begins with https:// or http:// and a host, and holds no user name")
    try:
        parts = urlsplit(text)
        host = parts.hostname
    except ValueError:
        host = None
    if not host:
        raise UnusableUrl("the address has no host that can be read")
    return (shape["scheme"].lower(), host, parts.path)


def _path(rest: str) -> str:
    written = rest.partition("#")[0]
    if not written.startswith("/"):
        written = f"/{written}"
    return quote(written, safe=_KEPT_IN_PATH)
