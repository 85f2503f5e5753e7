"""One process at a queue's file; it is told by its arguments what to do and says line by line what it has done."""

import sys
import time

from knowhub.ports.queue import OutgoingMessage
from knowhub.stores.sqlite.queue import SqliteQueue


class SystemClock:
    def now(self) -> float:
        return time.time()


def claim(queue: SqliteQueue) -> None:
    """Take whatever comes and keep it, once somebody says go."""
    say("ready")
    sys.stdin.readline()
    while messages := queue.receive(limit=7, visibility_seconds=3600):
        for message in messages:
            say(message.body)


def send(queue: SqliteQueue) -> None:
    """Send without end, telling of each message that was taken."""
    number = 0
    while True:
        queue.send([OutgoingMessage(str(number), group=f"g{number % 3}")])
        say(str(number))
        number += 1


def hold(queue: SqliteQueue) -> None:
    """Take messages and work on them for ever."""
    for message in queue.receive(limit=2, visibility_seconds=60):
        say(message.body)
    time.sleep(600)


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    job, path = sys.argv[1:]
    {"claim": claim, "send": send, "hold": hold}[job](SqliteQueue(path, "work", clock=SystemClock()))
