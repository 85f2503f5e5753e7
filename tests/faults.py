"""Ports that fail at will: a hook runs before each call that changes something."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from knowhub.bootstrap import workshop_of
from knowhub.readers.registry import Isolated
from tests.hubs import Rig

_WRITES = frozenset({"write", "transact", "put", "delete", "copy", "refresh", "send"})


class Killed(BaseException):
    """The process dies here; nothing after it runs."""


class Watched:
    """A port that runs a hook before each call that changes something."""

    def __init__(self, port: Any, hook: Callable[[str], None]) -> None:
        self._port = port
        self._hook = hook

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._port, name)
        if name == "index":
            return lambda generation: Watched(member(generation), self._hook)
        if name not in _WRITES and not name.startswith("delete"):
            return member

        def call(*arguments: Any, **named: Any) -> Any:
            self._hook(name)
            return member(*arguments, **named)

        return call


@contextmanager
def watched(hub: Rig, hook: Callable[[str], None], isolated: Isolated | None = None) -> Iterator[None]:
    """Run the background work over ports that call the hook before each write."""
    ports = hub.ports
    names = ("table", "blobs", "queue", "generations")
    watching = replace(ports, **{name: Watched(getattr(ports, name), hook) for name in names})
    hub.workshop = workshop_of(watching, isolated)
    try:
        yield
    finally:
        hub.workshop = workshop_of(ports, isolated)


def kill_at(number: int) -> Callable[[str], None]:
    """Make a hook that dies at the write of this number, from 1, and stays dead."""
    left = [number]

    def hook(_: str) -> None:
        left[0] -= 1
        if left[0] <= 0:
            raise Killed

    return hook


def redeliver(hub: Rig) -> None:
    """Bring back every message that a dead worker held."""
    hub.ports.queue.release_in_flight()  # type: ignore[attr-defined] # the embedded queue has it
