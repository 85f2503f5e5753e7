"""The schedule: `rate(...)` ticks, never two of one function's at the same time."""

import asyncio
from collections.abc import Awaitable, Callable

from knowhub_cli.local.blueprint import Tick
from knowhub_cli.local.failures import FunctionError
from knowhub_cli.local.invocation import StreamedReply
from knowhub_cli.local.payloads import json_bytes, tick_event
from knowhub_cli.local.pools import Pool


class Schedule:
    """Fires one tick: at once, for what was missed while the host was down, and then at its rate.

    A tick that is due while the one before it runs is fired when that ends; however many were due, it is one.
    `seconds` overrides the template's rate, `now` gives epoch seconds, `sleep` and `elapsed` (monotonic) the time.
    """

    def __init__(
        self,
        tick: Tick,
        pool: Pool,
        *,
        now: Callable[[], float],
        elapsed: Callable[[], float],
        report: Callable[[str], None],
        seconds: float | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._tick = tick
        self._pool = pool
        self._now = now
        self._elapsed = elapsed
        self._report = report
        self._seconds = seconds or tick.seconds
        self._sleep = sleep

    async def run(self) -> None:
        """Fire until cancelled."""
        due = self._elapsed()
        while True:
            await self._pool.usable()
            await self._fire()
            due = next_due(due, self._elapsed(), self._seconds)
            await self._sleep(max(0.0, due - self._elapsed()))

    async def _fire(self) -> None:
        payload = self._tick.payload
        event = json_bytes(tick_event(self._tick, now=self._now())) if payload is None else payload.encode()
        try:
            reply = await self._pool.invoke(event)
        except FunctionError as error:
            self._report(f"{self._tick.name}: {error}")
            return
        if isinstance(reply, StreamedReply):
            reply.body.abandon()


def next_due(due: float, now: float, seconds: float) -> float:
    """Give the time of the next tick after the one of `due`: at most one that was missed is caught up on."""
    following = due + seconds
    if following >= now:
        return following
    # Stay on the grid: the latest tick that was missed stands for all of them.
    return due + (now - due) // seconds * seconds
