"""Rows of requests that may be sent again: what they made, never what they said."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from knowhub.catalog import keys
from knowhub.catalog.rows import from_item, to_item
from knowhub.errors import ConditionFailed
from knowhub.ports.table import AnyOf, Condition, Delete, Equals, LessThan, Missing, Put, Table


@dataclass(frozen=True, slots=True)
class RepeatRow:
    """One request: the hash of its body, and the ids of what it made; none while it is at it.

    `until` is when the row stops holding others off, in epoch seconds: soon where nothing is made yet.
    """

    body: str
    until: int
    expires_at: int
    made: Mapping[str, object] = field(default_factory=dict)


class RepeatRows:
    """Requests that may be sent again, over the table port."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def get(self, digest: str) -> RepeatRow | None:
        """Read a request's row, an expired one too."""
        item = self._table.get(keys.repeated(digest))
        if item is None:
            return None
        made = item.get("made")
        return from_item(RepeatRow, item, made=made if isinstance(made, dict) else {})

    def begin(self, digest: str, row: RepeatRow, now: int) -> bool:
        """Note that a request is at it; False where another one is, or has made something that is still known."""
        free: Condition = AnyOf((Missing(), LessThan("until", now)))
        return self._put(digest, row, free)

    def done(self, digest: str, row: RepeatRow) -> None:
        """Note what a request has made; one that was overtaken leaves the other's note."""
        self._put(digest, row, AnyOf((Missing(), Equals("body", row.body))))

    def forget(self, digest: str) -> None:
        """Let the next request under this key begin anew."""
        self._table.write(Delete(keys.repeated(digest)))

    def _put(self, digest: str, row: RepeatRow, condition: Condition) -> bool:
        try:
            self._table.write(Put(to_item(keys.repeated(digest), row), condition))
        except ConditionFailed:
            return False
        return True
