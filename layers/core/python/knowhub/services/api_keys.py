"""API keys as a use-case: a user's own, never wider than the credential that makes them."""

from collections.abc import Sequence
from dataclasses import dataclass

from knowhub.access.credentials import may_end_keys, may_make_key, may_see_keys, with_included
from knowhub.catalog.api_keys import ApiKeyRows
from knowhub.errors import Conflict, Forbidden, InvalidRequest, NotFound
from knowhub.model.api_key import ApiKey
from knowhub.model.principal import Principal, Scope
from knowhub.ports.clock import Clock
from knowhub.services.identity import Identity

MOST_KEYS = 100
"""Of one user."""


@dataclass(frozen=True, slots=True)
class NewApiKey:
    """What a caller says of a key; `expires` is in epoch seconds, 0 for never."""

    name: str
    scopes: tuple[Scope, ...]
    kb_ids: tuple[int, ...] | None = None
    expires: float = 0


@dataclass(frozen=True, slots=True)
class MadeApiKey:
    """A key and its secret, which is known at the moment when it is made and never again."""

    key: ApiKey
    secret: str | None


class ApiKeys:
    """Lists, makes and revokes API keys."""

    def __init__(self, rows: ApiKeyRows, identity: Identity, clock: Clock) -> None:
        """Keep the collaborators."""
        self._rows = rows
        self._identity = identity
        self._clock = clock

    def list(self, principal: Principal) -> Sequence[ApiKey]:
        """List the user's keys, the oldest first; raises `Forbidden` for a key that is limited to some KBs."""
        if not may_see_keys(principal):
            raise Forbidden("A key that is limited to some knowledge bases does not see others")
        return self._rows.of(principal.user_id)

    def get(self, principal: Principal, key_id: str) -> ApiKey:
        """Show one of the user's keys; raises `NotFound`."""
        found = next((key for key in self.list(principal) if key.key_id == key_id), None)
        if found is None:
            raise NotFound("API_KEY", {"key_id": key_id})
        return found

    def create(self, principal: Principal, new: NewApiKey) -> MadeApiKey:
        """Make a key; raises `Forbidden` for one that is wider than the caller's own credential.

        Raises `InvalidRequest` for an expiry that is over, and `Conflict` where the user has `MOST_KEYS`.
        """
        scopes = with_included(new.scopes)
        if not may_make_key(principal, scopes):
            raise Forbidden("Your credential does not make a key like this", {"scopes": list(scopes)})
        if new.expires and new.expires <= self._clock.now():
            raise InvalidRequest("The request does not fit", _fault("expires_at", "is over already"))
        if len(self._rows.of(principal.user_id)) >= MOST_KEYS:
            raise Conflict(f"A user has at most {MOST_KEYS} API keys", {"limit": MOST_KEYS})
        made = self._identity.issue_key(
            principal.user_id, new.name, scopes=scopes, kb_ids=new.kb_ids, expires=new.expires
        )
        return MadeApiKey(self.get(principal, made.key_id), made.secret)

    def revoke(self, principal: Principal, key_id: str) -> None:
        """Remove one of the user's keys, which ends it with the next request; raises `NotFound`."""
        if not may_end_keys(principal):
            raise Forbidden("Your credential does not revoke keys")
        if not self._rows.delete(principal.user_id, key_id):
            raise NotFound("API_KEY", {"key_id": key_id})


def _fault(name: str, message: str) -> dict[str, object]:
    return {"errors": [{"loc": ["body", name], "type": "value_error", "message": message}]}
