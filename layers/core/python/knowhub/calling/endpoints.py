"""Where a model is asked over HTTP: the address as an administrator writes it in a setting.

Unlike what users import, such an address may lie in a private network: who sets it is trusted. What is asked there are
people's documents and queries, so that they travel encrypted, or do not leave the machine.
"""

import re
from dataclasses import dataclass

MAX_URL = 2048
"""Characters in an address."""

# Compiled where a setting needs them: every function imports this module when it starts.
_SHAPE = (
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?)"
    r"(?::(?P<port>[0-9]{1,5}))?(?P<path>/[A-Za-z0-9._~!$'()*+,;=:@%/-]*)?"
)
_LOOPBACK = r"localhost|127(?:\.[0-9]{1,3}){3}|::1"
_DEFAULT_PORTS = {"http": 80, "https": 443}
_MOST_PORTS = 65535


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server and a path on it, without a slash at its end; `host` is without brackets."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Give what the `Host` header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


def endpoint(text: str) -> Endpoint:
    """Read `https://HOST[:PORT][/PATH]`, or the same with `http` for a server on this machine.

    Raises `ValueError` with words that show nothing of the text. Refused are user names, queries and fragments, as what
    stands there could be a secret.
    """
    shape = re.fullmatch(_SHAPE, text) if len(text) <= MAX_URL else None
    if shape is None:
        raise ValueError("holds no address of the form https://host/path, in ASCII, with its host in lower case")
    scheme, host = shape["scheme"], shape["host"].strip("[]")
    if scheme == "http" and not re.fullmatch(_LOOPBACK, host):
        raise ValueError("holds an address without encryption that is not this machine's own")
    port = int(shape["port"] or _DEFAULT_PORTS[scheme])
    if not 1 <= port <= _MOST_PORTS:
        raise ValueError("holds an address with a port that is none")
    return Endpoint(scheme, host, port, (shape["path"] or "").rstrip("/"))
