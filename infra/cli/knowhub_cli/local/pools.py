"""The workers of one function: as many as the waiting work needs, within a limit, and always one that is warm."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from knowhub_cli.local.failures import FunctionBroken
from knowhub_cli.local.invocation import Invocation, Reply
from knowhub_cli.local.workers import Launch, Worker

_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 10.0


@dataclass(frozen=True, slots=True)
class PoolTimes:
    """Seconds: a spare worker lives this long without work; a dying function is started again after these pauses."""

    idle: float = 60.0
    first_pause: float = _FIRST_PAUSE
    longest_pause: float = _LONGEST_PAUSE


class Pool:
    """Invokes one function. `report` gets one line whenever a worker does not start or dies."""

    def __init__(
        self, launch: Launch, *, limit: int, report: Callable[[str], None], times: PoolTimes | None = None
    ) -> None:
        self.name = launch.spec.name
        self.limit = limit
        self._launch = launch
        self._report = report
        self._times = times or PoolTimes()
        self._waiting: deque[Invocation] = deque()
        self._workers: dict[Worker, asyncio.Task[None]] = {}
        self._idle: list[Worker] = []
        self._usable = asyncio.Event()
        self._tried = asyncio.Event()
        self._deaths = 0
        self._broken: str | None = None
        self._paused = False
        self._stopping = False
        self._timers: set[asyncio.TimerHandle] = set()

    @property
    def broken(self) -> str | None:
        """Say why no worker gets ready; None while one may."""
        return self._broken

    @property
    def size(self) -> int:
        """Count the workers, those included that are starting."""
        return len(self._workers)

    def start(self) -> None:
        """Start the first worker, without waiting for it."""
        self._spawn()
        self._later(self._times.idle / 4, self._trim)

    async def tried(self) -> None:
        """Wait until the first worker is ready or has failed to get there (see `broken`)."""
        await self._tried.wait()

    async def usable(self) -> None:
        """Wait until a worker has got through its start: work that waits elsewhere had better wait there."""
        await self._usable.wait()

    async def invoke(self, payload: bytes, *, patience: float | None = None) -> Reply:
        """Have a worker answer the event; raises `FunctionError`, or `TimeoutError` after `patience` seconds.

        Giving up (by time or by cancelling) takes the event back where no worker has it yet; else its answer is dropped
        when it comes, and a streamed one is cut at its head.
        """
        if self._broken is not None:
            raise FunctionBroken(f"{self.name}: {self._broken}")
        invocation = Invocation(payload, asyncio.get_running_loop().create_future())
        self._waiting.append(invocation)
        self._match()
        try:
            async with asyncio.timeout(patience):
                return await invocation.reply
        except BaseException:
            invocation.give_up()
            raise

    async def stop(self) -> None:
        """End every worker, within seconds; what waits is failed."""
        self._stopping = True
        for timer in self._timers:
            timer.cancel()
        tasks = tuple(self._workers.values())
        for worker in tuple(self._workers):
            worker.terminate()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._fail_waiting("the host stops")

    def _spawn(self) -> None:
        worker = Worker(self._launch, self._on_idle, self._on_untaken)
        task = asyncio.ensure_future(worker.run())
        self._workers[worker] = task
        task.add_done_callback(lambda done: self._on_end(worker, done))

    def _on_idle(self, worker: Worker) -> None:
        self._broken = None
        if worker.served:
            self._deaths = 0
        self._usable.set()
        self._tried.set()
        self._idle.append(worker)
        self._match()

    def _on_untaken(self, invocation: Invocation) -> None:
        self._waiting.appendleft(invocation)
        self._match()

    def _match(self) -> None:
        """Give waiting work to idle workers, and start more for what is left."""
        while self._waiting and self._idle:
            invocation = self._waiting.popleft()
            if not invocation.reply.done():
                # The one that worked last: the others get their chance to be idle for long.
                self._idle.pop().assign(invocation)
        if self._stopping or self._paused:
            return
        waiting = sum(not invocation.reply.done() for invocation in self._waiting)
        starting = sum(not worker.ready for worker in self._workers)
        for _ in range(min(waiting - starting, self.limit - len(self._workers))):
            self._spawn()

    def _on_end(self, worker: Worker, task: "asyncio.Task[None]") -> None:
        del self._workers[worker]
        if worker in self._idle:
            self._idle.remove(worker)
        failure = None if task.cancelled() else task.exception()
        if self._stopping:
            return
        if failure is not None or not worker.expected_to_end:
            self._died(worker, failure)
        if not any(each.ready and not each.stopping for each in self._workers):
            self._usable.clear()
        if not self._paused:
            self._go_on()

    def _died(self, worker: Worker, failure: BaseException | None) -> None:
        if worker.ready:
            self._report(f"{self.name}: a worker died; starting another")
        else:
            reason = worker.init_error if failure is None else str(failure)
            self._report(f"{self.name} does not start: {reason}")
            if not self._workers:
                self._broken = f"does not start: {reason}"
                self._fail_waiting(self._broken)
            self._tried.set()
        pause = min(self._times.first_pause * 2**self._deaths, self._times.longest_pause)
        # Beyond this exponent the pause has long reached its limit.
        self._deaths = min(self._deaths + 1, 30)
        self._paused = True
        self._later(pause, self._resume)

    def _resume(self) -> None:
        self._paused = False
        self._go_on()

    def _go_on(self) -> None:
        if not self._workers:
            self._spawn()
        self._match()

    def _fail_waiting(self, reason: str) -> None:
        while self._waiting:
            self._waiting.popleft().fail(FunctionBroken(f"{self.name}: {reason}"))

    def _trim(self) -> None:
        """Stop spare workers that have had nothing to do for long."""
        now = asyncio.get_running_loop().time()
        spare = sum(not worker.stopping for worker in self._workers) - 1
        for worker in tuple(self._idle):
            if spare > 0 and now - worker.idle_since >= self._times.idle:
                self._idle.remove(worker)
                worker.terminate()
                spare -= 1
        self._later(self._times.idle / 4, self._trim)

    def _later(self, seconds: float, action: Callable[[], None]) -> None:
        def act() -> None:
            self._timers.discard(timer)
            action()

        timer = asyncio.get_running_loop().call_later(seconds, act)
        self._timers.add(timer)
