"""What the embedded queue promises beyond the port."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from knowhub.ports.queue import RETENTION_SECONDS, OutgoingMessage, QueueDepth
from knowhub.stores.sqlite.queue import SqliteQueue
from tests.contract.queue_homes import SetClock, drain


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def opened(tmp_path: Path, clock: SetClock) -> Iterator[Callable[..., SqliteQueue]]:
    queues: list[SqliteQueue] = []

    def make(name: str = "work", **options: object) -> SqliteQueue:
        queue = SqliteQueue(tmp_path / "queues.sqlite", name, clock=clock, **options)  # type: ignore[arg-type]  # as given
        queues.append(queue)
        return queue

    yield make
    for queue in queues:
        queue.close()


Open = Callable[..., SqliteQueue]


def send(queue: SqliteQueue, *bodies: str, group: str | None = None) -> None:
    queue.send([OutgoingMessage(body, group=group) for body in bodies])


def bodies_of(queue: SqliteQueue, limit: int = 10) -> list[str]:
    return [message.body for message in queue.receive(limit=limit)]


def test_a_stale_receipt_settles_nothing(opened: Open, clock: SetClock) -> None:
    queue = opened()
    send(queue, "a")
    (first,) = queue.receive(visibility_seconds=10)
    clock.advance(10)
    (second,) = queue.receive(visibility_seconds=10)
    queue.delete([first.receipt])
    queue.change_visibility(first.receipt, 0)
    assert queue.depth() == QueueDepth(visible=0, in_flight=1, delayed=0)
    queue.delete([second.receipt])
    assert queue.depth() == QueueDepth(0, 0, 0)


def test_a_receipt_of_another_queue_settles_nothing(opened: Open) -> None:
    queue, other = opened(), opened("other")
    send(queue, "a")
    (message,) = queue.receive()
    other.delete([message.receipt])
    other.change_visibility(message.receipt, 0)
    assert queue.depth().in_flight == 1


def test_a_late_fifo_receipt_settles_nothing(opened: Open, clock: SetClock) -> None:
    queue = opened(fifo=True)
    send(queue, "a", group="g")
    (message,) = queue.receive(visibility_seconds=10)
    clock.advance(10)
    queue.delete([message.receipt])
    assert bodies_of(queue) == ["a"]


def test_a_timed_out_message_is_not_hidden_again(opened: Open, clock: SetClock) -> None:
    queue = opened()
    send(queue, "a")
    (message,) = queue.receive(visibility_seconds=10)
    clock.advance(10)
    queue.change_visibility(message.receipt, 60)
    assert queue.depth().visible == 1


def test_what_is_in_the_file_outlives_its_queue_object(opened: Open) -> None:
    first = opened()
    send(first, "a", "b", group="g")
    first.receive(limit=1)
    first.close()
    second = opened()
    assert second.depth() == QueueDepth(visible=1, in_flight=1, delayed=0)


def test_queues_of_one_file_are_apart(opened: Open) -> None:
    send(opened("one"), "a")
    assert opened("two").receive() == []
    assert opened("two").depth() == QueueDepth(0, 0, 0)


def test_a_large_group_does_not_hold_up_the_others(opened: Open) -> None:
    queue = opened()
    send(queue, *(f"import {number}" for number in range(200)), group="large")
    send(queue, "small", group="small")
    send(queue, "groupless")
    assert {"small", "groupless"} < set(bodies_of(queue, limit=3))


def test_groups_take_turns_over_several_receives(opened: Open) -> None:
    queue = opened()
    for group in "abc":
        send(queue, *(f"{group}{number}" for number in range(3)), group=group)
    order = [bodies_of(queue, limit=1)[0] for _ in range(9)]
    assert [sorted(body[0] for body in order[start : start + 3]) for start in (0, 3, 6)] == [["a", "b", "c"]] * 3


def test_ever_new_groups_do_not_starve_an_old_one(opened: Open) -> None:
    queue = opened()
    send(queue, "old 1", "old 2", "old 3", group="old")
    seen = []
    for number in range(12):
        send(queue, f"new {number}", group=f"new-{number}")
        seen += bodies_of(queue, limit=1)
    assert "old 1" in seen


def test_a_message_that_comes_back_waits_behind_those_that_waited_longer(opened: Open, clock: SetClock) -> None:
    queue = opened()
    send(queue, "first", "second", group="g")
    queue.receive(limit=1, visibility_seconds=10)
    clock.advance(10)
    assert bodies_of(queue) == ["second", "first"]


def test_deduplication_outlives_the_message(opened: Open, clock: SetClock) -> None:
    queue = opened(fifo=True)
    message = OutgoingMessage("a", group="g", deduplication_id="1")
    queue.send([message])
    queue.delete([each.receipt for each in queue.receive()])
    clock.advance(299)
    queue.send([message])
    assert queue.receive() == []
    clock.advance(1)
    queue.send([message])
    assert bodies_of(queue) == ["a"]


def test_a_fifo_batch_that_times_out_comes_again_in_order(opened: Open, clock: SetClock) -> None:
    queue = opened(fifo=True)
    send(queue, "1", "2", "3", group="g")
    queue.receive(limit=2, visibility_seconds=10)
    clock.advance(10)
    assert bodies_of(queue) == ["1", "2", "3"]


def test_a_clock_set_back_does_not_change_a_groups_order(opened: Open, clock: SetClock) -> None:
    queue = opened(fifo=True)
    send(queue, "1", group="g")
    clock.advance(-3600)
    send(queue, "2", group="g")
    assert bodies_of(queue) == ["1", "2"]


def test_releasing_what_is_in_flight_makes_its_receipts_stale(opened: Open) -> None:
    queue = opened()
    send(queue, "a", "b", "c")
    queue.send([OutgoingMessage("later", delay_seconds=60)])
    taken = queue.receive(limit=2, visibility_seconds=600)
    assert queue.release_in_flight() == 2
    queue.delete([message.receipt for message in taken])
    assert queue.depth() == QueueDepth(visible=3, in_flight=0, delayed=1)
    assert sorted((message.body, message.receive_count) for message in drain(queue)) == [("a", 2), ("b", 2), ("c", 1)]


def test_work_that_kills_its_host_ends_among_the_dead_letters(opened: Open) -> None:
    queue, dead = opened(dead_letters="dead", max_receives=2), opened("dead")
    send(queue, "poison")
    for _ in range(2):
        assert bodies_of(queue) == ["poison"]
        queue.release_in_flight()
    assert queue.receive() == []
    assert bodies_of(dead) == ["poison"]


def test_without_dead_letters_a_message_comes_back_for_ever(opened: Open) -> None:
    queue = opened()
    send(queue, "a")
    for count in range(1, 20):
        (message,) = queue.receive()
        assert message.receive_count == count
        queue.change_visibility(message.receipt, 0)


def test_a_message_is_dropped_after_fourteen_days(opened: Open, clock: SetClock) -> None:
    queue, dead = opened(dead_letters="dead", max_receives=1), opened("dead")
    send(queue, "old", "dead")
    clock.advance(RETENTION_SECONDS - 1)
    assert sorted(bodies_of(queue)) == ["dead", "old"]
    send(queue, "new")
    queue.release_in_flight()
    clock.advance(1)
    assert bodies_of(queue) == ["new"]
    assert dead.receive(limit=10) == []
    assert queue.depth() == QueueDepth(visible=0, in_flight=1, delayed=0)


def test_the_oldest_age_is_that_of_the_first_message_left(opened: Open, clock: SetClock) -> None:
    queue = opened()
    assert queue.oldest_age() == 0
    send(queue, "a", group="one")
    clock.advance(40)
    send(queue, "b", group="two")
    clock.advance(2)
    assert queue.oldest_age() == 42
    queue.delete([message.receipt for message in queue.receive(limit=10) if message.body == "a"])
    assert queue.oldest_age() == 2


def test_a_waiting_receive_takes_what_arrives_meanwhile(opened: Open) -> None:
    sender = opened()
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            send(sender, "late")

    assert [message.body for message in opened(sleep=sleep).receive(wait_seconds=20)] == ["late"]
    assert len(pauses) == 3


def test_a_waiting_receive_gives_up_after_its_time(opened: Open) -> None:
    pauses: list[float] = []
    assert opened(sleep=pauses.append).receive(wait_seconds=1.01) == []
    assert sum(pauses) == pytest.approx(1.01)
    assert max(pauses) <= 0.1


def test_a_receive_that_need_not_wait_does_not(opened: Open) -> None:
    pauses: list[float] = []
    queue = opened(sleep=pauses.append)
    send(queue, "a")
    assert len(queue.receive(wait_seconds=20)) == 1
    assert pauses == []


@pytest.mark.parametrize(
    "options",
    [
        {"dead_letters": "dead"},
        {"max_receives": 3},
        {"dead_letters": "work", "max_receives": 3},
        {"dead_letters": "dead", "max_receives": 0},
    ],
    ids=repr,
)
def test_a_redrive_that_can_not_work_is_refused(opened: Open, options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="dead"):
        opened(**options)
