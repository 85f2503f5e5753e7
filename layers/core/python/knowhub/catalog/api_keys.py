"""Rows of API keys, found by the hash of the secret, and by their public id among their user's."""

from contextlib import suppress

from knowhub.catalog import keys
from knowhub.catalog.rows import from_item, read_all, to_item
from knowhub.errors import ConditionFailed
from knowhub.model.api_key import ApiKey
from knowhub.ports.table import AllOf, AnyOf, Delete, Exists, Item, LessThan, Missing, Put, Query, Table, Update


class ApiKeyRows:
    """API keys over the table port; every read is consistent."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def create(self, key: ApiKey) -> None:
        """Write a new key."""
        place = keys.user_api_key(key.user_id, key.key_id)
        self._table.transact(
            [
                Put(to_item(keys.api_key(key.digest), key), Missing()),
                Put({"pk": place.pk, "sk": place.sk, "digest": key.digest}, Missing()),
            ]
        )

    def with_digest(self, digest: str) -> ApiKey | None:
        """Read a key by its secret's hash, an expired one too."""
        item = self._table.get(keys.api_key(digest))
        return None if item is None else _key(item)

    def of(self, user_id: str) -> list[ApiKey]:
        """List a user's keys, the oldest first."""
        found = read_all(self._table, Query(keys.user(user_id).pk, prefix=keys.API_KEY_PREFIX, limit=1000))
        rows = self._table.get_many([keys.api_key(str(item["digest"])) for item in found])
        return sorted(map(_key, rows.values()), key=lambda key: (key.created_at, key.key_id))

    def delete(self, user_id: str, key_id: str) -> bool:
        """Remove a user's key; False where the user has none of this id."""
        if not 0 < len(key_id) <= keys.MAX_ID:
            return False
        place = keys.user_api_key(user_id, key_id)
        item = self._table.get(place)
        if item is None:
            return False
        self._table.transact([Delete(keys.api_key(str(item["digest"]))), Delete(place)])
        return True

    def used(self, key: ApiKey, hour: str) -> None:
        """Note the hour of a use, once an hour; a key that is gone stays gone."""
        earlier = AnyOf((Missing("last_used"), LessThan("last_used", hour)))
        with suppress(ConditionFailed):
            self._table.write(
                Update(keys.api_key(key.digest), values={"last_used": hour}, condition=AllOf((Exists(), earlier)))
            )


def _key(item: Item) -> ApiKey:
    kb_ids, scopes = item.get("kb_ids"), item["scopes"]
    return from_item(
        ApiKey,
        item,
        scopes=tuple(scopes) if isinstance(scopes, list) else (),
        kb_ids=tuple(kb_ids) if isinstance(kb_ids, list) else None,
    )
