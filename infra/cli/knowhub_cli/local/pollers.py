"""Queues to functions: batches, partial failures, retries that come back sooner than on AWS."""

import asyncio
import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Protocol, TypeVar

from knowhub.errors import KnowhubError
from knowhub.ports.queue import MAX_BATCH, Message, Queue
from knowhub_cli.local.blueprint import QueueSource, QueueSpec
from knowhub_cli.local.failures import FunctionBroken, FunctionError, WorkerLost
from knowhub_cli.local.invocation import BufferedReply
from knowhub_cli.local.payloads import json_bytes, sqs_event
from knowhub_cli.local.pools import Pool

_LONGEST_BACKOFF: Final = 60
_AFTER_TROUBLE: Final = 2.0

T = TypeVar("T")


class HostQueue(Queue, Protocol):
    """A queue whose only consumer is this host."""

    def release_in_flight(self) -> int:
        """Make every message visible that a host before this one had taken."""

    def close(self) -> None:
        """Let go of what is open."""


def backoff(receive_count: int) -> int:
    """Give the seconds until a failed message is tried again: 1, 2, 4, ... up to 60.

    On AWS it comes back after the queue's visibility time-out, which is sized for hundreds of workers and not for
    somebody who waits at the same machine.
    """
    return min(1 << min(receive_count - 1, 6), _LONGEST_BACKOFF)


class Poller:
    """Feeds one function from one queue. `run` never ends by itself; cancelling it releases what is in flight."""

    def __init__(
        self,
        source: QueueSource,
        spec: QueueSpec,
        queue: HostQueue,
        pool: Pool,
        *,
        report: Callable[[str], None],
        idle_seconds: float = 0.1,
        retry_seconds: Callable[[int], int] = backoff,
    ) -> None:
        self._source = source
        self._spec = spec
        self._queue = queue
        self._pool = pool
        self._report = report
        self._idle_seconds = idle_seconds
        self._retry_seconds = retry_seconds
        self._draining = asyncio.Event()
        self._ended = asyncio.Event()

    async def run(self) -> None:
        """Keep as many batches under way as the pool has workers, or the template allows."""
        lanes = min(self._pool.limit, self._source.concurrency or self._pool.limit)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(lanes):
                    group.create_task(self._lane())
        finally:
            self._ended.set()

    def drain(self) -> None:
        """Take no more batches; `run` ends when those under way are settled."""
        self._draining.set()

    async def drained(self) -> None:
        """Wait until `run` has ended."""
        await self._ended.wait()

    async def _lane(self) -> None:
        while not self._draining.is_set():
            try:
                if not await self._one_batch():
                    await self._pause(self._idle_seconds)
            except KnowhubError as error:
                self._report(f"{self._spec.name}: {error}")
                await self._pause(_AFTER_TROUBLE)

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._draining.wait()
        except TimeoutError:
            return

    async def _one_batch(self) -> bool:
        # A function that can't start must not use up the receives of messages that wait for it.
        if not await self._ready():
            return True
        messages = await self._receive()
        if not messages:
            return False
        try:
            failed = await self._failed(messages)
        except (asyncio.CancelledError, WorkerLost, FunctionBroken) as end:
            await self._release(messages, lambda _: 0)
            if isinstance(end, asyncio.CancelledError):
                raise
            self._report(f"{self._spec.name}: {end}; its {len(messages)} message(s) are back in the queue")
            return True
        done = [message.receipt for message in messages if message.message_id not in failed]
        await _in_thread(partial(self._queue.delete, done))
        await self._release([message for message in messages if message.message_id in failed], self._retry_seconds)
        return True

    async def _ready(self) -> bool:
        usable = asyncio.ensure_future(self._pool.usable())
        draining = asyncio.ensure_future(self._draining.wait())
        try:
            await asyncio.wait({usable, draining}, return_when=asyncio.FIRST_COMPLETED)
            return not self._draining.is_set()
        finally:
            for each in (usable, draining):
                each.cancel()
            await asyncio.gather(usable, draining, return_exceptions=True)

    async def _receive(self) -> list[Message]:
        """Take what is there, up to the batch size: nobody on a laptop wants to wait for a batch to fill."""
        messages: list[Message] = []
        while (room := self._source.batch_size - len(messages)) > 0:
            limit = min(room, MAX_BATCH)
            hidden = self._spec.visibility_seconds
            more = await _in_thread(partial(self._queue.receive, limit=limit, visibility_seconds=hidden))
            messages += more
            if len(more) < limit:
                break
        return messages

    async def _failed(self, messages: Sequence[Message]) -> set[str]:
        """Have the batch handled; gives the ids of the messages that come back."""
        everything = {message.message_id for message in messages}
        try:
            reply = await self._pool.invoke(json_bytes(sqs_event(self._spec.name, messages)))
        except (WorkerLost, FunctionBroken):
            raise
        except FunctionError as error:
            self._report(f"{self._spec.name}: {error}")
            return everything
        if not isinstance(reply, BufferedReply):
            reply.body.abandon()
            self._report(f"{self._spec.name}: {self._pool.name} streams its answer to a batch")
            return everything
        return reported_failures(reply.body, everything) if self._source.partial else set()

    async def _release(self, messages: Sequence[Message], seconds: Callable[[int], int]) -> None:
        """Let messages come back; of a FIFO group all at once, so that none overtakes another."""
        longest = max((seconds(message.receive_count) for message in messages), default=0)
        for message in messages:
            delay = longest if self._spec.fifo else seconds(message.receive_count)
            await _in_thread(partial(self._queue.change_visibility, message.receipt, delay))


def reported_failures(answer: bytes, everything: set[str]) -> set[str]:
    """Read `batchItemFailures`; as on AWS, a wrong shape or an unknown message id fails the whole batch."""
    try:
        returned: Any = json.loads(answer)
    except ValueError:
        return everything
    if returned is None:
        return set()
    if not isinstance(returned, dict):
        return everything
    failures = returned.get("batchItemFailures") or []
    if not isinstance(failures, list) or not all(isinstance(each, dict) for each in failures):
        return everything
    named = {str(each.get("itemIdentifier")) for each in failures}
    return named if named.issubset(everything) else everything


async def _in_thread(action: Callable[[], T]) -> T:
    """Run a call of a store; one that has begun is waited for even when the caller is cancelled."""
    task = asyncio.ensure_future(asyncio.to_thread(action))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.gather(task, return_exceptions=True)
        raise
