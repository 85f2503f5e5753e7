"""The public keys of an OpenID issuer, fetched when they are needed and kept for a while."""

import json
from typing import Any

from knowhub.auth.signatures import VerifyingKey, verifying_key
from knowhub.errors import SourceFailed, Unavailable
from knowhub.net.client import GuardedClient
from knowhub.observability import report
from knowhub.ports.clock import Clock

FRESH_SECONDS = 3600
"""How long keys are used before they are fetched again: as long may a key go on that the issuer took back."""

LONGEST_SECONDS = 24 * 3600
"""How long keys are used where the issuer does not answer."""

FLOOR_SECONDS = 60
"""Between two attempts to fetch: whoever sends tokens of unknown keys can't make the hub ask more often."""

_MOST_KEYS = 100
_OK = 200
_DISCOVERY = "/.well-known/openid-configuration"


class KeySet:
    """The keys of one issuer. It asks over the guarded client, so that no issuer leads into the hub's own network."""

    def __init__(self, issuer: str, client: GuardedClient, clock: Clock) -> None:
        """Keep the collaborators; nothing is fetched."""
        self._issuer = issuer
        self._client = client
        self._clock = clock
        self._keys: tuple[VerifyingKey, ...] | None = None
        self._fetched = 0.0
        self._tried = -float(FLOOR_SECONDS)

    def find(self, kid: str, algorithm: str) -> VerifyingKey | None:
        """Give the key of this name and algorithm, one that is new at the issuer too; without a name the only key.

        Raises `Unavailable` where no keys are at hand and the issuer does not give them.
        """
        now = self._clock.now()
        if self._keys is None or now >= self._fetched + FRESH_SECONDS:
            self._fetch(now)
        found = self._match(kid, algorithm)
        if found is None and self._fetch(now):
            found = self._match(kid, algorithm)
        if self._keys is None:
            raise Unavailable("The issuer of this token does not answer")
        return found

    def _match(self, kid: str, algorithm: str) -> VerifyingKey | None:
        known = [key for key in self._keys or () if key.algorithm == algorithm]
        named = [key for key in known if key.kid == kid] if kid else known
        return named[0] if len(named) == 1 else None

    def _fetch(self, now: float) -> bool:
        """Fetch the keys, unless that was tried a moment ago; True where they are new."""
        if now < self._tried + FLOOR_SECONDS:
            return False
        self._tried = now
        try:
            self._keys = self._read()
        except (SourceFailed, ValueError, RecursionError) as error:
            report("the keys of the OpenID issuer can't be had", error)
            if now >= self._fetched + LONGEST_SECONDS:
                self._keys = None
            return False
        self._fetched = now
        return True

    def _read(self) -> tuple[VerifyingKey, ...]:
        description = self._document(self._issuer.rstrip("/") + _DISCOVERY)
        if description.get("issuer") != self._issuer:
            raise ValueError("the issuer describes itself as another one")
        listed = self._document(str(description.get("jwks_uri"))).get("keys")
        if not isinstance(listed, list):
            raise ValueError("the issuer lists no keys")  # noqa: TRY004 - said as every fault of the answer is
        found = [verifying_key(jwk) for jwk in listed[:_MOST_KEYS] if isinstance(jwk, dict)]
        return tuple(key for key in found if key is not None)

    def _document(self, url: str) -> dict[str, Any]:
        answer = self._client.get(url, {"accept": "application/json"})
        content = json.loads(answer.body) if answer.status == _OK else None
        if not isinstance(content, dict):
            raise ValueError("the issuer's answer is no JSON object")  # noqa: TRY004 - as above
        return content
