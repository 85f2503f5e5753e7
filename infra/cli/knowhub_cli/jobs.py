"""Waiting for the hub's background work."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from knowhub_cli.client import Hub

ENDED = {"completed", "failed", "cancelled"}

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 2.0
"""Seconds between two looks at one job."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How to wait: `seconds` is the longest time without any job ending."""

    seconds: float
    sleep: Callable[[float], None]
    now: Callable[[], float]


def wait_for(hub: Hub, job_ids: Iterable[str], patience: Patience) -> Iterator[Mapping[str, Any]]:
    """Give each job, in the given order, once it has ended; one that takes too long is given as it is.

    Jobs run beside each other, so waiting for the oldest first asks least often.
    """
    for job_id in job_ids:
        yield _ended(hub, job_id, patience)


def _ended(hub: Hub, job_id: str, patience: Patience) -> Mapping[str, Any]:
    deadline = patience.now() + patience.seconds
    pause = FIRST_PAUSE
    while True:
        job: Mapping[str, Any] = hub.get(f"/jobs/{job_id}")
        if job["state"] in ENDED or patience.now() >= deadline:
            return job
        patience.sleep(pause)
        pause = min(pause * 1.5, LONGEST_PAUSE)
