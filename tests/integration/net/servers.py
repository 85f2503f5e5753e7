"""Servers on loopback that say what a test tells them to, and the ways to them."""

import datetime as dt
import ipaddress
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from knowhub.net.addresses import Address

Reply = Callable[[str], Iterable[bytes]]
"""From the path that is asked for to the pieces that are sent."""

PUBLIC = "93.184.216.34"


def answer(body: bytes = b"", status: int = 200, **headers: str) -> bytes:
    """Write a whole answer; underscores in header names stand for hyphens."""
    lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def redirect(location: str, status: int = 302) -> bytes:
    """Write an answer that leads on."""
    return answer(status=status, Location=location)


@dataclass
class Server:
    """A listening socket, and the heads of the requests that came."""

    port: int
    requests: list[str] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)

    def headers(self, number: int = -1) -> dict[str, str]:
        lines = self.requests[number].split("\r\n")[1:]
        return {name.lower(): value for name, _, value in (line.partition(": ") for line in lines if line)}


@contextmanager
def serving(reply: Reply, context: ssl.SSLContext | None = None) -> Iterator[Server]:
    """Serve one connection after the other until the test is over."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Server(listener.getsockname()[1])
        if context is not None:
            context.sni_callback = lambda _socket, name, _context: server.names.append(name)
        thread = threading.Thread(target=_serve, args=(listener, server, reply, context))
        thread.start()
        try:
            yield server
        finally:
            # A blocked accept does not notice that its socket is closed; a shutdown wakes it.
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def _serve(listener: socket.socket, server: Server, reply: Reply, context: ssl.SSLContext | None) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection, suppress(OSError):
            connection.settimeout(20)
            wrapped = context.wrap_socket(connection, server_side=True) if context else connection
            with wrapped:
                head = _head(wrapped)
                server.requests.append(head)
                for piece in reply(head.split(" ")[1]):
                    wrapped.sendall(piece)


def _head(connection: socket.socket) -> str:
    """Read a whole request and give its head; what is left unread would cut the answer off at its end."""
    data = b""
    while b"\r\n\r\n" not in data and (more := connection.recv(4096)):
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: ([0-9]+)", head)
    while length and len(body) < int(length[1]) and (more := connection.recv(4096)):
        body += more
    return f"{head.decode('latin-1')}\r\n\r\n"


@dataclass
class Names:
    """A resolver with a table; each look-up of a name takes the next of its answers, the last one for good."""

    table: Mapping[str, Sequence[Sequence[str]]]
    asked: list[str] = field(default_factory=list)

    def resolve(self, host: str, *, seconds: float) -> Sequence[str]:  # noqa: ARG002 - the port's signature
        if host not in self.table:
            raise OSError("unknown name")
        answers = self.table[host]
        number = self.asked.count(host)
        self.asked.append(host)
        return answers[min(number, len(answers) - 1)]


@dataclass
class Routes:
    """A connector that leads public addresses to servers on loopback, and remembers what it was asked for."""

    ports: Mapping[str, int]
    made: list[tuple[str, int, str | None]] = field(default_factory=list)

    def connect(
        self,
        address: Address,
        port: int,
        *,
        server_name: str | None,
        seconds: float,  # noqa: ARG002 - the port's signature
    ) -> socket.socket:
        self.made.append((str(address), port, server_name))
        if str(address) not in self.ports:
            raise ConnectionRefusedError("nobody listens")
        return socket.create_connection(("127.0.0.1", self.ports[str(address)]), timeout=20)


@dataclass
class StepClock:
    """A clock on which every look takes some seconds."""

    step: float = 0.0
    time: float = 0.0

    def __call__(self) -> float:
        self.time += self.step
        return self.time


def certificate(folder: Path, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Make a certificate of a name; give the server's context, and a client's that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    start = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    names: list[x509.GeneralName] = [x509.DNSName(name), x509.IPAddress(ipaddress.ip_address("192.0.2.1"))]
    built = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + dt.timedelta(days=36500))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    chain = folder / "chain.pem"
    chain.write_bytes(
        built.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(chain)
    client = ssl.create_default_context(cafile=str(chain))
    return server, client
