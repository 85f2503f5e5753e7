"""The queue port over SQLite: durable work that many processes of one machine share.

Everything that changes a queue is one immediate transaction, so two receivers never claim one message. What waits is
found by wall-clock time: no process has to be alive for a time-out to pass.
"""

import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import uuid4

from knowhub.ports.clock import Clock
from knowhub.ports.queue import DEDUPLICATION_SECONDS, RETENTION_SECONDS, Message, OutgoingMessage, QueueDepth
from knowhub.ports.queue_rules import check_outgoing, check_receive, check_visibility
from knowhub.stores.sqlite.connection import Connections
from knowhub.stores.sqlite.queue_rows import NewRow, WaitingRow, deliver, forget_empty_group, insert, take_turn
from knowhub.stores.sqlite.queue_schema import QUEUE_SCHEMA

_POLL_SECONDS = 0.05


class SqliteQueue:
    """One named queue in a file that may hold many; safe for any number of threads and processes.

    The arguments describe the queue and must be the same wherever it is opened: `dead_letters` names the queue (in the
    same file) that a message moves to on the receive after its `max_receives`-th. A message is kept for
    `RETENTION_SECONDS`; one that is older goes when a receive comes upon it, and counts until then.
    """

    def __init__(
        self,
        path: str | Path,
        name: str,
        *,
        clock: Clock,
        fifo: bool = False,
        dead_letters: str | None = None,
        max_receives: int | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if (dead_letters is None) != (max_receives is None):
            raise ValueError("dead_letters and max_receives are given together or not at all")
        if dead_letters == name or (max_receives is not None and max_receives < 1):
            raise ValueError("dead letters go to another queue, after at least one receive")
        self._connections = Connections(path, QUEUE_SCHEMA)
        self._name = name
        self._clock = clock
        self._fifo = fifo
        self._dead_letters = dead_letters
        self._max_receives = max_receives
        self._sleep = sleep

    def send(self, messages: Sequence[OutgoingMessage]) -> None:
        """Send all of the messages in one transaction, or none."""
        check_outgoing(messages, fifo=self._fifo)
        if messages:
            self._connections.write(lambda connection: self._store(connection, messages))

    def receive(self, *, limit: int = 1, visibility_seconds: int = 30, wait_seconds: float = 0) -> list[Message]:
        """Take up to `limit` messages, one of each waiting group in turn, looking again every 50 ms while it waits."""
        check_receive(limit=limit, visibility_seconds=visibility_seconds, wait_seconds=wait_seconds)
        waited = 0.0
        while True:
            # A look without the writers' lock: idle pollers must not slow down those who work.
            messages = self._claim(limit, visibility_seconds) if self._connections.read(self._something_waits) else []
            if messages or waited >= wait_seconds:
                return messages
            pause = min(_POLL_SECONDS, wait_seconds - waited)
            self._sleep(pause)
            waited += pause

    def delete(self, receipts: Sequence[str]) -> None:
        """Settle the deliveries in one transaction."""
        if receipts:
            self._connections.write(lambda connection: self._settle(connection, receipts))

    def change_visibility(self, receipt: str, seconds: int) -> None:
        """Hide a message that is in flight until `seconds` from now; 0 releases it."""
        check_visibility(seconds)

        def change(connection: sqlite3.Connection) -> None:
            now = self._clock.now()
            connection.execute(
                "UPDATE queue_messages SET visible_at = ? WHERE queue = ? AND receipt = ? AND visible_at > ?",
                (now + seconds, self._name, receipt, now),
            )

        self._connections.write(change)

    def depth(self) -> QueueDepth:
        """Count exactly, as of one moment."""
        now = self._clock.now()
        query = """
            SELECT (SELECT count(*) FROM queue_messages WHERE queue = :queue AND visible_at <= :now),
                   (SELECT count(*) FROM queue_messages WHERE queue = :queue AND visible_at > :now),
                   (SELECT count(*) FROM queue_messages
                    WHERE queue = :queue AND visible_at > :now AND receipt IS NOT NULL)
        """
        arguments = {"queue": self._name, "now": now}
        visible, hidden, in_flight = self._connections.read(lambda each: each.execute(query, arguments).fetchone())
        return QueueDepth(visible=visible, in_flight=in_flight, delayed=hidden - in_flight)

    def oldest_age(self) -> float:
        """Give the seconds since the send of the message that has been longest in this queue; 0 where it is empty."""
        query = """
            SELECT min((SELECT sent_at FROM queue_messages AS message
                        WHERE message.queue = turn.queue AND message.grp = turn.grp ORDER BY seq LIMIT 1))
            FROM queue_groups AS turn WHERE queue = ?
        """
        oldest = self._connections.read(lambda each: each.execute(query, (self._name,)).fetchone()[0])
        return 0.0 if oldest is None else max(0.0, self._clock.now() - oldest)

    def release_in_flight(self) -> int:
        """Make everything in flight visible at once and its receipts stale; returns how many messages that were.

        For a host that starts and knows that no receiver has outlived the previous one. Receives stay counted, so that
        work which kills its process still ends among the dead letters.
        """

        def release(connection: sqlite3.Connection) -> int:
            now = self._clock.now()
            changed = connection.execute(
                "UPDATE queue_messages SET visible_at = ?, receipt = NULL"
                " WHERE queue = ? AND receipt IS NOT NULL AND visible_at > ?",
                (now, self._name, now),
            )
            return changed.rowcount

        return self._connections.write(release)

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        self._connections.close()

    def _store(self, connection: sqlite3.Connection, messages: Sequence[OutgoingMessage]) -> None:
        now = self._clock.now()
        if self._fifo:
            connection.execute("DELETE FROM queue_seen WHERE queue = ? AND expires_at <= ?", (self._name, now))
        for message in messages:
            if message.deduplication_id is not None and self._has_seen(connection, message.deduplication_id, now):
                continue
            # A FIFO message is never hidden by the clock, so that a clock set back can't change a group's order.
            visible_at = 0.0 if self._fifo else now + message.delay_seconds
            insert(connection, self._name, NewRow(message.group or "", str(uuid4()), message.body, now, visible_at, 0))

    def _has_seen(self, connection: sqlite3.Connection, deduplication_id: str, now: float) -> bool:
        added = connection.execute(
            "INSERT OR IGNORE INTO queue_seen (queue, deduplication_id, expires_at) VALUES (?, ?, ?)",
            (self._name, deduplication_id, now + DEDUPLICATION_SECONDS),
        )
        return added.rowcount == 0

    def _something_waits(self, connection: sqlite3.Connection) -> bool:
        return self._next_group(connection, self._clock.now()) is not None

    def _claim(self, limit: int, visibility_seconds: int) -> list[Message]:
        def claim(connection: sqlite3.Connection) -> list[Message]:
            now = self._clock.now()
            taken: list[Message] = []
            while len(taken) < limit and (group := self._next_group(connection, now)) is not None:
                for row in self._next_of(connection, group, now, limit - len(taken)):
                    if row.sent_at <= now - RETENTION_SECONDS:
                        self._remove(connection, row)
                    elif self._max_receives is not None and row.receives >= self._max_receives:
                        self._bury(connection, row, now)
                    else:
                        taken.append(deliver(connection, row, now + visibility_seconds))
                take_turn(connection, self._name, group)
            return taken

        return self._connections.write(claim)

    def _next_group(self, connection: sqlite3.Connection, now: float) -> str | None:
        locked = """
            AND NOT EXISTS (SELECT 1 FROM queue_messages AS message
                            WHERE message.queue = turn.queue AND message.grp = turn.grp
                              AND message.receipt IS NOT NULL AND message.visible_at > :now)
        """
        query = f"""
            SELECT grp FROM queue_groups AS turn
            WHERE queue = :queue
              AND EXISTS (SELECT 1 FROM queue_messages AS message
                          WHERE message.queue = turn.queue AND message.grp = turn.grp AND message.visible_at <= :now)
              {locked if self._fifo else ""}
            ORDER BY served, grp LIMIT 1
        """  # noqa: S608  the inserted part is the literal above
        row = connection.execute(query, {"queue": self._name, "now": now}).fetchone()
        return None if row is None else row[0]

    def _next_of(self, connection: sqlite3.Connection, group: str, now: float, room: int) -> list[WaitingRow]:
        """Find what a group delivers in its turn: one message, or of a FIFO group as many as there is room."""
        columns = "SELECT seq, grp, message_id, body, sent_at, receives FROM queue_messages"
        if self._fifo:
            rows = connection.execute(
                f"{columns} WHERE queue = ? AND grp = ? ORDER BY seq LIMIT ?", (self._name, group, room)
            )
        else:
            rows = connection.execute(
                f"{columns} WHERE queue = ? AND grp = ? AND visible_at <= ? ORDER BY visible_at, seq LIMIT 1",
                (self._name, group, now),
            )
        return [WaitingRow(*row) for row in rows]

    def _bury(self, connection: sqlite3.Connection, row: WaitingRow, now: float) -> None:
        self._remove(connection, row)
        new = NewRow(row.grp, row.message_id, row.body, row.sent_at, 0.0 if self._fifo else now, row.receives)
        insert(connection, str(self._dead_letters), new)

    def _remove(self, connection: sqlite3.Connection, row: WaitingRow) -> None:
        connection.execute("DELETE FROM queue_messages WHERE seq = ?", (row.seq,))
        forget_empty_group(connection, self._name, row.grp)

    def _settle(self, connection: sqlite3.Connection, receipts: Sequence[str]) -> None:
        # The group's lock is open once a FIFO delivery has timed out: who was late must not settle what others may get.
        since = self._clock.now() if self._fifo else -1.0
        query = "DELETE FROM queue_messages WHERE queue = ? AND receipt = ? AND visible_at > ? RETURNING grp"
        for receipt in receipts:
            for (group,) in connection.execute(query, (self._name, receipt, since)).fetchall():
                forget_empty_group(connection, self._name, group)
