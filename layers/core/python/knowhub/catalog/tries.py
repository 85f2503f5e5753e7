"""Rows that count tries, and that remember from where somebody signed in."""

from knowhub.catalog import keys
from knowhub.ports.table import Delete, Put, Table, Update


class TryRows:
    """Counts over the table port; each is of one bucket in one stretch of time, and goes when that is over."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def count(self, bucket: str, window: int, expires_at: int) -> int:
        """Add a try and give the new count; of tries at the same moment each gets another number."""
        row = self._table.write(
            Update(keys.tries(bucket, window), values={"expires_at": expires_at}, increments={"tries": 1})
        )
        return int(str((row or {})["tries"]))

    def forget(self, bucket: str, window: int) -> None:
        """Begin a count anew."""
        self._table.write(Delete(keys.tries(bucket, window)))

    def known_until(self, user: str, place: str) -> int:
        """Give until when a place is known as one of the user's, in epoch seconds; 0 where it is not."""
        row = self._table.get(keys.known_place(user, place))
        return 0 if row is None else int(str(row["expires_at"]))

    def remember(self, user: str, place: str, expires_at: int) -> None:
        """Note a place as one of the user's."""
        key = keys.known_place(user, place)
        self._table.write(Put({"pk": key.pk, "sk": key.sk, "expires_at": expires_at}))
