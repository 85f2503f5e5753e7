"""Rows of users: who they are, the names they sign in with, and who of them keeps the hub administered."""

from collections.abc import Iterable, Sequence

from knowhub.catalog import keys
from knowhub.catalog.rows import from_item, read_all, to_item
from knowhub.errors import ConditionFailed, Conflict
from knowhub.model.user import User
from knowhub.ports.table import (
    AllOf,
    AnyOf,
    Check,
    Condition,
    Delete,
    Equals,
    Exists,
    Key,
    Missing,
    Operation,
    Put,
    Query,
    Table,
    Update,
)

_CHANGEABLE = ("role", "password_hash", "disabled", "version", "epoch")


class PeopleRows:
    """Users over the table port; every read is consistent."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def create_user(self, user: User, also: Sequence[Operation] = ()) -> None:
        """Write a new user, and `also` what belongs to it, all or none.

        Raises `ConditionFailed` where a condition of `also` does not hold, else `Conflict` where the username is taken.
        """
        operations: list[Operation] = [
            _put(keys.username(user.username), user.user_id, Missing()),
            Put(to_item(keys.user(user.user_id), user), Missing()),
            _put(keys.directory_entry(user.created_at, user.user_id), user.user_id),
        ]
        if user.administers:
            operations.append(_put(keys.administrator(user.user_id), user.user_id))
        if user.issuer:
            operations.append(_put(keys.issued_user(user.issuer, user.subject), user.user_id, Missing()))
        try:
            self._table.transact([*operations, *also])
        except ConditionFailed as error:
            if error.detail.get("operations") != [0]:
                raise
            raise Conflict("This username is taken", {"username": user.username}) from error

    def user(self, user_id: str) -> User | None:
        """Read a user."""
        item = self._table.get(keys.user(user_id)) if 0 < len(user_id) <= keys.MAX_ID else None
        return None if item is None else from_item(User, item)

    def user_named(self, username: str) -> User | None:
        """Read a user by name, without regard to case."""
        item = self._table.get(keys.username(username))
        # A name that nobody has costs as many reads as any other, so that its answer takes no less time.
        return self.user("nobody" if item is None else str(item["user_id"]))

    def issued(self, issuer: str, subject: str) -> User | None:
        """Read the user that an issuer knows by this subject."""
        item = self._table.get(keys.issued_user(issuer, subject))
        return None if item is None else self.user(str(item["user_id"]))

    def directory(self) -> list[tuple[str, str]]:
        """List every user's place in the order of time, and id."""
        items = read_all(self._table, Query(keys.DIRECTORY, limit=1000))
        return [(str(item["sk"]), str(item["user_id"])) for item in items]

    def users(self, user_ids: Iterable[str]) -> list[User]:
        """Read users in the given order; those who are gone are left out."""
        wanted = [keys.user(user_id) for user_id in user_ids]
        rows = self._table.get_many(wanted)
        return [from_item(User, rows[key]) for key in wanted if key in rows]

    def change(self, old: User, new: User, also: Sequence[Operation] = ()) -> None:
        """Replace what is said of a user, and `also` do what belongs to it, all or none.

        Raises `ConditionFailed` where the user was changed since `old` was read, and `Conflict` where nobody would be
        left to administer the hub.
        """
        values = {name: getattr(new, name) for name in _CHANGEABLE}
        update = Update(keys.user(old.user_id), values=values, condition=_unchanged(old))
        self._table.transact([update, *self._administrators(old, new), *also])

    def delete(self, user: User) -> None:
        """Remove a user; raises as `change` does."""
        operations: list[Operation] = [
            Delete(keys.user(user.user_id), _unchanged(user)),
            Delete(keys.username(user.username)),
            Delete(keys.directory_entry(user.created_at, user.user_id)),
            *self._administrators(user, None),
        ]
        if user.issuer:
            operations.append(Delete(keys.issued_user(user.issuer, user.subject)))
        self._table.transact(operations)

    def _administrators(self, old: User, new: User | None) -> list[Operation]:
        """Keep the list of admins, in which somebody stays: of two who go at once, one finds the other gone."""
        was, stays = old.administers, new is not None and new.administers
        place = keys.administrator(old.user_id)
        if was == stays:
            return []
        if stays:
            return [_put(place, old.user_id)]
        listed = self._table.query(Query(keys.ADMINISTRATORS, limit=2)).items
        others = [str(item["user_id"]) for item in listed if item["user_id"] != old.user_id]
        if not others:
            raise Conflict("The hub keeps at least one administrator", {"user_id": old.user_id})
        return [Delete(place), Check(keys.administrator(others[0]), Exists())]


def _put(key: Key, user_id: str, condition: Condition | None = None) -> Put:
    return Put({"pk": key.pk, "sk": key.sk, "user_id": user_id}, condition)


def _unchanged(user: User) -> Condition:
    same = Equals("version", user.version)
    # The first rows of users had no version; there is no row without a username.
    return same if user.version > 1 else AnyOf((same, AllOf((Exists("username"), Missing("version")))))
