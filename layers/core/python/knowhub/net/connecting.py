"""Making a connection to one checked address, with nobody asked for a name again."""

import socket
import ssl
from typing import Protocol

from knowhub.net.addresses import Address


class Connector(Protocol):
    """Opens connections."""

    def connect(self, address: Address, port: int, *, server_name: str | None, seconds: float) -> socket.socket:
        """Open a connection to exactly this address; raises `OSError`.

        With a `server_name` it is encrypted, and the other side has shown a valid certificate of that name.
        """


class DirectConnector:
    """Connects without a proxy, whatever the environment says."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        """Keep how certificates are checked; by default against the machine's trusted authorities."""
        self._context = context or _default_context()

    def connect(self, address: Address, port: int, *, server_name: str | None, seconds: float) -> socket.socket:
        """Connect and shake hands, `seconds` for each of the two."""
        family = socket.AF_INET if address.version == 4 else socket.AF_INET6  # noqa: PLR2004 - IP versions
        opened = socket.socket(family, socket.SOCK_STREAM)
        try:
            opened.settimeout(max(seconds, 0.001))
            opened.connect((str(address), port))
            if server_name is None:
                return opened
            return self._context.wrap_socket(opened, server_hostname=server_name)
        except BaseException:
            opened.close()
            raise


def _default_context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    return context
