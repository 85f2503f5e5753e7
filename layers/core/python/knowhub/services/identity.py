"""Who is asking: credentials to principals, and the first credentials of a hub."""

from dataclasses import dataclass, replace

from knowhub.auth.api_keys import PREFIX_LENGTH, digest, looks_like_api_key, new_api_key
from knowhub.auth.passwords import hash_password
from knowhub.catalog.people import ApiKey, PeopleRows, User
from knowhub.errors import InvalidRequest, Unauthenticated
from knowhub.model.principal import Principal, Scope, UserRole
from knowhub.model.times import iso
from knowhub.ports.clock import Clock
from knowhub.ports.identifiers import Identifiers

MIN_PASSWORD = 12
ALL_SCOPES: tuple[Scope, ...] = ("read", "write", "admin")


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A new API key: the only moment at which its secret is known."""

    key_id: str
    secret: str


class Identity:
    """Users and API keys."""

    def __init__(self, people: PeopleRows, clock: Clock, identifiers: Identifiers) -> None:
        """Keep the collaborators."""
        self._people = people
        self._clock = clock
        self._identifiers = identifiers

    def authenticate(self, authorization: str | None) -> Principal:
        """Turn an `Authorization` header into a principal.

        Absent, malformed, unknown, revoked and expired credentials raise the same `Unauthenticated`.
        """
        key = self._key(_bearer(authorization))
        user = None if key is None else self._people.user(key.user_id)
        if key is None or user is None or user.disabled:
            raise Unauthenticated("A valid bearer token is needed")
        scopes = frozenset(key.scopes) if user.role == "admin" else frozenset(key.scopes) - {"admin"}
        limit = None if key.kb_ids is None else frozenset(key.kb_ids)
        return Principal(user.user_id, user.username, user.role, scopes, key.key_id, limit)

    def create_user(self, username: str, password: str, role: UserRole) -> User:
        """Make a user who can sign in; raises `Conflict` for a taken name, `InvalidRequest` for a short password."""
        user = User(self._identifiers.new("u_"), username, role, _hashed(password), iso(self._clock.now()))
        self._people.create_user(user)
        return user

    def user_named(self, username: str) -> User | None:
        """Find a user by name, without regard to case."""
        return self._people.user_named(username)

    def set_password(self, user: User, password: str) -> User:
        """Replace a user's password; raises `InvalidRequest` for a short one."""
        changed = replace(user, password_hash=_hashed(password))
        self._people.set_password(user.user_id, changed.password_hash)
        return changed

    def on_behalf_of(self, user_id: str, kb_id: int) -> Principal:
        """Give the principal for work that a user started earlier on one KB, with the rights that it has now."""
        user = self._people.user(user_id)
        if user is None or user.disabled:
            raise Unauthenticated("The user who started this is gone")
        return Principal(user.user_id, user.username, user.role, frozenset({"write"}), None, frozenset({kb_id}))

    def issue_key(
        self,
        user_id: str,
        name: str,
        *,
        scopes: tuple[Scope, ...] = ALL_SCOPES,
        kb_ids: tuple[int, ...] | None = None,
        expires: float = 0,
    ) -> IssuedKey:
        """Make an API key that acts for the user, narrowed by scopes, KBs and an expiry in epoch seconds (0: none)."""
        secret = new_api_key()
        key = ApiKey(
            key_id=self._identifiers.new("key_"),
            user_id=user_id,
            name=name,
            digest=digest(secret),
            prefix=secret[:PREFIX_LENGTH],
            scopes=scopes,
            created_at=iso(self._clock.now()),
            kb_ids=kb_ids,
            expires=expires,
        )
        self._people.create_key(key)
        return IssuedKey(key.key_id, secret)

    def _key(self, token: str) -> ApiKey | None:
        if not looks_like_api_key(token):
            return None
        key = self._people.key(digest(token))
        if key is None or key.revoked or (key.expires and key.expires <= self._clock.now()):
            return None
        return key


def _hashed(password: str) -> str:
    if len(password) < MIN_PASSWORD:
        raise InvalidRequest(f"A password has at least {MIN_PASSWORD} characters")
    return hash_password(password)


def _bearer(authorization: str | None) -> str:
    scheme, _, token = (authorization or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
