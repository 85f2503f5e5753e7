"""One host from the start to a signal.

run(root, state, 8010, options=HostOptions(inherited=os.environ), on_ready=lambda host: print(host.url))
"""

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path

from knowhub_cli.local.host import LocalHost
from knowhub_cli.local.options import DEFAULT_PORT, HostOptions


def run(
    root: Path,
    state: Path,
    port: int = DEFAULT_PORT,
    *,
    options: HostOptions | None = None,
    on_ready: Callable[[LocalHost], None] | None = None,
) -> None:
    """Serve until SIGINT, SIGTERM or SIGHUP, or until a part of the host fails; raises `CannotStart`.

    `on_ready` runs in a thread of its own once the host serves, so that it may call the host; what it raises stops the
    host and passes on. A second signal stops without waiting for requests under way.
    """
    asyncio.run(_until_told(LocalHost(root, state, port, options=options), on_ready))


async def _until_told(host: LocalHost, on_ready: Callable[[LocalHost], None] | None) -> None:
    loop = asyncio.get_running_loop()
    serving = asyncio.ensure_future(_serve(host, on_ready))
    told = False

    def on_signal() -> None:
        nonlocal told
        if told:
            host.hurry()
            return
        told = True
        serving.cancel()

    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for number in signals:
        loop.add_signal_handler(number, on_signal)
    try:
        await serving
    except asyncio.CancelledError:
        if not told:
            raise
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


async def _serve(host: LocalHost, on_ready: Callable[[LocalHost], None] | None) -> None:
    async with host:
        if on_ready is not None:
            await asyncio.to_thread(on_ready, host)
        await host.failed()
