"""What the client may reach, and how much of it and for how long it takes."""

from dataclasses import dataclass
from typing import Self

from knowhub.net import addresses

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Limits of one client; times in seconds, sizes in bytes.

    `http` lets plain HTTP pass beside HTTPS, `ports` are those of public addresses. `loopback` lets this machine's own
    addresses pass too, on any port: for a hub that runs on its user's computer, and never on a server. `total_seconds`
    is for a whole call with its redirects, `first_byte_seconds` for the first byte of each answer. After
    `speed_grace_seconds` an answer must have come at `min_bytes_per_second` on average. `ratio` is how many times its
    size on the wire an answer may inflate to, past the first `free_inflated_bytes`.
    """

    http: bool = False
    ports: frozenset[int] = frozenset({80, 443})
    loopback: bool = False
    max_redirects: int = 5
    max_wire_bytes: int = 20 * MEGABYTE + 64 * 1024
    max_body_bytes: int = 20 * MEGABYTE
    ratio: int = 200
    free_inflated_bytes: int = 64 * 1024
    connect_seconds: float = 5.0
    first_byte_seconds: float = 10.0
    total_seconds: float = 30.0
    speed_grace_seconds: float = 5.0
    min_bytes_per_second: float = 512.0

    @classmethod
    def local(cls) -> Self:
        """Give the policy of a hub on its user's own computer: plain HTTP and loopback pass."""
        return cls(http=True, loopback=True)

    def permits_scheme(self, scheme: str) -> bool:
        """Tell whether addresses of this scheme are fetched."""
        return scheme == "https" or (self.http and scheme == "http")

    def permits(self, address: addresses.Address, port: int) -> bool:
        """Tell whether a connection to this address and port may be made."""
        if self.loopback and addresses.is_loopback(address):
            return True
        return port in self.ports and addresses.is_public(address)
