"""Rows of sessions: what a person gets for a password, found by the hash of its token."""

from contextlib import suppress
from dataclasses import dataclass

from knowhub.catalog import keys
from knowhub.catalog.rows import from_item, to_item
from knowhub.errors import ConditionFailed
from knowhub.ports.table import AllOf, Delete, Equals, Exists, Missing, Put, Table, Update


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A session as it is kept; `started`, `seen` and `expires_at` are epoch seconds.

    It holds while the user's `epoch` is this one. The row goes some time after `expires_at`.
    """

    sign_in_id: str
    user_id: str
    digest: str
    epoch: int
    started: int
    seen: int
    expires_at: int


class SignInRows:
    """Sessions over the table port; every read is consistent."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def create(self, session: SignedIn) -> None:
        """Write a new session."""
        self._table.write(Put(to_item(keys.sign_in(session.digest), session), Missing()))

    def with_digest(self, digest: str) -> SignedIn | None:
        """Read a session by its token's hash, an expired one too."""
        item = self._table.get(keys.sign_in(digest))
        return None if item is None else from_item(SignedIn, item)

    def slide(self, session: SignedIn, seen: int, expires_at: int) -> None:
        """Note that a session was used, and until when it holds then; one that has ended meanwhile stays so."""
        same = AllOf((Exists(), Equals("seen", session.seen)))
        values = {"seen": seen, "expires_at": expires_at}
        with suppress(ConditionFailed):
            self._table.write(Update(keys.sign_in(session.digest), values=values, condition=same))

    def end(self, digest: str) -> bool:
        """Remove a session; False where there is none."""
        try:
            self._table.write(Delete(keys.sign_in(digest), Exists()))
        except ConditionFailed:
            return False
        return True


def kept(digest: str, epoch: int) -> Update:
    """Build the operation that takes a session along into the user's next epoch."""
    return Update(keys.sign_in(digest), values={"epoch": epoch}, condition=Exists())
