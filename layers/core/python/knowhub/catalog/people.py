"""Rows of users and API keys."""

from dataclasses import dataclass

from knowhub.catalog import keys
from knowhub.catalog.rows import from_item, to_item
from knowhub.errors import ConditionFailed, Conflict
from knowhub.model.principal import Scope, UserRole
from knowhub.ports.table import Exists, Missing, Put, Table, Update


@dataclass(frozen=True, slots=True)
class User:
    """A person who can sign in; `password_hash` is empty where only API keys are used."""

    user_id: str
    username: str
    role: UserRole
    password_hash: str
    created_at: str
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A credential as it is kept: the secret's hash, never the secret; `expires` is in epoch seconds, 0 for never."""

    key_id: str
    user_id: str
    name: str
    digest: str
    prefix: str
    scopes: tuple[Scope, ...]
    created_at: str
    kb_ids: tuple[int, ...] | None = None
    expires: float = 0
    revoked: bool = False


class PeopleRows:
    """Users and their keys over the table port; every read is consistent."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def create_user(self, user: User) -> None:
        """Write a new user; raises `Conflict` where the username is taken, without regard to case."""
        name = keys.username(user.username)
        try:
            self._table.transact(
                [
                    Put({"pk": name.pk, "sk": name.sk, "user_id": user.user_id}, Missing()),
                    Put(to_item(keys.user(user.user_id), user), Missing()),
                ]
            )
        except ConditionFailed as error:
            raise Conflict("This username is taken", {"username": user.username}) from error

    def user(self, user_id: str) -> User | None:
        """Read a user."""
        item = self._table.get(keys.user(user_id))
        return None if item is None else from_item(User, item)

    def user_named(self, username: str) -> User | None:
        """Read a user by name, without regard to case."""
        item = self._table.get(keys.username(username))
        return None if item is None else self.user(str(item["user_id"]))

    def set_password(self, user_id: str, password_hash: str) -> None:
        """Replace a user's password hash; raises `ConditionFailed` where there is no such user."""
        self._table.write(Update(keys.user(user_id), values={"password_hash": password_hash}, condition=Exists()))

    def create_key(self, key: ApiKey) -> None:
        """Write a new API key."""
        self._table.write(
            Put(
                to_item(
                    keys.api_key(key.digest),
                    key,
                    list_pk=keys.user_keys(key.user_id),
                    list_sk=f"{key.created_at}#{key.key_id}",
                ),
                Missing(),
            )
        )

    def key(self, digest: str) -> ApiKey | None:
        """Read an API key by its secret's hash, a revoked or expired one too."""
        item = self._table.get(keys.api_key(digest))
        if item is None:
            return None
        kb_ids = item.get("kb_ids")
        scopes = item["scopes"]
        return from_item(
            ApiKey,
            item,
            scopes=tuple(scopes) if isinstance(scopes, list) else (),
            kb_ids=tuple(kb_ids) if isinstance(kb_ids, list) else None,
        )
