"""Work that begins before its answer: what fails soon has a status of its own, what takes long a heartbeat."""

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from typing import Generic, TypeVar

from knowhub.answering.limits import Limits
from knowhub.errors import SearchUnavailable

HEAD_SECONDS = 10.0
"""How long an answer's head waits for what may fail: less than what proxies take for a dead connection."""

_LOOK_SECONDS = 0.1

Made = TypeVar("Made")


class Beginning(Generic[Made]):
    """A piece of work in a thread of its own."""

    def __init__(self, work: Callable[[], Made]) -> None:
        """Begin."""
        self._future: Future[Made] = Future()
        Thread(target=self._run, args=(work,), daemon=True, name="beginning").start()

    def settle(self, seconds: float = HEAD_SECONDS) -> None:
        """Wait for some seconds; raises what the work raised within them."""
        if wait([self._future], seconds).done:
            self._future.result()

    def result(self, limits: Limits) -> Made | None:
        """Give what is made, None once nobody waits for it; raises `SearchUnavailable` when time is up."""
        while not wait([self._future], _LOOK_SECONDS).done:
            if limits.stopped():
                return None
            if limits.reached():
                raise SearchUnavailable("The search takes too long")
        return self._future.result()

    def _run(self, work: Callable[[], Made]) -> None:
        try:
            self._future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again where the result is asked for
            self._future.set_exception(error)
