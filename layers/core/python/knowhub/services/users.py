"""Users as administrators manage them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from knowhub.access.credentials import administers
from knowhub.auth.passwords import hash_new_password
from knowhub.catalog.api_keys import ApiKeyRows
from knowhub.catalog.people import PeopleRows
from knowhub.errors import ConditionFailed, Conflict, Forbidden, NotFound
from knowhub.model.principal import Principal, UserRole
from knowhub.model.user import User
from knowhub.services.identity import Identity, IdentityRows
from knowhub.services.leaving import Leaving

_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class ChangedUser:
    """What is to be different; None leaves a member as it is. A new password ends the user's sessions."""

    role: UserRole | None = None
    disabled: bool | None = None
    password: str | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """A user's place in the list of all, by time, and its id."""

    place: str
    user_id: str


class Users:
    """The use-cases of user management; all raise `Forbidden` to whoever does not administer the hub."""

    def __init__(self, rows: IdentityRows, identity: Identity, leaving: Leaving) -> None:
        """Keep the collaborators."""
        self._people: PeopleRows = rows.people
        self._keys: ApiKeyRows = rows.keys
        self._identity = identity
        self._leaving = leaving

    def list(self, principal: Principal) -> Sequence[Listed]:
        """List every user, the oldest first."""
        _require(principal)
        return [Listed(place, user_id) for place, user_id in self._people.directory()]

    def shown(self, principal: Principal, listed: Sequence[Listed]) -> Sequence[User]:
        """Read listed users; those who have gone meanwhile are left out."""
        _require(principal)
        return self._people.users(one.user_id for one in listed)

    def get(self, principal: Principal, user_id: str) -> User:
        """Show a user; raises `NotFound`."""
        _require(principal)
        user = self._people.user(user_id)
        if user is None:
            raise NotFound("USER", {"user_id": user_id})
        return user

    def create(self, principal: Principal, username: str, password: str, role: UserRole) -> User:
        """Make a user; raises `Conflict` for a taken name, `InvalidRequest` for a short password."""
        _require(principal)
        return self._identity.create_user(username, password, role)

    def change(self, principal: Principal, user_id: str, wanted: ChangedUser, expected: int | None) -> User:
        """Change a user; `expected` is the version that the caller has seen.

        Raises `Conflict` where the user has another version, where no administrator would be left, and for what an
        OpenID issuer decides. A user who is disabled is refused from the next request on, with every credential.
        """
        for _ in range(_ATTEMPTS):
            user = self.get(principal, user_id)
            if expected not in (None, user.version):
                raise Conflict("The user was changed since you read it", {"user_id": user_id})
            new = _changed(user, wanted)
            try:
                self._people.change(user, new)
            except ConditionFailed:
                continue
            return new
        raise Conflict("The user is being changed by others", {"user_id": user_id})

    def remove(self, principal: Principal, user_id: str) -> None:
        """Remove a user: sessions and keys end with the next request, then memberships, keys and the user go.

        Raises `Conflict` while the user is the last owner of a KB, naming how many, and for the last administrator.
        Done again it goes on where it was broken off; until then the user is disabled.
        """
        user = self.get(principal, user_id)
        self._refuse_last_owner(user)
        closed = self.change(principal, user_id, ChangedUser(disabled=True), None)
        try:
            self._leaving.leave_all(user_id)
        except Conflict:
            # It has become a last owner at this moment, and stays as it was.
            self.change(principal, user_id, ChangedUser(disabled=user.disabled), None)
            raise
        for key in self._keys.of(user_id):
            self._keys.delete(user_id, key.key_id)
        try:
            self._people.delete(closed)
        except ConditionFailed as error:
            raise Conflict("The user is being changed by others", {"user_id": user_id}) from error

    def _refuse_last_owner(self, user: User) -> None:
        owned = self._leaving.owned_alone(user.user_id)
        if owned:
            raise Conflict(
                f"The user is the last owner of {owned} knowledge bases: give or delete them first",
                {"user_id": user.user_id, "owned_kbs": owned},
            )


def _require(principal: Principal) -> None:
    if not administers(principal):
        raise Forbidden("Only administrators manage users")


def _changed(user: User, wanted: ChangedUser) -> User:
    if user.issuer and (wanted.role is not None or wanted.password is not None):
        raise Conflict("Role and password of this user are kept by its issuer", {"user_id": user.user_id})
    new = replace(user, version=user.version + 1)
    if wanted.role is not None:
        new = replace(new, role=wanted.role)
    if wanted.disabled is not None:
        new = replace(new, disabled=wanted.disabled)
        # Who is let in again signs in again.
        new = replace(new, epoch=new.epoch + 1) if wanted.disabled and not user.disabled else new
    if wanted.password is not None:
        new = replace(new, password_hash=hash_new_password(wanted.password), epoch=new.epoch + 1)
    return new
