"""Who is asking: every kind of credential to a principal, and the first credentials of a hub."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Self

from knowhub.access.credentials import scopes_of
from knowhub.auth.api_keys import PREFIX_LENGTH, digest, looks_like_api_key, new_api_key
from knowhub.auth.passwords import hash_new_password
from knowhub.auth.session_tokens import looks_like_session_token
from knowhub.catalog.api_keys import ApiKeyRows
from knowhub.catalog.people import PeopleRows
from knowhub.catalog.sign_ins import SignInRows
from knowhub.errors import ConditionFailed, Conflict, KnowhubError, Unauthenticated
from knowhub.model.api_key import ApiKey
from knowhub.model.principal import Principal, Scope, UserRole
from knowhub.model.times import iso
from knowhub.model.user import User
from knowhub.ports.clock import Clock
from knowhub.ports.identifiers import Identifiers
from knowhub.ports.table import Table
from knowhub.services.issued_users import IssuedUsers

ALL_SCOPES: tuple[Scope, ...] = ("read", "write", "admin")
SESSION_SECONDS = 12 * 3600
LONGEST_SESSION_SECONDS = 30 * 24 * 3600
"""However often it is used, a session ends then."""

SLIDE_SECONDS = 300
"""How long a session is used before that is written down: a busy one costs a write in five minutes."""


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A new API key: the only moment at which its secret is known."""

    key_id: str
    secret: str


@dataclass(frozen=True, slots=True)
class IdentityRows:
    """What the catalog keeps of people and their credentials."""

    people: PeopleRows
    keys: ApiKeyRows
    sign_ins: SignInRows

    @classmethod
    def of(cls, table: Table) -> Self:
        """Give the rows of a table."""
        return cls(PeopleRows(table), ApiKeyRows(table), SignInRows(table))


class Identity:
    """Users and their credentials. Nothing is cached: what was revoked is refused in the next request."""

    def __init__(
        self, rows: IdentityRows, clock: Clock, identifiers: Identifiers, issued: IssuedUsers | None = None
    ) -> None:
        """Keep the collaborators; without `issued` no OpenID issuer is trusted."""
        self._people = rows.people
        self._keys = rows.keys
        self._sign_ins = rows.sign_ins
        self._clock = clock
        self._identifiers = identifiers
        self._issued = issued

    def authenticate(self, authorization: str | None) -> Principal:
        """Turn an `Authorization` header into a principal.

        Absent, malformed, unknown, revoked and expired credentials raise the same `Unauthenticated`, and so do those of
        a user who is disabled or gone. `Unavailable` says that an issuer's keys can't be had.
        """
        token = bearer(authorization)
        principal: Principal | None = None
        if looks_like_api_key(token):
            principal = self._of_key(token)
        elif looks_like_session_token(token):
            principal = self._of_session(token)
        elif self._issued is not None:
            principal = self._issued.principal(token)
        if principal is None:
            raise Unauthenticated("A valid bearer token is needed")
        return principal

    def create_user(self, username: str, password: str, role: UserRole) -> User:
        """Make a user who can sign in; raises `Conflict` for a taken name, `InvalidRequest` for a short password."""
        now = iso(self._clock.now())
        user = User(self._identifiers.new("u_"), username, role, hash_new_password(password), now)
        self._people.create_user(user)
        return user

    def user_named(self, username: str) -> User | None:
        """Find a user by name, without regard to case."""
        return self._people.user_named(username)

    def set_password(self, user: User, password: str) -> User:
        """Replace a user's password and end its sessions; raises `InvalidRequest` for a short one."""
        changed = replace(
            user, password_hash=hash_new_password(password), version=user.version + 1, epoch=user.epoch + 1
        )
        try:
            self._people.change(user, changed)
        except ConditionFailed as error:
            raise Conflict("The user is being changed by others", {"user_id": user.user_id}) from error
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
        self._keys.create(key)
        return IssuedKey(key.key_id, secret)

    def _of_key(self, token: str) -> Principal | None:
        key, now = self._keys.with_digest(digest(token)), self._clock.now()
        if key is None or (key.expires and key.expires <= now):
            return None
        user = self._people.user(key.user_id)
        if user is None or user.disabled:
            return None
        hour = iso(now - now % 3600)
        if key.last_used < hour:
            # Whether it can be noted or not decides nothing.
            with suppress(KnowhubError):
                self._keys.used(key, hour)
        scopes = frozenset(key.scopes) & scopes_of(user.role)
        limit = None if key.kb_ids is None else frozenset(key.kb_ids)
        return Principal(user.user_id, user.username, user.role, scopes, key.key_id, limit, key.expires)

    def _of_session(self, token: str) -> Principal | None:
        session, now = self._sign_ins.with_digest(digest(token)), int(self._clock.now())
        if session is None or session.expires_at <= now:
            return None
        user = self._people.user(session.user_id)
        if user is None or user.disabled or user.epoch != session.epoch:
            return None
        if now - session.seen >= SLIDE_SECONDS:
            # It holds for now, whether that can be written down or not.
            with suppress(KnowhubError):
                self._sign_ins.slide(session, now, session_end(session.started, now))
        return Principal(user.user_id, user.username, user.role, scopes_of(user.role), session.sign_in_id)


def session_end(started: int, now: int) -> int:
    """Give until when a session holds that is used now, in epoch seconds."""
    return min(now + SESSION_SECONDS, started + LONGEST_SESSION_SECONDS)


def bearer(authorization: str | None) -> str:
    """Take the token out of an `Authorization` header; empty where there is none."""
    scheme, _, token = (authorization or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
