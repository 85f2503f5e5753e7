"""The single steps that the embedded queue's transactions are made of."""

import sqlite3
from typing import NamedTuple
from uuid import uuid4

from knowhub.ports.queue import Message


class NewRow(NamedTuple):
    """A message on its way into a queue; `receives` is above 0 only for one that comes from another queue."""

    grp: str
    message_id: str
    body: str
    sent_at: float
    visible_at: float
    receives: int


class WaitingRow(NamedTuple):
    """A message that may be delivered now."""

    seq: int
    grp: str
    message_id: str
    body: str
    sent_at: float
    receives: int


def insert(connection: sqlite3.Connection, queue: str, row: NewRow) -> None:
    """Append the message to the queue, and its group to the round if it is new there."""
    connection.execute(
        "INSERT INTO queue_messages (queue, grp, message_id, body, sent_at, visible_at, receives)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (queue, *row),
    )
    # A new group comes last in the round, so that ever new groups can't starve an old one.
    connection.execute(
        "INSERT OR IGNORE INTO queue_groups (queue, grp, served)"
        " VALUES (?, ?, (SELECT coalesce(max(served), 0) FROM queue_groups WHERE queue = ?))",
        (queue, row.grp, queue),
    )


def deliver(connection: sqlite3.Connection, row: WaitingRow, visible_at: float) -> Message:
    """Hide the message until then under a new receipt, which makes all earlier ones stale."""
    receipt = uuid4().hex
    connection.execute(
        "UPDATE queue_messages SET receipt = ?, receives = receives + 1, visible_at = ? WHERE seq = ?",
        (receipt, visible_at, row.seq),
    )
    return Message(
        message_id=row.message_id,
        receipt=receipt,
        body=row.body,
        receive_count=row.receives + 1,
        group=row.grp or None,
        sent_at=row.sent_at,
    )


def take_turn(connection: sqlite3.Connection, queue: str, group: str) -> None:
    """Put the group at the end of the queue's round."""
    connection.execute(
        "UPDATE queue_groups SET served = 1 + (SELECT max(served) FROM queue_groups WHERE queue = ?)"
        " WHERE queue = ? AND grp = ?",
        (queue, queue, group),
    )


def forget_empty_group(connection: sqlite3.Connection, queue: str, group: str) -> None:
    """Take the group out of the round once it has no message left."""
    connection.execute(
        "DELETE FROM queue_groups WHERE queue = ? AND grp = ?"
        " AND NOT EXISTS (SELECT 1 FROM queue_messages WHERE queue = ? AND grp = ?)",
        (queue, group, queue, group),
    )
