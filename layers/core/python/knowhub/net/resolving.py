"""Looking host names up, with an end to the wait."""

import queue
import socket
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

Lookup = Callable[..., Sequence[tuple[Any, ...]]]


class Resolver(Protocol):
    """Tells the addresses of a name."""

    def resolve(self, host: str, *, seconds: float) -> Sequence[str]:
        """Give every address of a host name, of both versions, in the order to try them; raises `OSError`."""


class SystemResolver:
    """Asks as the operating system does.

    The system's call can't be given up, so it runs beside: after `seconds` the answer is not waited for any longer.
    """

    def __init__(self, lookup: Lookup = socket.getaddrinfo) -> None:
        self._lookup = lookup

    def resolve(self, host: str, *, seconds: float) -> Sequence[str]:
        """Give the addresses, version 4 first: not every network has a way out for version 6."""
        answers: queue.SimpleQueue[Sequence[tuple[Any, ...]] | Exception] = queue.SimpleQueue()
        threading.Thread(target=self._ask, args=(host, answers), name="look-up", daemon=True).start()
        try:
            answer = answers.get(timeout=max(seconds, 0))
        except queue.Empty:
            raise TimeoutError("the name was not found in time") from None
        if isinstance(answer, Exception):
            raise OSError("the name was not found") from answer
        ordered = sorted(answer, key=lambda entry: entry[0] != socket.AF_INET)
        return list(dict.fromkeys(str(entry[4][0]) for entry in ordered))

    def _ask(self, host: str, answers: "queue.SimpleQueue[Sequence[tuple[Any, ...]] | Exception]") -> None:
        try:
            answers.put(self._lookup(host, None, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            answers.put(error)
