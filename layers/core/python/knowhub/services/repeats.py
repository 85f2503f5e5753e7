"""Requests that may be sent again: under one key a thing is made once, whatever becomes of the answer."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from knowhub.catalog.repeats import RepeatRow, RepeatRows
from knowhub.errors import Conflict, InvalidRequest
from knowhub.model.principal import Principal
from knowhub.ports.clock import Clock

KEPT_SECONDS = 24 * 3600

BUSY_SECONDS = 60
"""How long a request counts as being at it: longer than a function answers. One that died holds others off so long."""

_KEY = re.compile(r"[\x21-\x7e]{1,200}")

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Once:
    """A request that may come again: who sends it, to which route, under which key, and its body."""

    principal: Principal
    route: str
    key: str
    body: bytes

    @property
    def digest(self) -> str:
        """Name the request; its key stays with its sender and its route."""
        return _hash(f"{self.principal.user_id}\n{self.principal.credential_id}\n{self.route}\n{self.key}".encode())


class Repeats:
    """Makes things once a key."""

    def __init__(self, rows: RepeatRows, clock: Clock) -> None:
        """Keep the collaborators."""
        self._rows = rows
        self._clock = clock

    def once(
        self,
        request: Once,
        make: Callable[[], Made],
        ids_of: Callable[[Made], Mapping[str, object]],
        again: Callable[[Mapping[str, object]], Made],
    ) -> Made:
        """Make a thing, or show what an earlier request under the same key has made.

        `ids_of` gives what is kept: ids, never what was sent. Raises `Conflict` for the same key with another body and
        while the earlier request is at it, `InvalidRequest` for a key that can't be one. What fails keeps nothing.
        """
        if not _KEY.fullmatch(request.key):
            raise InvalidRequest("An Idempotency-Key has 1 to 200 visible ASCII characters")
        now = int(self._clock.now())
        body = _hash(request.body)
        begun = RepeatRow(body, now + BUSY_SECONDS, now + KEPT_SECONDS)
        if not self._rows.begin(request.digest, begun, now):
            return again(self._earlier(request, body))
        try:
            made = make()
        except BaseException:
            self._rows.forget(request.digest)
            raise
        kept = RepeatRow(body, now + KEPT_SECONDS, now + KEPT_SECONDS, dict(ids_of(made)))
        self._rows.done(request.digest, kept)
        return made

    def _earlier(self, request: Once, body: str) -> Mapping[str, object]:
        row = self._rows.get(request.digest)
        if row is not None and row.body != body:
            raise Conflict("This Idempotency-Key was used with another body")
        if row is None or not row.made:
            raise Conflict("A request with this Idempotency-Key is being answered")
        return row.made


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
