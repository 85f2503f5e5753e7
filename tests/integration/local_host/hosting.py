"""A local host in a thread, over the small application beside this file."""

import asyncio
import json
import os
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from knowhub.ports.queue import OutgoingMessage
from knowhub_cli.local.host import LocalHost
from knowhub_cli.local.options import HostOptions
from knowhub_cli.local.pools import PoolTimes

PROJECT = Path(__file__).parent / "project"
SOURCE = Path(__file__).parents[3] / "layers" / "core" / "python"
PATIENCE = 60.0  # seconds until a wait is a failed test; no behaviour depends on it

QUICK = PoolTimes(idle=60.0, first_pause=0.01, longest_pause=0.1)

T = TypeVar("T")


def options(scratch: Path, report: Callable[[str], None] = lambda _: None, **changes: Any) -> HostOptions:
    """Give options whose workers write their notes into `scratch`."""
    extra: Mapping[str, str] = changes.pop("environment", {})
    chosen = HostOptions(
        inherited={"PATH": os.environ["PATH"], "HOME": str(scratch), "AWS_ACCESS_KEY_ID": "a-persons-own"},
        environment={"SCRATCH": str(scratch), "OVERRIDDEN": "by the host", **extra},
        workers={"WebFunction": 3, "JobsFunction": 1},
        report=report,
        times=QUICK,
        tick_seconds=3600,
        grace_seconds=1,
        source=SOURCE,
    )
    return replace(chosen, **changes)


def until(condition: Callable[[], T]) -> T:
    """Wait until the condition is true, and give what it gave."""
    deadline = time.monotonic() + PATIENCE
    while not (value := condition()):
        assert time.monotonic() < deadline, f"never came true: {condition}"
        time.sleep(0.01)
    return value


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and was not waited for does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


@dataclass
class Running:
    """The context of a running host; `lines` are what it reported."""

    state: Path
    scratch: Path
    root: Path = PROJECT
    changes: dict[str, Any] = field(default_factory=dict)
    port: int = 0
    lines: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        self.scratch.mkdir(exist_ok=True)
        self.host = LocalHost(
            self.root, self.state, self.port, options=options(self.scratch, self.lines.append, **self.changes)
        )
        self._loop = asyncio.new_event_loop()
        self._faults: list[dict[str, Any]] = []
        self._loop.set_exception_handler(lambda _, context: self._faults.append(context))
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        try:
            self.call(self.host.__aenter__())
        except BaseException:
            self._end()
            raise
        self.client = httpx.Client(base_url=self.host.url, timeout=PATIENCE, trust_env=False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.client.close()
        self.call(self.host.__aexit__(None, None, None))
        self._end()

    def _end(self) -> None:
        self.call(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()
        assert self._faults == []

    def begin_stop(self) -> "Future[None]":
        """Begin to stop the host, as leaving the context does; leaving it later does nothing more."""
        return asyncio.run_coroutine_threadsafe(self.host.__aexit__(None, None, None), self._loop)

    def call(self, work: Awaitable[T]) -> T:
        """Run a coroutine on the host's loop."""

        async def awaited() -> T:
            return await work

        return asyncio.run_coroutine_threadsafe(awaited(), self._loop).result(PATIENCE)

    def send(self, queue: str, *jobs: Mapping[str, Any], group: str | None = None) -> None:
        self.host.queues[queue].send([OutgoingMessage(json.dumps(job), group=group) for job in jobs])

    def forget(self) -> None:
        """Remove what earlier tests have noted, so that tests can share a host."""
        for path in self.scratch.iterdir():
            path.unlink()
        self.lines.clear()

    def release(self, name: str) -> None:
        (self.scratch / name).touch()

    def noted(self, name: str) -> bool:
        return (self.scratch / name).exists()

    def jobs(self) -> list[str]:
        path = self.scratch / "jobs"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def handled(self) -> list[str]:
        """Give the notes of the jobs function, but for its ticks."""
        return [line for line in self.jobs() if not line.startswith("tick")]

    def log(self, function: str) -> str:
        return (self.state / "logs" / f"{function}.log").read_text(encoding="utf-8")
