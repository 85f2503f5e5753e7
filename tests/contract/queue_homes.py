"""Where the queue suites get their queues from: one bench a home, each with its own clock that a test moves."""

import itertools
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import boto3
import moto.sqs.models
from moto import mock_aws

from knowhub.ports.queue import Message, Queue
from knowhub.stores.sqlite.queue import SqliteQueue
from knowhub.stores.sqs.queue import SqsQueue

if TYPE_CHECKING:
    from mypy_boto3_sqs.client import SQSClient
    from mypy_boto3_sqs.literals import QueueAttributeNameType

START = 1_800_000_000.0
MAX_RECEIVES = 2


class SetClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: float = START) -> None:
        self.time = now

    def now(self) -> float:
        return self.time

    def advance(self, seconds: float) -> None:
        self.time += seconds


@dataclass(frozen=True, slots=True)
class Bench:
    """A queue, the queue of its dead letters (after two receives), and the clock that both go by."""

    queue: Queue
    dead: Queue
    clock: SetClock


@contextmanager
def sqlite_bench(folder: Path, *, fifo: bool, clock: SetClock) -> Iterator[Bench]:
    """Two queues in one new file."""
    path = folder / "queues.sqlite"
    queue = SqliteQueue(path, "work", clock=clock, fifo=fifo, dead_letters="dead", max_receives=MAX_RECEIVES)
    dead = SqliteQueue(path, "dead", clock=clock, fifo=fifo)
    try:
        yield Bench(queue, dead, clock)
    finally:
        queue.close()
        dead.close()


@contextmanager
def sqs_client() -> Iterator["SQSClient"]:
    """Start the service within this process, empty, and give a client of it."""
    with mock_aws():
        client = boto3.client(
            "sqs", region_name="eu-central-1", aws_access_key_id="testing", aws_secret_access_key="testing"
        )
        try:
            yield client
        finally:
            client.close()


@contextmanager
def moto_time(clock: SetClock) -> Iterator[None]:
    """Let moto's queues go by our clock, which they can't be handed as an argument.

    Every reading is a little later than the one before: moto shows a message only after its time, not at it.
    """
    later = itertools.count(1)
    with ExitStack() as stack:
        for name, scale in (("unix_time", 1.0), ("unix_time_millis", 1000.0)):
            reading = lambda scale=scale: (clock.now() + next(later) * 1e-6) * scale  # noqa: E731  one line, used here
            stack.enter_context(patch.object(moto.sqs.models, name, reading))
        yield


def sqs_bench(client: "SQSClient", name: str, *, fifo: bool, clock: SetClock) -> Bench:
    """Two new queues of the service, linked by a redrive policy."""
    kind: dict[QueueAttributeNameType, str] = {"FifoQueue": "true"} if fifo else {}
    ending = ".fifo" if fifo else ""
    dead = client.create_queue(QueueName=f"{name}-dead{ending}", Attributes=kind)["QueueUrl"]
    arn = client.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    redrive = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": MAX_RECEIVES})
    url = client.create_queue(QueueName=f"{name}{ending}", Attributes={**kind, "RedrivePolicy": redrive})["QueueUrl"]
    return Bench(SqsQueue(client, url), SqsQueue(client, dead), clock)


def drain(queue: Queue, *, visibility_seconds: int = 30) -> list[Message]:
    """Receive until nothing comes."""
    taken: list[Message] = []
    while batch := queue.receive(limit=10, visibility_seconds=visibility_seconds):
        taken.extend(batch)
    return taken
