"""What every queue promises: the port's text as tests, run on each home."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from knowhub.errors import InvalidRequest, PayloadTooLarge
from knowhub.ports.queue import MAX_BODY_BYTES, OutgoingMessage, Queue, QueueDepth
from tests.contract.queue_homes import START, Bench, SetClock, drain, moto_time, sqlite_bench, sqs_bench, sqs_client

if TYPE_CHECKING:
    from mypy_boto3_sqs.client import SQSClient

HOMES = ("sqlite", "sqs")


@pytest.fixture(scope="module")
def service() -> Iterator["SQSClient"]:
    with sqs_client() as client:
        yield client


@contextmanager
def bench(request: pytest.FixtureRequest, folder: Path, *, fifo: bool) -> Iterator[Bench]:
    clock = SetClock()
    if request.param == "sqlite":
        with sqlite_bench(folder, fifo=fifo, clock=clock) as made:
            yield made
    else:
        client = request.getfixturevalue("service")
        with moto_time(clock):
            yield sqs_bench(client, uuid4().hex, fifo=fifo, clock=clock)


@pytest.fixture(params=HOMES)
def standard(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with bench(request, tmp_path, fifo=False) as made:
        yield made


@pytest.fixture(params=HOMES)
def fifo(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with bench(request, tmp_path, fifo=True) as made:
        yield made


def send(queue: Queue, *bodies: str, group: str | None = None, delay: int = 0) -> None:
    queue.send([OutgoingMessage(body, group=group, delay_seconds=delay) for body in bodies])


def bodies_of(queue: Queue, *, limit: int = 10) -> list[str]:
    return [message.body for message in queue.receive(limit=limit)]


class TestDelivery:
    def test_a_message_arrives_as_it_was_sent(self, standard: Bench) -> None:
        send(standard.queue, 'tab\tline\nquote" 汉字 😀', group="kb_1")
        (message,) = standard.queue.receive()
        assert message.body == 'tab\tline\nquote" 汉字 😀'
        assert (message.group, message.receive_count) == ("kb_1", 1)
        assert message.sent_at == pytest.approx(START, abs=0.01)

    def test_a_message_without_a_group_has_none(self, standard: Bench) -> None:
        send(standard.queue, "a")
        assert [message.group for message in standard.queue.receive()] == [None]

    def test_an_empty_queue_gives_nothing(self, standard: Bench) -> None:
        assert standard.queue.receive(limit=10) == []

    def test_sending_and_settling_nothing_is_allowed(self, standard: Bench) -> None:
        standard.queue.send([])
        standard.queue.delete([])
        assert standard.queue.depth() == QueueDepth(0, 0, 0)

    def test_more_than_one_call_of_the_service_may_hold_all_arrive(self, standard: Bench) -> None:
        bodies = [f"message {number}" for number in range(25)]
        send(standard.queue, *bodies)
        assert sorted(message.body for message in drain(standard.queue)) == sorted(bodies)

    def test_a_receive_takes_no_more_than_its_limit(self, standard: Bench) -> None:
        send(standard.queue, "a", "b", "c")
        assert len(standard.queue.receive(limit=2)) == 2
        assert len(standard.queue.receive(limit=10)) == 1

    def test_a_delayed_message_waits_for_its_time(self, standard: Bench) -> None:
        send(standard.queue, "later", delay=60)
        standard.clock.advance(59)
        assert bodies_of(standard.queue) == []
        standard.clock.advance(1)
        assert bodies_of(standard.queue) == ["later"]

    def test_depth_tells_waiting_from_taken_and_delayed(self, standard: Bench) -> None:
        send(standard.queue, "a", "b", "c")
        send(standard.queue, "later", delay=60)
        standard.queue.receive(limit=1)
        assert standard.queue.depth() == QueueDepth(visible=2, in_flight=1, delayed=1)


class TestVisibility:
    def test_a_received_message_is_hidden_until_its_time_out(self, standard: Bench) -> None:
        send(standard.queue, "a")
        (first,) = standard.queue.receive(visibility_seconds=30)
        standard.clock.advance(29)
        assert standard.queue.receive() == []
        standard.clock.advance(1)
        (second,) = standard.queue.receive()
        assert (second.message_id, second.body, second.receive_count) == (first.message_id, "a", 2)
        assert second.receipt != first.receipt

    def test_a_deleted_message_does_not_come_back(self, standard: Bench) -> None:
        send(standard.queue, "a")
        standard.queue.delete([message.receipt for message in standard.queue.receive()])
        standard.clock.advance(60)
        assert standard.queue.receive() == []
        assert standard.queue.depth() == QueueDepth(0, 0, 0)

    def test_many_deliveries_are_settled_at_once(self, standard: Bench) -> None:
        send(standard.queue, *(str(number) for number in range(23)))
        receipts = [message.receipt for message in drain(standard.queue)]
        standard.queue.delete([*receipts, receipts[0]])
        assert standard.queue.depth() == QueueDepth(0, 0, 0)

    def test_a_released_message_is_there_at_once(self, standard: Bench) -> None:
        send(standard.queue, "a")
        (message,) = standard.queue.receive()
        standard.queue.change_visibility(message.receipt, 0)
        assert bodies_of(standard.queue) == ["a"]

    def test_an_extended_time_out_counts_from_now(self, standard: Bench) -> None:
        send(standard.queue, "a")
        (message,) = standard.queue.receive(visibility_seconds=30)
        standard.clock.advance(20)
        standard.queue.change_visibility(message.receipt, 30)
        standard.clock.advance(29)
        assert standard.queue.receive() == []
        standard.clock.advance(1)
        assert bodies_of(standard.queue) == ["a"]

    def test_receipts_that_settle_nothing_are_no_error(self, standard: Bench) -> None:
        send(standard.queue, "a", "b")
        (message,) = standard.queue.receive()
        standard.queue.delete([message.receipt])
        standard.queue.delete([message.receipt, "no receipt of ours"])
        standard.queue.change_visibility(message.receipt, 0)
        standard.queue.change_visibility("no receipt of ours", 10)
        assert standard.queue.depth() == QueueDepth(visible=1, in_flight=0, delayed=0)


class TestDeadLetters:
    def test_a_message_moves_on_the_receive_that_is_one_too_many(self, standard: Bench) -> None:
        send(standard.queue, "poison", group="kb_1")
        ids = []
        for _ in range(2):
            (message,) = standard.queue.receive(visibility_seconds=30)
            ids.append(message.message_id)
            standard.clock.advance(30)
        assert standard.dead.depth().visible == 0
        assert standard.queue.receive() == []
        (dead,) = standard.dead.receive()
        assert (dead.body, dead.group) == ("poison", "kb_1")
        assert {*ids, dead.message_id} == {dead.message_id}
        assert standard.queue.depth() == QueueDepth(0, 0, 0)

    def test_the_rest_is_delivered_by_the_receive_that_buries(self, standard: Bench) -> None:
        send(standard.queue, "poison")
        for _ in range(2):
            standard.queue.change_visibility(standard.queue.receive()[0].receipt, 0)
        send(standard.queue, "good")
        assert bodies_of(standard.queue) == ["good"]
        assert bodies_of(standard.dead) == ["poison"]


class TestLimits:
    def test_the_largest_body_passes(self, standard: Bench) -> None:
        body = "ß" * (MAX_BODY_BYTES // 2)
        send(standard.queue, body)
        assert bodies_of(standard.queue) == [body]

    def test_a_longer_body_is_refused_and_nothing_is_sent(self, standard: Bench) -> None:
        with pytest.raises(PayloadTooLarge) as refusal:
            send(standard.queue, "fine", "ß" * (MAX_BODY_BYTES // 2) + "s")
        assert refusal.value.detail["limit"] == MAX_BODY_BYTES
        assert standard.queue.depth() == QueueDepth(0, 0, 0)

    def test_a_send_may_be_larger_than_any_single_message(self, standard: Bench) -> None:
        bodies = [letter * 700_000 for letter in "abc"]
        send(standard.queue, *bodies)
        assert sorted(message.body for message in drain(standard.queue)) == bodies

    @pytest.mark.parametrize(
        "message",
        [
            OutgoingMessage(""),
            OutgoingMessage("bell \x07"),
            OutgoingMessage("half a pair \ud800"),
            OutgoingMessage("a", group=""),
            OutgoingMessage("a", group="two words"),
            OutgoingMessage("a", group="g" * 129),
            OutgoingMessage("a", delay_seconds=901),
            OutgoingMessage("a", delay_seconds=-1),
            OutgoingMessage("a", deduplication_id="1"),
        ],
        ids=repr,
    )
    def test_what_a_standard_queue_can_not_take_is_refused(self, standard: Bench, message: OutgoingMessage) -> None:
        with pytest.raises(InvalidRequest):
            standard.queue.send([OutgoingMessage("fine"), message])
        assert standard.queue.depth() == QueueDepth(0, 0, 0)

    @pytest.mark.parametrize(
        "arguments",
        [{"limit": 0}, {"limit": 11}, {"visibility_seconds": 0}, {"visibility_seconds": 43_201}, {"wait_seconds": 21}],
        ids=repr,
    )
    def test_a_receive_out_of_range_is_refused(self, standard: Bench, arguments: dict[str, int]) -> None:
        with pytest.raises(InvalidRequest):
            standard.queue.receive(**arguments)

    @pytest.mark.parametrize("seconds", [-1, 43_201])
    def test_a_change_of_visibility_out_of_range_is_refused(self, standard: Bench, seconds: int) -> None:
        with pytest.raises(InvalidRequest):
            standard.queue.change_visibility("any", seconds)


class TestFifo:
    def test_a_group_is_delivered_in_order(self, fifo: Bench) -> None:
        send(fifo.queue, *(f"{number:02}" for number in range(14)), group="a")
        taken: list[str] = []
        while batch := fifo.queue.receive(limit=4):
            taken += [message.body for message in batch]
            fifo.queue.delete([message.receipt for message in batch])
        assert taken == [f"{number:02}" for number in range(14)]

    def test_a_group_is_locked_while_any_of_its_batch_is_in_flight(self, fifo: Bench) -> None:
        send(fifo.queue, "1", "2", "3", group="a")
        first, second = fifo.queue.receive(limit=2)
        assert fifo.queue.receive(limit=10) == []
        fifo.queue.delete([first.receipt])
        assert fifo.queue.receive(limit=10) == []
        fifo.queue.delete([second.receipt])
        assert bodies_of(fifo.queue) == ["3"]

    def test_a_locked_group_holds_up_no_other(self, fifo: Bench) -> None:
        send(fifo.queue, "a1", "a2", group="a")
        fifo.queue.receive(limit=1)
        send(fifo.queue, "b1", group="b")
        (message,) = fifo.queue.receive(limit=10)
        assert (message.body, message.group) == ("b1", "b")

    def test_released_messages_come_again_in_order(self, fifo: Bench) -> None:
        send(fifo.queue, "1", "2", "3", group="a")
        for message in reversed(fifo.queue.receive(limit=2)):
            fifo.queue.change_visibility(message.receipt, 0)
        assert bodies_of(fifo.queue) == ["1", "2", "3"]

    def test_a_message_that_times_out_comes_before_its_followers(self, fifo: Bench) -> None:
        send(fifo.queue, "1", "2", group="a")
        fifo.queue.receive(limit=1, visibility_seconds=30)
        fifo.clock.advance(30)
        assert bodies_of(fifo.queue) == ["1", "2"]

    def test_a_duplicate_within_five_minutes_is_dropped(self, fifo: Bench) -> None:
        fifo.queue.send([OutgoingMessage("first", group="a", deduplication_id="run-7")])
        fifo.clock.advance(299)
        fifo.queue.send(
            [
                OutgoingMessage("again", group="b", deduplication_id="run-7"),
                OutgoingMessage("other", group="b", deduplication_id="run-8"),
                OutgoingMessage("other again", group="b", deduplication_id="run-8"),
            ]
        )
        assert sorted(bodies_of(fifo.queue)) == ["first", "other"]

    def test_a_duplicate_after_five_minutes_is_delivered(self, fifo: Bench) -> None:
        fifo.queue.send([OutgoingMessage("first", group="a", deduplication_id="run-7")])
        fifo.clock.advance(300)
        fifo.queue.send([OutgoingMessage("again", group="a", deduplication_id="run-7")])
        assert bodies_of(fifo.queue) == ["first", "again"]

    def test_equal_bodies_without_an_id_are_no_duplicates(self, fifo: Bench) -> None:
        send(fifo.queue, "same", "same", group="a")
        assert bodies_of(fifo.queue) == ["same", "same"]

    def test_dead_letters_free_their_group(self, fifo: Bench) -> None:
        send(fifo.queue, "poison", "next", group="a")
        for _ in range(2):
            fifo.queue.change_visibility(fifo.queue.receive(limit=1)[0].receipt, 0)
        assert bodies_of(fifo.queue) == ["next"]
        (dead,) = fifo.dead.receive(limit=10)
        assert (dead.body, dead.group) == ("poison", "a")

    @pytest.mark.parametrize(
        "message",
        [
            OutgoingMessage("a"),
            OutgoingMessage("a", group="g", delay_seconds=1),
            OutgoingMessage("a", group="g", deduplication_id=""),
        ],
        ids=repr,
    )
    def test_what_a_fifo_queue_can_not_take_is_refused(self, fifo: Bench, message: OutgoingMessage) -> None:
        with pytest.raises(InvalidRequest):
            fifo.queue.send([OutgoingMessage("fine", group="g"), message])
        assert fifo.queue.depth() == QueueDepth(0, 0, 0)
