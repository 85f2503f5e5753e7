"""The embedded queue and the service's do the same, step by step, under random operations.

Compared is what both promise: on a standard queue which messages come (as a set) and how often they came, on a FIFO
queue the order within each group, on both the depths and the dead letters. Left out is where moto is not the service:
it settles stale receipts, forgets a deduplication id with its message, and after two deliveries of one FIFO group have
timed out it gives the second one first.
"""

import tempfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import hypothesis.strategies as st
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from knowhub.ports.queue import DEDUPLICATION_SECONDS, Message, OutgoingMessage, Queue
from tests.contract.queue_homes import Bench, SetClock, drain, moto_time, sqlite_bench, sqs_bench, sqs_client

if TYPE_CHECKING:
    from mypy_boto3_sqs.client import SQSClient

SETTINGS = settings(
    max_examples=15,
    stateful_step_count=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    # A step asks the service: to shrink a failure would outlast the test's time-out, and its steps are few as they are.
    phases=[Phase.generate],
)
GROUPS = st.sampled_from(["a", "b", "c"])
PICK = st.integers(min_value=0, max_value=99)


@dataclass(slots=True)
class Held:
    """One delivery that neither home has seen settled: its receipt in each, and when it times out."""

    receipts: tuple[str, str]
    group: str | None
    until: float


class TwoHomes(RuleBasedStateMachine):
    """Both homes and the deliveries that are in flight in both."""

    def __init__(self, client: "SQSClient", *, fifo: bool) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.clock = SetClock()
        folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.stack.enter_context(moto_time(self.clock))
        embedded = self.stack.enter_context(sqlite_bench(folder, fifo=fifo, clock=self.clock))
        self.homes: tuple[Bench, Bench] = (embedded, sqs_bench(client, uuid4().hex, fifo=fifo, clock=self.clock))
        self.held: dict[str, Held] = {}
        self.sent = 0

    def send_to_both(self, **members: object) -> str:
        body = f"message {self.sent}"
        self.sent += 1
        for home in self.homes:
            home.queue.send([OutgoingMessage(body, **members)])  # type: ignore[arg-type]  # the rules' own members
        return body

    def hold(self, embedded: Queue, service: Queue, limit: int, seconds: int) -> list[str]:
        """Receive from both, check that the same came, and keep both receipts of each delivery."""
        ours, theirs = ({each.body: each for each in self.take(queue, limit, seconds)} for queue in (embedded, service))
        assert {body: (each.group, each.receive_count) for body, each in ours.items()} == {
            body: (each.group, each.receive_count) for body, each in theirs.items()
        }
        for body, message in ours.items():
            receipts = (message.receipt, theirs[body].receipt)
            self.held[body] = Held(receipts, message.group, self.clock.now() + seconds)
        return list(ours)

    def take(self, queue: Queue, limit: int, seconds: int) -> list[Message]:
        raise NotImplementedError

    def in_flight(self) -> list[str]:
        return sorted(body for body, held in self.held.items() if held.until > self.clock.now())

    def settle(self, body: str) -> None:
        for home, receipt in zip(self.homes, self.held.pop(body).receipts, strict=True):
            home.queue.delete([receipt])

    def change(self, body: str, seconds: int) -> None:
        held = self.held[body]
        held.until = self.clock.now() + seconds
        for home, receipt in zip(self.homes, held.receipts, strict=True):
            home.queue.change_visibility(receipt, seconds)

    @precondition(lambda self: self.in_flight())
    @rule(pick=PICK)
    def delete_one(self, pick: int) -> None:
        bodies = self.in_flight()
        self.settle(bodies[pick % len(bodies)])

    @precondition(lambda self: self.in_flight())
    @rule(pick=PICK, seconds=st.sampled_from([0, 0, 5, 60]))
    def hide_one(self, pick: int, seconds: int) -> None:
        bodies = self.in_flight()
        self.change(bodies[pick % len(bodies)], seconds)

    @invariant()
    def depths_agree(self) -> None:
        embedded, service = self.homes
        assert embedded.queue.depth() == service.queue.depth()

    def bury(self) -> list[str]:
        """Take the dead letters away, which are the same in both."""
        buried = []
        for home in self.homes:
            messages = drain(home.dead)
            home.dead.delete([each.receipt for each in messages])
            buried.append(sorted((each.body, str(each.group)) for each in messages))
        assert buried[0] == buried[1]
        return [body for body, _ in buried[0]]

    def teardown(self) -> None:
        try:
            self.bury()
        finally:
            self.stack.close()


