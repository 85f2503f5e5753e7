"""Signing in with a password, signing out, and changing one's own password."""

from dataclasses import dataclass, replace

from knowhub.auth.api_keys import digest
from knowhub.auth.passwords import hash_new_password, verify_anybodys
from knowhub.auth.session_tokens import looks_like_session_token, new_session_token
from knowhub.catalog.sign_ins import SignedIn, kept
from knowhub.errors import ConditionFailed, Conflict, Forbidden, Unauthenticated
from knowhub.model.principal import Principal
from knowhub.model.user import User
from knowhub.ports.clock import Clock
from knowhub.ports.identifiers import Identifiers
from knowhub.services.audit import Audit
from knowhub.services.identity import SESSION_SECONDS, IdentityRows, bearer, session_end
from knowhub.services.throttling import Throttle

_NOBODY = Principal("", "", "member", frozenset(), kb_limit=frozenset())


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an attempt comes from: the client's address, and the request for the audit."""

    address: str
    request_id: str


@dataclass(frozen=True, slots=True)
class Opened:
    """A new session: the only moment at which its token is known. It ends when it was not used for so many seconds."""

    token: str
    expires_in: int


class SignIn:
    """The use-cases of passwords and sessions."""

    def __init__(
        self, rows: IdentityRows, throttle: Throttle, audit: Audit, clock: Clock, identifiers: Identifiers
    ) -> None:
        """Keep the collaborators."""
        self._people = rows.people
        self._sessions = rows.sign_ins
        self._throttle = throttle
        self._audit = audit
        self._clock = clock
        self._identifiers = identifiers

    def open(self, username: str, password: str, origin: Origin) -> Opened:
        """Begin a session; both outcomes are audited, and neither the name that was typed nor the password is kept.

        A wrong name, a wrong password, a user without one and one who is disabled raise the same `Unauthenticated`,
        after the same work. Raises `RateLimited` for an attempt too many, which is not looked at.
        """
        attempt = self._throttle.admit(username, origin.address)
        user = self._people.user_named(username)
        right = verify_anybodys(password, "" if user is None else user.password_hash)
        if user is None or not right or user.disabled:
            self._note("login_refused", _NOBODY, user, origin)
            raise Unauthenticated("The username or the password is wrong")
        self._note("login", _principal(user), user, origin)
        self._throttle.succeeded(attempt)
        token, now = new_session_token(), int(self._clock.now())
        sign_in_id = self._identifiers.new("sgn_")
        session = SignedIn(sign_in_id, user.user_id, digest(token), user.epoch, now, now, session_end(now, now))
        self._sessions.create(session)
        return Opened(token, SESSION_SECONDS)

    def close(self, authorization: str | None) -> None:
        """End the session that the request came with; raises `Forbidden` for another credential."""
        token = bearer(authorization)
        if not looks_like_session_token(token):
            raise Forbidden("Only a session can be signed out; an API key is deleted instead")
        self._sessions.end(digest(token))

    def change_password(
        self, principal: Principal, authorization: str | None, old: str, new: str, *, address: str
    ) -> None:
        """Replace the principal's own password, and end every session but the one that the request came with.

        Raises `Forbidden` where the old one is wrong or there is none, `InvalidRequest` for a short new one, and
        `RateLimited` for an attempt too many.
        """
        attempt = self._throttle.admit(principal.username, address)
        user = self._people.user(principal.user_id)
        if user is None or not verify_anybodys(old, user.password_hash):
            raise Forbidden("The old password is wrong")
        changed = replace(user, password_hash=hash_new_password(new), version=user.version + 1, epoch=user.epoch + 1)
        token = bearer(authorization)
        also = [kept(digest(token), changed.epoch)] if looks_like_session_token(token) else []
        try:
            self._people.change(user, changed, also)
        except ConditionFailed as error:
            raise Conflict("The user is being changed by others", {"user_id": user.user_id}) from error
        self._throttle.succeeded(attempt)

    def _note(self, action: str, who: Principal, user: User | None, origin: Origin) -> None:
        about = None if user is None else user.user_id
        detail = {"address": origin.address}
        self._audit.record(who, action, origin.request_id, object_id=about, detail=detail)


def _principal(user: User) -> Principal:
    return Principal(user.user_id, user.username, user.role, frozenset())
