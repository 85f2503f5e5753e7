"""The front's socket and its HTTP server."""

import asyncio
import errno
import socket
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import uvicorn

from knowhub_cli.local.failures import PortInUse
from knowhub_cli.local.front import Front

ADDRESS: Final = "127.0.0.1"
"""Loopback only: what is served here is meant for the person at this machine."""

_BACKLOG: Final = 512


def bind(port: int) -> socket.socket:
    """Listen on the port (0: any free one), so that connections wait from now on; raises `PortInUse`."""
    # The protocol is named because asyncio turns Nagle's algorithm off only for sockets that say they are TCP; with it,
    # every answer of more than one write waits 40 ms for the client's delayed acknowledgement.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((ADDRESS, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise PortInUse(
                f"Port {port} is in use by another program; stop that one, or choose another port"
            ) from error
        raise PortInUse(f"Port {port} can't be used: {error.strerror}") from error
    return listener


class _Server(uvicorn.Server):
    """A server that leaves signals to the host."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


class FrontServer:
    """Serves the front on a bound socket until `stop`; `task` ends earlier only when the server itself fails."""

    def __init__(self, front: Front, listener: socket.socket, *, grace_seconds: int) -> None:
        config = uvicorn.Config(
            front,
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=_BACKLOG,
            timeout_graceful_shutdown=grace_seconds,
        )
        self._server = _Server(config)
        self.task = asyncio.ensure_future(self._server.serve(sockets=[listener]))

    async def stop(self) -> None:
        """Accept nothing more, let requests finish for the grace time, and drop those that have not."""
        self._server.should_exit = True
        await asyncio.shield(self.task)

    def hurry(self) -> None:
        """Wait for no request any more."""
        self._server.should_exit = True
        self._server.force_exit = True