class StandardHomes(TwoHomes):
    """Standard queues: whatever waits is received at once, so that the choice among it does not matter."""

    def take(self, queue: Queue, limit: int, seconds: int) -> list[Message]:
        del limit
        return drain(queue, visibility_seconds=seconds)

    @rule(group=st.none() | GROUPS, delay=st.sampled_from([0, 0, 7]))
    def send_one(self, group: str | None, delay: int) -> None:
        self.send_to_both(group=group, delay_seconds=delay)

    @rule(seconds=st.sampled_from([1, 10, 30]))
    def receive_all(self, seconds: int) -> None:
        embedded, service = self.homes
        self.hold(embedded.queue, service.queue, 10, seconds)

    @rule(seconds=st.sampled_from([1, 3, 10, 40]))
    def let_time_pass(self, seconds: int) -> None:
        self.clock.advance(seconds)


class FifoHomes(TwoHomes):
    """FIFO queues that hold at most ten messages, so that one receive takes whatever is deliverable."""

    def __init__(self, client: "SQSClient") -> None:
        super().__init__(client, fifo=True)
        self.waiting: dict[str, str] = {}
        self.seen: dict[str, tuple[float, str]] = {}

    def take(self, queue: Queue, limit: int, seconds: int) -> list[Message]:
        return queue.receive(limit=limit, visibility_seconds=seconds)

    def settle(self, body: str) -> None:
        super().settle(body)
        self.waiting.pop(body)

    @precondition(lambda self: len(self.waiting) < 10)
    @rule(group=GROUPS)
    def send_one(self, group: str) -> None:
        self.waiting[self.send_to_both(group=group)] = group

    @precondition(lambda self: len(self.waiting) < 10)
    @rule(group=GROUPS, name=st.sampled_from(["x", "y"]))
    def send_with_id(self, group: str, name: str) -> None:
        accepted_at, first = self.seen.get(name, (-1e9, ""))
        known = self.clock.now() < accepted_at + DEDUPLICATION_SECONDS
        if known and first not in self.waiting:
            return
        body = self.send_to_both(group=group, deduplication_id=name)
        if not known:
            self.seen[name] = (self.clock.now(), body)
            self.waiting[body] = group

    @rule(limit=st.integers(min_value=1, max_value=10), seconds=st.sampled_from([5, 30]))
    def receive_some(self, limit: int, seconds: int) -> None:
        embedded, service = self.homes
        # Which group comes first is nobody's promise; with one group a limit cuts at the same place.
        limit = limit if len(set(self.waiting.values())) <= 1 else 10
        taken = self.hold(embedded.queue, service.queue, limit, seconds)
        for body in self.bury():
            self.waiting.pop(body)
        by_group: dict[str | None, list[int]] = {}
        for body in taken:
            by_group.setdefault(self.held[body].group, []).append(int(body.split()[1]))
        assert all(numbers == sorted(numbers) for numbers in by_group.values())

    @precondition(
        lambda self: max(Counter(self.held[each].group for each in self.in_flight()).values(), default=0) <= 1
    )
    @rule(seconds=st.sampled_from([1, 5, 30, 150]))
    def let_time_pass(self, seconds: int) -> None:
        self.clock.advance(seconds)


def test_standard_queues_agree() -> None:
    with sqs_client() as client:
        make = lambda: StandardHomes(client, fifo=False)  # noqa: E731  one line, used here
        run_state_machine_as_test(make, settings=SETTINGS)  # type: ignore[arg-type]  # it takes any factory


def test_fifo_queues_agree() -> None:
    with sqs_client() as client:
        make = lambda: FifoHomes(client)  # noqa: E731  one line, used here
        run_state_machine_as_test(make, settings=SETTINGS)  # type: ignore[arg-type]  # it takes any factory
