"""The local host: everything of `template.yaml` that a laptop can run, from one state folder, until told to stop.

    async with LocalHost(root, state, 0, options=HostOptions(inherited=os.environ)) as host:
        ...  # host.url serves

Raises a `CannotStart` (`failures.py`) whose message is one line for the person who started it.
"""

import asyncio
import sys
import time
from collections.abc import Coroutine, Mapping
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from knowhub.errors import KnowhubError
from knowhub_cli.local.blueprint import FunctionSpec, Template
from knowhub_cli.local.environment import overrides, process_environment, settings_environment
from knowhub_cli.local.failures import CannotStart, StateCorrupt, StateUnusable
from knowhub_cli.local.front import Front, Site
from knowhub_cli.local.logs import LogFile
from knowhub_cli.local.options import DEFAULT_PORT, HostOptions
from knowhub_cli.local.places import Places
from knowhub_cli.local.pollers import HostQueue, Poller
from knowhub_cli.local.pools import Pool
from knowhub_cli.local.reaper import Reaper
from knowhub_cli.local.routes import RouteTable
from knowhub_cli.local.schedule import Schedule
from knowhub_cli.local.serving import ADDRESS, FrontServer, bind
from knowhub_cli.local.soundness import check_catalog, fault_of_chunks
from knowhub_cli.local.state import claimed
from knowhub_cli.local.stores import SystemClock, open_blobs, open_queues
from knowhub_cli.local.template import read_template
from knowhub_cli.local.uploads import MAX_UPLOAD, Uploads
from knowhub_cli.local.workers import Launch

_LOOK_SECONDS: Final = 1.0


