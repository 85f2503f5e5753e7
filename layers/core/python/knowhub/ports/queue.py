"""The queue port: work that is delivered at least once.

A message that was received is hidden for its visibility time-out and comes back unless it is deleted, so a consumer
must bear a second delivery. On the receive that would be one more than the queue's `max_receives` the message moves to
the dead-letter queue instead, with its body, group and id.

A *standard* queue promises no order. Groups are for fairness there: a group with much work does not hold up the others
(round robin in the embedded store; as far as fair queues go on AWS). `deduplication_id` is refused.

A *FIFO* queue delivers each group in the order of its sends. While a message of a group is in flight, no other of that
group is delivered; one `receive` may take several of a group at once. A message whose `deduplication_id` the queue has
accepted within the last 5 minutes is dropped silently, whichever group it names and whether or not the first one was
deleted since. `group` is required and delays are refused.

A message that nobody has settled is dropped some time after its send, dead letters too: at most `RETENTION_SECONDS`.

Every method raises `Retryable` (`Unavailable` in most cases) where the store does not answer, `InvalidRequest` for an
argument out of its range, and `Internal` where the queue does not exist.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

MAX_BODY_BYTES = 1_000_000
"""Of one message's body in UTF-8; the service's own limit is 1 MiB. One `send` may carry more in total."""

MAX_BATCH = 10
"""Messages in one `receive`."""

MAX_DELAY_SECONDS = 900
"""Longest delay of a first delivery."""

MAX_VISIBILITY_SECONDS = 43_200
"""Longest time-out (12 hours); on AWS it also bounds the sum of all extensions of one delivery."""

MAX_WAIT_SECONDS = 20
"""Longest wait of one `receive`."""

RETENTION_SECONDS = 1_209_600
"""The longest that a message is kept: 14 days, the service's own limit; `template.yaml` says less for some queues."""

DEDUPLICATION_SECONDS = 300
"""How long a FIFO queue remembers a `deduplication_id`, counted from the send that it accepted."""


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """One piece of work.

    `body` is 1 to `MAX_BODY_BYTES` bytes of UTF-8 without control characters other than tab, line feed and carriage
    return. `group` and `deduplication_id` are 1 to 128 printable ASCII characters without spaces.
    """

    body: str
    group: str | None = None
    deduplication_id: str | None = None
    delay_seconds: int = 0


@dataclass(frozen=True, slots=True)
class Message:
    """One delivery: `receipt` settles just this delivery, `receive_count` counts deliveries from 1.

    `message_id` stays over redeliveries and in the dead-letter queue; `sent_at` is in epoch seconds.
    """

    message_id: str
    receipt: str
    body: str
    receive_count: int
    group: str | None
    sent_at: float


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """How many messages wait, are being worked on, and are delayed; approximate on AWS.

    A message that waits behind its FIFO group's lock counts as visible.
    """

    visible: int
    in_flight: int
    delayed: int


class Queue(Protocol):
    """Durable work: what `send` has returned survives a kill of every process."""

    def send(self, messages: Sequence[OutgoingMessage]) -> None:
        """Send any number of messages, of any total size.

        All are checked before the first is sent; on a later error some may have been sent, on a FIFO queue never one
        without the earlier ones of its group. Raises `PayloadTooLarge` for a body over `MAX_BODY_BYTES`.
        """

    def receive(self, *, limit: int = 1, visibility_seconds: int = 30, wait_seconds: float = 0) -> list[Message]:
        """Take up to `limit` (1 to `MAX_BATCH`) messages, waiting up to `wait_seconds` for the first.

        Fewer than `limit` says nothing about what else waits. `visibility_seconds` is 1 to `MAX_VISIBILITY_SECONDS`;
        AWS rounds `wait_seconds` up to whole seconds.
        """

    def delete(self, receipts: Sequence[str]) -> None:
        """Settle deliveries for good; a receipt of an earlier delivery, or of a message that is gone, is no error.

        After its time-out a receipt can't be relied on: it settles nothing once the message was delivered again (AWS
        may still take it on a standard queue), and nothing at all on a FIFO queue.
        """

    def change_visibility(self, receipt: str, seconds: int) -> None:
        """Hide a message that is in flight for so long from now (0 releases it); a stale receipt is no error."""

    def depth(self) -> QueueDepth:
        """Count the queue's messages."""
