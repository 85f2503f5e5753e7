"""An OpenID issuer on loopback that a test turns as it likes, and the tokens that it makes."""

import base64
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
from cryptography.hazmat.primitives.hashes import SHA256

from knowhub.auth.issuer import Issuer
from knowhub.auth.key_sets import KeySet
from knowhub.issuers import GroupRoles, TrustedIssuer
from knowhub.net.client import GuardedClient
from knowhub.net.policy import Policy
from knowhub.net.resolving import SystemResolver
from knowhub.ports.clock import Clock
from tests.hubs import START
from tests.integration.net.servers import Server, answer, serving

AUDIENCE = "hub"
PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value: int) -> str:
    return encoded(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def jwk(kid: str, key: PrivateKey) -> dict[str, Any]:
    """Write the public half."""
    if isinstance(key, rsa.RSAPrivateKey):
        public = key.public_key().public_numbers()
        return {"kty": "RSA", "kid": kid, "use": "sig", "n": number(public.n), "e": number(public.e)}
    point = key.public_key().public_numbers()
    return {"kty": "EC", "crv": "P-256", "kid": kid, "x": number(point.x), "y": number(point.y)}


def signed(header: dict[str, Any], claims: dict[str, Any], key: PrivateKey) -> str:
    """Write a token, signed as its key signs whatever the header says."""
    text = f"{encoded(json.dumps(header).encode())}.{encoded(json.dumps(claims).encode())}"
    if isinstance(key, rsa.RSAPrivateKey):
        return f"{text}.{encoded(key.sign(text.encode(), padding.PKCS1v15(), SHA256()))}"
    pair = utils.decode_dss_signature(key.sign(text.encode(), ec.ECDSA(SHA256())))
    return f"{text}.{encoded(b''.join(half.to_bytes(32, 'big') for half in pair))}"


@dataclass
class StubIssuer:
    """Answers as an issuer; `broken` makes it answer with an error."""

    server: Server | None = None
    keys: dict[str, PrivateKey] = field(default_factory=dict)
    broken: bool = False
    described_as: str | None = None

    @property
    def address(self) -> str:
        assert self.server is not None
        return f"http://127.0.0.1:{self.server.port}/tenant/"

    @property
    def asked(self) -> int:
        """Count how often the keys were asked for."""
        assert self.server is not None
        return sum("/keys" in request.split("\r\n")[0] for request in self.server.requests)

    def add(self, kid: str, kind: str = "EC") -> PrivateKey:
        made: PrivateKey = (
            rsa.generate_private_key(65537, 2048) if kind == "RSA" else ec.generate_private_key(ec.SECP256R1())
        )
        self.keys[kid] = made
        return made

    def reply(self, path: str) -> Iterable[bytes]:
        if self.broken:
            yield answer(b"later", status=503)
        elif "openid-configuration" in path:
            found = {"issuer": self.described_as or self.address, "jwks_uri": f"{self.address}keys"}
            yield answer(json.dumps(found).encode())
        else:
            yield answer(json.dumps({"keys": [jwk(kid, key) for kid, key in self.keys.items()]}).encode())

    def claims(self, **changed: Any) -> dict[str, Any]:
        plain = {"iss": self.address, "aud": AUDIENCE, "sub": "subject-1", "iat": START, "exp": START + 3600}
        return {name: value for name, value in {**plain, **changed}.items() if value is not None}

    def token(self, kid: str = "one", *, header: dict[str, Any] | None = None, **changed: Any) -> str:
        key = self.keys[kid]
        algorithm = "RS256" if isinstance(key, rsa.RSAPrivateKey) else "ES256"
        return signed({"alg": algorithm, "kid": kid, **(header or {})}, self.claims(**changed), key)

    def trusted_by(self, clock: Clock, groups: GroupRoles | None = None) -> Issuer:
        """Give what a hub reads this issuer's tokens with."""
        client = GuardedClient(Policy.local(), SystemResolver())
        return Issuer(TrustedIssuer(self.address, AUDIENCE, groups), KeySet(self.address, client, clock), clock)


@contextmanager
def issuing() -> Iterator[StubIssuer]:
    """Run an issuer with one key, `one`."""
    issuer = StubIssuer()
    issuer.add("one")
    with serving(issuer.reply) as server:
        issuer.server = server
        yield issuer
