"""Rows of conversations and their turns, each under its owner."""

from contextlib import suppress
from typing import Any

from knowhub.catalog import keys
from knowhub.catalog.rows import from_item, plain, read_all, to_item
from knowhub.errors import ConditionFailed
from knowhub.model.session import Feedback, Session, Turn, TurnCitation
from knowhub.ports.table import Check, Delete, Exists, Item, Missing, Put, Query, Table, Update, Value

KEPT_TURNS = 10
"""Turns of a session that are kept: the last ones."""

_PAGE = 1000


class SessionRows:
    """Conversations over the table port; every read is consistent, and what has expired is as if it were gone."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def create(self, session: Session) -> None:
        """Write a new session."""
        self._table.write(Put(to_item(keys.session(session.owner, session.session_id), session), Missing()))

    def get(self, owner: str, session_id: str, now: float) -> Session | None:
        """Read one session of this owner."""
        if not 0 < len(session_id) <= keys.MAX_ID:
            return None
        item = self._table.get(keys.session(owner, session_id))
        found = None if item is None else from_item(Session, item)
        return found if found is not None and found.expires_at > now else None

    def of(self, owner: str, now: float) -> list[Session]:
        """List the owner's sessions, the one that was used last first."""
        items = read_all(self._table, Query(keys.sessions(owner), limit=_PAGE))
        found = [session for session in (from_item(Session, item) for item in items) if session.expires_at > now]
        return sorted(found, key=lambda session: (session.updated_at, session.session_id), reverse=True)

    def next_number(self, session: Session, now: str, expires_at: int, title: str) -> int | None:
        """Count a turn in, and give its number; None where the session is gone meanwhile."""
        values: dict[str, Value] = {"updated_at": now, "expires_at": expires_at, "title": title}
        key = keys.session(session.owner, session.session_id)
        try:
            row = self._table.write(Update(key, values=values, increments={"turns": 1}, condition=Exists()))
        except ConditionFailed:
            return None
        return int(str((row or {})["turns"]))

    def add(self, session: Session, turn: Turn) -> bool:
        """Write a turn and drop the one that is too old now; False where the session is gone meanwhile."""
        owner, session_id = session.owner, session.session_id
        operations: list[Any] = [
            Check(keys.session(owner, session_id), Exists()),
            Put(to_item(keys.turn(owner, session_id, turn.number), turn)),
        ]
        if turn.number > KEPT_TURNS:
            operations.append(Delete(keys.turn(owner, session_id, turn.number - KEPT_TURNS)))
        try:
            self._table.transact(operations)
        except ConditionFailed:
            return False
        return True

    def turns(self, session: Session, now: float) -> list[Turn]:
        """List the turns that are kept, the oldest first."""
        query = Query(keys.turns(session.owner, session.session_id), limit=_PAGE)
        found = [_turn(item) for item in read_all(self._table, query)]
        return [turn for turn in found if turn.expires_at > now][-KEPT_TURNS:]

    def rate(self, session: Session, turn: Turn, feedback: Feedback) -> bool:
        """Put somebody's opinion in the place of an earlier one; False where the turn is gone meanwhile."""
        key = keys.turn(session.owner, session.session_id, turn.number)
        with suppress(ConditionFailed):
            self._table.write(Update(key, values={"feedback": plain(feedback)}, condition=Exists()))
            return True
        return False

    def delete(self, session: Session) -> None:
        """Remove a session, then its turns: nothing leads to them once its row is gone."""
        owner, session_id = session.owner, session.session_id
        self._table.write(Delete(keys.session(owner, session_id)))
        for item in read_all(self._table, Query(keys.turns(owner, session_id), limit=_PAGE)):
            self._table.write(Delete(keys.turn(owner, session_id, int(str(item["number"])))))


def _turn(item: Item) -> Turn:
    citations: Any = item.get("citations") or ()
    chunk_ids: Any = item.get("chunk_ids") or ()
    feedback: Any = item.get("feedback")
    return from_item(
        Turn,
        item,
        citations=tuple(TurnCitation(**one) for one in citations),
        chunk_ids=tuple(chunk_ids),
        feedback=None if feedback is None else Feedback(**{"comment": None, **feedback}),
    )
