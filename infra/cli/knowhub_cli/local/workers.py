"""One worker: a process of a function, its Runtime API endpoint, its log, its end."""

import asyncio
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from knowhub_cli.local.blueprint import FunctionSpec
from knowhub_cli.local.failures import FunctionTimedOut, WorkerLost
from knowhub_cli.local.invocation import Invocation
from knowhub_cli.local.logs import LineBuffer, LogFile
from knowhub_cli.local.reaper import Reaper, kill_group
from knowhub_cli.local.runtime_api import RuntimeEndpoint

RUNTIME: Final = (sys.executable, "-m", "knowhub.runtime.streaming")

_TERM_SECONDS: Final = 2.0
_LAST_WORDS_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class Launch:
    """How workers of one function are started: `environment` gets the Runtime API's address."""

    spec: FunctionSpec
    environment: Callable[[str], dict[str, str]]
    log: LogFile
    reaper: Reaper
    command: Sequence[str] = field(default=RUNTIME)
    init_seconds: float = 60.0


class Worker:
    """A process that serves one invocation after the other; `run` spans its whole life.

    `on_idle` is called each time it asks for work, but for one that is `stopping`. `init_error` says why it never did.
    `on_untaken` gets an invocation back that it has died without having read.
    """

    def __init__(
        self, launch: Launch, on_idle: Callable[["Worker"], None], on_untaken: Callable[[Invocation], None]
    ) -> None:
        self._launch = launch
        self._on_idle = on_idle
        self._on_untaken = on_untaken
        self._endpoint = RuntimeEndpoint(launch.spec, self._next)
        self._process: asyncio.subprocess.Process | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._invocation: Invocation | None = None
        self.stopping = False
        self.ready = False
        self.timed_out = False
        self.served = 0
        self.idle_since = 0.0

    @property
    def expected_to_end(self) -> bool:
        """Tell whether its end is no accident: it was asked to stop, or was over its time."""
        return self.stopping or (self.timed_out and self.ready)

    @property
    def init_error(self) -> str:
        """Say why the worker did not get ready."""
        if self.timed_out:
            return f"it was not ready within {self._launch.init_seconds:g} s"
        status = None if self._process is None else self._process.returncode
        return self._endpoint.init_error or f"its process ended with status {status}; see {self._launch.log.path}"

    async def run(self) -> None:
        """Start the process and wait until it has ended, whatever ends it; then nothing of it is left."""
        address = await self._endpoint.open()
        try:
            self._process = await self._start(address)
            await self._live(self._process)
        finally:
            self._clear_timer()
            await self._endpoint.close()
            self._fail_invocation()

    def assign(self, invocation: Invocation) -> None:
        """Give the waiting worker an invocation; it is killed when that takes longer than the function may."""
        self._invocation = invocation
        self._endpoint.assign(invocation)
        self._start_timer(self._launch.spec.timeout)

    def terminate(self) -> None:
        """Ask the process to end, and make it end soon afterwards."""
        self.stopping = True
        if self._process is not None and self._process.returncode is None:
            kill_group(self._process.pid, signal.SIGTERM)
            self._clear_timer()
            self._timer = asyncio.get_running_loop().call_later(_TERM_SECONDS, self._kill)

    async def _start(self, address: str) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            *self._launch.command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=self._launch.spec.code,
            env=self._launch.environment(address),
            # A group of its own: what the worker starts ends with it, and Ctrl-C reaches the host alone.
            start_new_session=True,
        )
        self._launch.reaper.guard(process.pid)
        return process

    async def _live(self, process: asyncio.subprocess.Process) -> None:
        self._start_timer(self._launch.init_seconds)
        if self.stopping:
            self.terminate()
        log = asyncio.ensure_future(self._keep_log(process))
        try:
            await process.wait()
        finally:
            kill_group(process.pid)
            if process.returncode is None:
                await process.wait()
            self._launch.reaper.release(process.pid)
            # What has escaped from the group may hold the pipe open; its words are not waited for.
            await asyncio.wait({log}, timeout=_LAST_WORDS_SECONDS)
            log.cancel()
            await asyncio.gather(log, return_exceptions=True)

    async def _keep_log(self, process: asyncio.subprocess.Process) -> None:
        lines = LineBuffer(self._launch.log)
        if process.stdout is not None:
            with suppress(ConnectionError):
                while data := await process.stdout.read(1 << 16):
                    lines.feed(data)
        lines.finish()

    def _next(self) -> None:
        self._clear_timer()
        if self._invocation is not None:
            self.served += 1
            self._fail_invocation()
        self.ready = True
        self.idle_since = asyncio.get_running_loop().time()
        if not self.stopping:
            self._on_idle(self)

    def _fail_invocation(self) -> None:
        """Answer for an invocation that the worker left without an answer; an answered one is not touched."""
        invocation, self._invocation = self._invocation, None
        if invocation is None:
            return
        if invocation is self._endpoint.untaken and not (self.timed_out or self.stopping or invocation.reply.done()):
            self._on_untaken(invocation)
            return
        name = self._launch.spec.name
        if self.timed_out:
            failure: FunctionTimedOut | WorkerLost = FunctionTimedOut(
                f"{name} took over {self._launch.spec.timeout:g} s"
            )
        else:
            status = None if self._process is None else self._process.returncode
            failure = WorkerLost(f"a worker of {name} ended with status {status} in mid-invocation")
        invocation.fail(failure)

    def _start_timer(self, seconds: float) -> None:
        self._clear_timer()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._overtime)

    def _clear_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _overtime(self) -> None:
        self.timed_out = True
        self._kill()

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            kill_group(self._process.pid)
