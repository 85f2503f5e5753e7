"""How a send is cut into calls that Amazon SQS takes."""

from collections.abc import Iterator, Sequence

from knowhub.ports.queue import OutgoingMessage

MAX_ENTRIES = 10
"""Entries of one batch call."""

MAX_BATCH_BYTES = 1_048_576
"""Of all bodies of one batch call."""


def batches(messages: Sequence[OutgoingMessage], *, one_of_a_group: bool) -> Iterator[list[OutgoingMessage]]:
    """Cut the messages, in order, into batches within the service's limits.

    `one_of_a_group` is for FIFO queues: entries of a batch fail one by one, and one that is sent again must not end up
    behind a later message of its group. It costs a call for each message where all are of one group.
    """
    batch: list[OutgoingMessage] = []
    size = 0
    groups: set[str | None] = set()
    for message in messages:
        length = len(message.body.encode())
        crowded = len(batch) == MAX_ENTRIES or size + length > MAX_BATCH_BYTES
        if batch and (crowded or (one_of_a_group and message.group in groups)):
            yield batch
            batch, size, groups = [], 0, set()
        batch.append(message)
        size += length
        groups.add(message.group)
    if batch:
        yield batch
