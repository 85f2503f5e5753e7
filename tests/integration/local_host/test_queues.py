"""Queues, uploads and ticks: what a function gets without being asked over HTTP."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from knowhub_cli.local.pollers import backoff, reported_failures
from tests.integration.local_host.hosting import Running, until


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("queues")
    with Running(folder / "state", folder / "scratch") as running:
        yield running


@pytest.fixture
def host(shared: Running) -> Running:
    until(lambda: is_empty(shared, "Jobs") and is_empty(shared, "Ordered"))
    shared.forget()
    return shared


def is_empty(host: Running, queue: str) -> bool:
    depth = host.host.queues[queue].depth()
    return depth.visible + depth.in_flight + depth.delayed == 0


def test_messages_are_handled_once_and_deleted(host: Running) -> None:
    host.send("Jobs", *({"name": str(number)} for number in range(12)))
    until(lambda: len(host.handled()) == 12)
    until(lambda: is_empty(host, "Jobs"))
    assert sorted(host.handled()) == sorted(f"{number} 1" for number in range(12))


def test_of_a_batch_only_what_failed_comes_back(host: Running) -> None:
    host.send("Jobs", {"name": "good"}, {"name": "bad", "do": "fail once"})
    until(lambda: "bad 2" in host.handled())
    until(lambda: is_empty(host, "Jobs"))
    assert sorted(host.handled()) == ["bad 1", "bad 2", "good 1"]
    assert is_empty(host, "JobsDead")


@pytest.mark.parametrize("action", ["fail", "raise"])
def test_what_fails_again_and_again_ends_among_the_dead_letters(host: Running, action: str) -> None:
    host.send("Jobs", {"name": "poison", "do": action})
    until(lambda: host.host.queues["JobsDead"].depth().visible == 1)
    assert host.handled() == ["poison 1", "poison 2"]
    (dead,) = host.host.queues["JobsDead"].receive()
    assert json.loads(dead.body)["name"] == "poison"
    host.host.queues["JobsDead"].delete([dead.receipt])


def test_the_messages_of_a_worker_that_dies_are_released_at_once(host: Running) -> None:
    host.send("Jobs", {"name": "deadly", "do": "die"})
    until(lambda: "deadly 2" in host.handled())
    until(lambda: is_empty(host, "Jobs"))
    assert any("back in the queue" in line for line in host.lines)


def test_a_fifo_group_keeps_its_order_through_a_failure(host: Running) -> None:
    host.send("Ordered", {"name": "a", "do": "raise once"}, {"name": "b"}, group="g")
    until(lambda: "b 2" in host.handled())
    assert host.handled() == ["a 1", "a 2", "b 2"]


def test_what_was_in_flight_when_the_host_stopped_is_handled_by_the_next_one(tmp_path: Path) -> None:
    state, scratch = tmp_path / "state", tmp_path / "scratch"
    with Running(state, scratch) as first:
        first.send("Jobs", {"name": "long", "do": "hang"})
        until(lambda: first.handled() == ["long 1"])
    with Running(state, scratch) as second:
        until(lambda: "long 2" in second.handled())
        until(lambda: is_empty(second, "Jobs"))


def test_the_schedule_fires_at_once_and_then_at_its_rate(tmp_path: Path) -> None:
    with Running(tmp_path / "state", tmp_path / "scratch", changes={"tick_seconds": 0.05}) as host:
        until(lambda: host.jobs().count("tick aws.events") >= 3)


def test_retries_wait_longer_each_time_up_to_a_minute() -> None:
    assert [backoff(count) for count in (1, 2, 3, 4, 7, 100)] == [1, 2, 4, 8, 60, 60]


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        (b"null", set()),
        (b"{}", set()),
        (b'{"batchItemFailures": []}', set()),
        (b'{"batchItemFailures": null}', set()),
        (b'{"batchItemFailures": [{"itemIdentifier": "a"}]}', {"a"}),
        (b'{"batchItemFailures": [{"itemIdentifier": "unknown"}]}', {"a", "b"}),
        (b'{"batchItemFailures": [{"itemIdentifier": ""}]}', {"a", "b"}),
        (b'{"batchItemFailures": [{}]}', {"a", "b"}),
        (b'{"batchItemFailures": ["a"]}', {"a", "b"}),
        (b'{"batchItemFailures": "a"}', {"a", "b"}),
        (b'"done"', {"a", "b"}),
        (b"not json", {"a", "b"}),
    ],
)
def test_what_counts_as_failed_is_what_counts_on_aws(answer: bytes, failed: set[str]) -> None:
    assert reported_failures(answer, {"a", "b"}) == failed
