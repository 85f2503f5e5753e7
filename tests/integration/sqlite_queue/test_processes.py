"""The embedded queue among processes, some of which are killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from knowhub.ports.queue import OutgoingMessage, QueueDepth
from knowhub.stores.sqlite.queue import SqliteQueue

WORKER = Path(__file__).with_name("worker.py")
SOURCES = Path(__file__).parents[3] / "layers" / "core" / "python"

Start = Callable[[str], "subprocess.Popen[str]"]


class ShiftedClock:
    """The system's time, moved ahead by what a test would otherwise wait."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def now(self) -> float:
        return time.time() + self.ahead


@pytest.fixture
def clock() -> ShiftedClock:
    return ShiftedClock()


@pytest.fixture
def queue(tmp_path: Path, clock: ShiftedClock) -> Iterator[SqliteQueue]:
    opened = SqliteQueue(tmp_path / "queues.sqlite", "work", clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[subprocess.Popen[str]] = []

    def spawn(job: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, str(WORKER), job, str(tmp_path / "queues.sqlite")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(SOURCES)},
        )
        running.append(process)
        return process

    yield spawn
    for process in running:
        process.kill()
        process.communicate()


def lines(process: "subprocess.Popen[str]", count: int) -> list[str]:
    assert process.stdout is not None
    return [process.stdout.readline().strip() for _ in range(count)]


def killed(process: "subprocess.Popen[str]") -> list[str]:
    """Kill the process and give the complete lines that it said last."""
    process.send_signal(signal.SIGKILL)
    return [line.strip() for line in rest(process).splitlines(keepends=True) if line.endswith("\n")]


def rest(process: "subprocess.Popen[str]") -> str:
    """Read what is left; `communicate` would miss what `readline` has buffered."""
    assert process.stdout is not None
    said = process.stdout.read()
    process.wait()
    return said


def drain(queue: SqliteQueue) -> list[str]:
    bodies: list[str] = []
    while batch := queue.receive(limit=10, visibility_seconds=3600):
        bodies += [message.body for message in batch]
    return bodies


def test_several_processes_claim_each_message_once(queue: SqliteQueue, start: Start) -> None:
    bodies = [str(number) for number in range(300)]
    queue.send([OutgoingMessage(body, group=f"g{int(body) % 5}") for body in bodies])
    workers = [start("claim") for _ in range(3)]
    for worker in workers:
        assert lines(worker, 1) == ["ready"]
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    said = [rest(worker).split() for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0, 0]
    assert sorted(body for each in said for body in each) == sorted(bodies)
    assert sum(bool(each) for each in said) > 1
    assert queue.depth() == QueueDepth(visible=0, in_flight=300, delayed=0)


def test_a_killed_sender_loses_no_message_that_was_taken(queue: SqliteQueue, start: Start) -> None:
    sender = start("send")
    told = lines(sender, 40)
    told += killed(sender)
    kept = drain(queue)
    assert set(told) <= set(kept)
    assert len(kept) - len(told) in {0, 1}
    assert sorted(kept, key=int) == [str(number) for number in range(len(kept))]


def test_what_a_killed_receiver_held_comes_back_after_its_time_out(
    queue: SqliteQueue, start: Start, clock: ShiftedClock
) -> None:
    queue.send([OutgoingMessage(body) for body in ("a", "b", "c")])
    receiver = start("hold")
    held = lines(receiver, 2)
    killed(receiver)
    assert {*held, *drain(queue)} == {"a", "b", "c"}
    assert queue.receive() == []
    clock.ahead = 60
    assert sorted(drain(queue)) == sorted(held)


def test_what_killed_receivers_held_comes_back_at_once_when_it_is_released(queue: SqliteQueue, start: Start) -> None:
    queue.send([OutgoingMessage(body) for body in ("a", "b")])
    receiver = start("hold")
    held = lines(receiver, 2)
    killed(receiver)
    assert queue.release_in_flight() == 2
    assert sorted(drain(queue)) == sorted(held)
