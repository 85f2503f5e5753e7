"""Tokens of an OpenID issuer: checked whole, and read as who asks and with which role."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from knowhub.auth.signatures import VerifyingKey, verified
from knowhub.auth.tokens import Parts, parts
from knowhub.issuers import Role, TrustedIssuer
from knowhub.ports.clock import Clock

SKEW_SECONDS = 60
"""How far the issuer's clock and ours may be apart."""

_ALGORITHMS = ("RS256", "ES256")
_LONGEST_SUBJECT = 255
_NAMES = ("preferred_username", "email", "name")


class Keys(Protocol):
    """Where the issuer's keys come from."""

    def find(self, kid: str, algorithm: str) -> VerifyingKey | None:
        """Give the key of this name and algorithm; raises `Unavailable`."""


@dataclass(frozen=True, slots=True)
class Person:
    """Whom a token is about: `subject` is the issuer's id, `names` what the person may be called, the best first."""

    issuer: str
    subject: str
    names: tuple[str, ...]
    role: Role


class Issuer:
    """Reads tokens of the one issuer that is trusted."""

    def __init__(self, trusted: TrustedIssuer, keys: Keys, clock: Clock) -> None:
        """Keep the collaborators."""
        self._trusted = trusted
        self._keys = keys
        self._clock = clock

    def person(self, token: str) -> Person | None:
        """Give whom a token is about; None for one that is not to be believed, or gives no role.

        What costs nothing is checked first: no key is asked for on account of a token that is not for this hub.
        """
        read = parts(token)
        if read is None or not self._is_meant(read.claims) or not self._is_signed(read):
            return None
        claims, groups = read.claims, self._trusted.groups
        role: Role | None = "member" if groups is None else groups.role(_texts(claims.get(groups.claim)))
        if role is None:
            return None
        names = tuple(claims[name] for name in _NAMES if isinstance(claims.get(name), str))
        return Person(self._trusted.issuer, claims["sub"], names, role)

    def _is_meant(self, claims: Mapping[str, Any]) -> bool:
        subject, now = claims.get("sub"), self._clock.now()
        return (
            claims.get("iss") == self._trusted.issuer
            and self._trusted.audience in _texts(claims.get("aud"))
            and isinstance(subject, str)
            and subject.isascii()
            and 0 < len(subject) <= _LONGEST_SUBJECT
            and _is_time(claims.get("exp"))
            and now < claims["exp"] + SKEW_SECONDS
            and all(_has_begun(claims[name], now) for name in ("nbf", "iat") if name in claims)
        )

    def _is_signed(self, read: Parts) -> bool:
        kid, algorithm = read.header.get("kid", ""), read.header.get("alg")
        if not isinstance(kid, str) or algorithm not in _ALGORITHMS:
            return False
        # The algorithm is the key's: the token's word only has to agree with it.
        key = self._keys.find(kid, algorithm)
        return key is not None and verified(key, read.signed, read.signature)


def _has_begun(value: Any, now: float) -> bool:
    return _is_time(value) and bool(value <= now + SKEW_SECONDS)


def _is_time(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _texts(value: Any) -> frozenset[str]:
    listed = [value] if isinstance(value, str) else value
    return frozenset(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else frozenset()