class LocalHost:
    """One running host; entering the context starts it, leaving it stops every process that it has started.

    `root` holds `template.yaml`; `state` is made where absent; port 0 takes any free one (see `url`). On entering, each
    function's first worker has been tried: `broken` names those that did not start, which are tried again.
    """

    def __init__(
        self, root: Path, state: Path, port: int = DEFAULT_PORT, *, options: HostOptions | None = None
    ) -> None:
        self.root = root.resolve()
        self.places = Places(state.expanduser().absolute())
        self.options = options or HostOptions()
        self.url = ""
        self._port = port
        self._template: Template | None = None
        self._overrides: dict[str, str] = {}
        self._queues: dict[str, HostQueue] = {}
        self._pools: dict[str, Pool] = {}
        self._log: LogFile | None = None
        self._server: FrontServer | None = None
        self._background: set[asyncio.Task[None]] = set()
        self._pollers: list[Poller] = []
        self._failed: asyncio.Event = asyncio.Event()
        self._hurried = asyncio.Event()
        self._exits = AsyncExitStack()

    @property
    def template(self) -> Template:
        """Give the template as it was read; raises `CannotStart` before the start."""
        if self._template is None:
            raise CannotStart("The host has not read its template yet")
        return self._template

    @property
    def queues(self) -> Mapping[str, HostQueue]:
        """Give the open queues by logical id."""
        return self._queues

    @property
    def pools(self) -> Mapping[str, Pool]:
        """Give the functions' pools by logical id."""
        return self._pools

    @property
    def broken(self) -> dict[str, str]:
        """Give the reason for each function that does not start."""
        return {name: pool.broken for name, pool in self._pools.items() if pool.broken is not None}

    def settings_environment(self, function_name: str) -> dict[str, str]:
        """Give what a function's settings are read from: the template's variables and the host's own."""
        return settings_environment(self.template.functions[function_name], self._overrides)

    async def failed(self) -> None:
        """Wait until a part of the host has failed for good, and raise its exception; usually that is never."""
        await self._failed.wait()
        for task in self._background:
            if task.done() and not task.cancelled():
                task.result()

    def hurry(self) -> None:
        """Stop without any more patience; for the second Ctrl-C."""
        self._hurried.set()
        if self._server is not None:
            self._server.hurry()

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except OSError as error:
            await self._exits.aclose()
            where = error.filename or self.places.state
            raise StateUnusable(f"{where} can't be used: {error.strerror or type(error).__name__}") from error
        except BaseException:
            await self._exits.aclose()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._exits.aclose()

    async def _start(self) -> None:
        """Start from the bottom to the top; each step leaves on the exit stack how it is undone."""
        exits, options = self._exits, self.options
        exits.enter_context(claimed(self.places.state))
        listener = exits.enter_context(bind(self._port))
        self.url = f"http://{ADDRESS}:{listener.getsockname()[1]}"
        self._overrides = overrides(self.places, self.url, options.environment)
        self._template = read_template(
            self.root / "template.yaml",
            self.places,
            parameters=options.parameters,
            overridden=frozenset(self._overrides),
        )
        self._log = LogFile(self.places.logs / "host.log")
        exits.callback(self._log.close)
        uploads = self._open_stores(exits)
        reaper = self._start_pools(exits)
        exits.push_async_callback(self._end_background)
        self._start_background()
        self._keep(_look_after(reaper))
        site = Site(
            routes=RouteTable(self.template.routes),
            pools=self._pools,
            binary_types=self.template.binary_types,
            upload=uploads.accept,
            max_upload=MAX_UPLOAD,
            report=self._report,
            stage_prefix=options.stage_prefix,
        )
        self._server = FrontServer(Front(site), listener, grace_seconds=options.grace_seconds)
        self._watch(self._server.task)
        exits.push_async_callback(self._drain, self._server)
        await asyncio.gather(*(pool.tried() for pool in self._pools.values()))

    def _open_stores(self, exits: AsyncExitStack) -> Uploads:
        clock = SystemClock()
        try:
            check_catalog(self.places)
            self._queues = open_queues(self.places, self.template.queues, clock)
            exits.callback(self._close_queues)
            blobs = open_blobs(self.places, self.url, clock)
            uploads = Uploads(blobs, self.template.notices, self._queues, clock)
            for queue in self._queues.values():
                queue.release_in_flight()
            uploads.announce_waiting()
        except KnowhubError as error:
            raise StateCorrupt(f"{self.places.state}: {error.message}") from error
        if fault := fault_of_chunks(self.places):
            self._report(fault)
        return uploads

    def _start_pools(self, exits: AsyncExitStack) -> Reaper:
        reaper = Reaper()
        exits.callback(reaper.close)
        for name, spec in self.template.functions.items():
            log = LogFile(self.places.logs / f"{name}.log", echo=sys.stderr.buffer if self.options.verbose else None)
            exits.callback(log.close)
            limit = self.options.workers.get(name, 2)
            pool = Pool(self._launch(spec, log, reaper), limit=limit, report=self._report, times=self.options.times)
            self._pools[name] = pool
            exits.push_async_callback(pool.stop)
            pool.start()
        return reaper

    def _launch(self, spec: FunctionSpec, log: LogFile, reaper: Reaper) -> Launch:
        source = self.options.source or self.root / "layers" / "core" / "python"

        def environment(api: str) -> dict[str, str]:
            settings = settings_environment(spec, self._overrides)
            return process_environment(spec, settings, inherited=self.options.inherited, source=[source], api=api)

        return Launch(spec, environment, log, reaper, self.options.command, self.options.init_seconds)

    def _start_background(self) -> None:
        for source in self.template.sources:
            spec = self.template.queues[source.queue]
            poller = Poller(source, spec, self._queues[spec.name], self._pools[source.function], report=self._report)
            self._pollers.append(poller)
            self._keep(poller.run())
        for tick in self.template.ticks:
            schedule = Schedule(
                tick,
                self._pools[tick.function],
                now=time.time,
                elapsed=time.monotonic,
                report=self._report,
                seconds=self.options.tick_seconds,
            )
            self._keep(schedule.run())

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        self._watch(asyncio.ensure_future(work))

    def _watch(self, task: "asyncio.Task[None]") -> None:
        self._background.add(task)
        task.add_done_callback(self._on_background_end)

    def _on_background_end(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._report(f"a part of the host has failed: {error!r}")
            self._failed.set()

    async def _drain(self, server: FrontServer) -> None:
        """Take nothing new; give what is under way its grace time, and those that wait for it an end."""
        for poller in self._pollers:
            poller.drain()
        settled = asyncio.ensure_future(self._settled(server))
        hurried = asyncio.ensure_future(self._hurried.wait())
        patience = self.options.grace_seconds
        await asyncio.wait({settled, hurried}, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        for task in (settled, hurried):
            task.cancel()
        await asyncio.gather(settled, hurried, return_exceptions=True)
        await server.stop()

    async def _settled(self, server: FrontServer) -> bool:
        await asyncio.gather(server.stop(), *(poller.drained() for poller in self._pollers))
        return True

    async def _end_background(self) -> None:
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)

    def _close_queues(self) -> None:
        for queue in self._queues.values():
            # The next start releases what this end could not.
            with suppress(KnowhubError):
                queue.release_in_flight()
            queue.close()

    def _report(self, line: str) -> None:
        if self._log is not None:
            self._log.write(f"{line}\n".encode())
        self.options.report(line)


async def _look_after(reaper: Reaper) -> None:
    """Have a watch again soon after somebody has killed it, as a host may be idle for long."""
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        reaper.stay()
