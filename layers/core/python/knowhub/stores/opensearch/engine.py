"""Requests that hold out: repeated within a deadline while the engine is asleep, slow or throttling."""

import random
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from knowhub.errors import Internal, KnowhubError, PayloadTooLarge, SearchUnavailable
from knowhub.stores.opensearch.wire import Busy, Refused, Wire

Result = TypeVar("Result")

DEADLINE_SECONDS = 20.0
"""Within which a question is answered or given up; the gateway in front of the functions cuts at 29 s."""

PATIENCE_SECONDS = 60.0
"""Within which a change is made or given up: building the graph over many new vectors takes the engine a while."""

_ATTEMPT_SECONDS = 10.0
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 2.0
_LEAST_SECONDS = 0.05
_NOT_FOUND = 404
_TOO_LARGE = 413
_FORBIDDEN = frozenset({401, 403})


class Engine:
    """Sends requests and answers for them: with what the engine said whole, or with an error of ours."""

    def __init__(
        self,
        wire: Wire,
        *,
        deadline: float = DEADLINE_SECONDS,
        patience: float = PATIENCE_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Keep the wire; `deadline` (of questions) and `patience` (of changes) are seconds from the first attempt."""
        self._wire = wire
        self._deadline = deadline
        self._patience = patience
        self._monotonic = monotonic
        self._sleep = sleep

    def told(self, method: str, path: str, body: bytes | None = None, params: Mapping[str, str] | None = None) -> Any:
        """Send a request and give what the engine said; raises `Refused` as it comes."""
        return self._holding_out(
            lambda seconds: self._wire.send(method, path, params or {}, body, seconds), self._deadline
        )

    def asked(
        self,
        method: str,
        path: str,
        body: bytes | Callable[[], bytes] | None,
        params: Mapping[str, str] | None = None,
        *,
        whole: Callable[[Any], Result],
        patient: bool = False,
    ) -> Result:
        """Send a request and give what `whole` makes of the answer.

        `whole` raises `Busy` for an answer with holes, which is then asked for again; a body that is called is built
        for each attempt. A `patient` request, a change, may take all of its time in one attempt: the engine goes on
        with what nobody waits for any more, and would have it twice.
        """
        longest = self._patience if patient else _ATTEMPT_SECONDS

        def attempt(seconds: float) -> Result:
            sent = body() if callable(body) else body
            return whole(self._wire.send(method, path, params or {}, sent, min(seconds, longest)))

        try:
            return self._holding_out(attempt, self._patience if patient else self._deadline)
        except Refused as error:
            raise refusal(error) from error

    def _holding_out(self, attempt: Callable[[float], Result], seconds: float) -> Result:
        """Repeat what raises `Busy`, with pauses that grow; `attempt` is told how many seconds are left."""
        end = self._monotonic() + seconds
        pause = _FIRST_PAUSE
        while True:
            try:
                return attempt(max(_LEAST_SECONDS, end - self._monotonic()))
            except Busy as error:
                # Many that were turned away at once should not come back at once.
                wait = pause * random.uniform(0.5, 1.0)  # noqa: S311 - nothing is guessed from it
                if self._monotonic() + wait >= end:
                    raise unavailable() from error
            self._sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def close(self) -> None:
        """Let go of the connections."""
        self._wire.close()


def unavailable() -> SearchUnavailable:
    """Build the error for an engine that does not answer in time."""
    return SearchUnavailable("The search engine does not answer: try again in a moment")


def refusal(error: Refused) -> KnowhubError:
    """Build the error for what the engine refused; `error` names its cause for the log."""
    if error.status == _NOT_FOUND:
        return SearchUnavailable("This generation of the chunk index is not there")
    if error.status in _FORBIDDEN:
        return SearchUnavailable("The search engine does not let this process in")
    if error.status == _TOO_LARGE:
        return PayloadTooLarge("A chunk is larger than the search engine takes")
    return Internal("The search engine refused a request")
