"""The generations on an engine: an index each, and aliases that tell what each of them is for.

<prefix>-<number>           the index; what it was made for stands in its mapping's `_meta`
<prefix>-<number>-writes    an alias of it, which bulk writes go to: unlike an index, an engine makes no alias by itself
<prefix>                    the alias of the one that serves: of several that bear it, that with the highest number
<prefix>-building           the alias of the one that is being built, unless that serves
<prefix>-last-<number>      marks a number as used where the index that had it is gone

One change of one alias of one index is what each step of a switch is, so that it needs no right to anything beside the
indexes of this prefix.
"""

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from knowhub.errors import Conflict, SearchUnavailable
from knowhub.ports.chunk_generations import Generation
from knowhub.stores.opensearch.chunk_reader import Facts, encoded
from knowhub.stores.opensearch.engine import Engine, refusal
from knowhub.stores.opensearch.index import OpenSearchChunkIndex
from knowhub.stores.opensearch.places import Tuning
from knowhub.stores.opensearch.schema import FORMAT, index_body
from knowhub.stores.opensearch.wire import Refused

LAG_SECONDS = 5.0
"""How long what was read of the generations is believed."""

_NOT_FOUND = 404
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class _Seen:
    """All generations of a prefix at one moment, ascending."""

    made: dict[int, Generation]
    shards: dict[int, int]
    bearing: frozenset[int]
    marked_as_built: frozenset[int]
    last: int

    @property
    def serving(self) -> Generation | None:
        """The one that serves."""
        return self.made[max(self.bearing)] if self.bearing else None

    @property
    def building(self) -> Generation | None:
        """The one that is being built."""
        built = [number for number in self.marked_as_built if number not in self.bearing]
        return self.made[max(built)] if built else None


class OpenSearchGenerations:
    """Generations behind one prefix of an engine; safe between threads and processes."""

    def __init__(
        self,
        engine: Engine,
        prefix: str,
        tuning: Tuning | None = None,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Remember where; nothing is asked yet."""
        self._engine = engine
        self._prefix = prefix
        self._tuning = tuning or Tuning()
        self._monotonic = monotonic
        self._guard = threading.Lock()
        self._seen: tuple[float, _Seen] | None = None
        self._indexes: dict[int, OpenSearchChunkIndex] = {}

    def serving(self) -> Generation | None:
        """Name the generation that serves."""
        return self._lately().serving

    def building(self) -> Generation | None:
        """Name the generation that is being built."""
        return self._lately().building

    def retired(self) -> list[Generation]:
        """List the others."""
        seen = self._now()
        return [one for one in seen.made.values() if one not in {seen.serving, seen.building}]

    def create(self, embedder: str, dimension: int, analyser: int) -> Generation:
        """Make the next generation."""
        first = self._now().serving is None
        for _ in range(_ATTEMPTS):
            seen = self._now()
            if first and seen.serving is not None:
                return seen.serving  # another process was faster
            if seen.building is not None:
                raise Conflict("A generation of the chunk index is being built", {"generation": seen.building.number})
            made = Generation(seen.last + 1, embedder, dimension, analyser)
            if self._make(made, self._prefix if seen.serving is None else f"{self._prefix}-building"):
                self._forget()
                return made
        raise SearchUnavailable("Other processes keep making generations of the chunk index")

    def serve(self, number: int) -> None:
        """Let a generation serve."""
        seen = self._now()
        if number not in seen.made:
            raise SearchUnavailable(f"There is no generation {number} of the chunk index")
        try:
            # While both bear the alias the higher number serves, so that the switch is one of these steps alone.
            if number not in seen.bearing:
                self._tell("PUT", f"/{self._name(number)}/_alias/{self._prefix}")
            for other in seen.bearing - {number}:
                self._tell("DELETE", f"/{self._name(other)}/_alias/{self._prefix}")
            if number in seen.marked_as_built:
                self._tell("DELETE", f"/{self._name(number)}/_alias/{self._prefix}-building")
        finally:
            self._forget()

    def drop(self, number: int) -> None:
        """Remove a generation."""
        seen = self._now()
        serving = seen.serving
        if serving is not None and serving.number == number:
            raise Conflict("This generation of the chunk index serves", {"generation": number})
        try:
            if serving is not None and number == seen.last:
                self._tell("PUT", f"/{self._name(serving.number)}/_alias/{self._prefix}-last-{number}")
            self._tell("DELETE", f"/{self._name(number)}")
        finally:
            self._forget()

    def index(self, number: int) -> OpenSearchChunkIndex:
        """Open a generation's index."""
        with self._guard:
            if number not in self._indexes:
                self._indexes[number] = OpenSearchChunkIndex(
                    self._engine,
                    self._name(number),
                    f"{self._name(number)}-writes",
                    lambda: self._facts(number),
                    exact_scope=self._tuning.exact,
                )
            return self._indexes[number]

    def close(self) -> None:
        """Let go of the connections; a later call opens new ones."""
        self._engine.close()

    def _make(self, made: Generation, role: str) -> bool:
        """Make an index; False where another process has just made one of this number."""
        body = index_body(made, shards=self._tuning.shards, vectors=self._tuning.vectors)
        body["aliases"] = {role: {}, f"{self._name(made.number)}-writes": {}}
        try:
            self._engine.told("PUT", f"/{self._name(made.number)}", encoded(body))
        except Refused as error:
            if "resource_already_exists_exception" in error.kind:
                return False
            raise refusal(error) from error
        return True

    def _tell(self, method: str, path: str) -> None:
        """Change something; where what is to go is gone, that is done."""
        try:
            self._engine.told(method, path)
        except Refused as error:
            if not (method == "DELETE" and error.status == _NOT_FOUND):
                raise refusal(error) from error

    def _facts(self, number: int) -> Facts:
        seen = self._lately(number)
        if number not in seen.made:
            raise SearchUnavailable(f"There is no generation {number} of the chunk index")
        return Facts(seen.made[number].dimension, seen.shards[number])

    def _name(self, number: int) -> str:
        return f"{self._prefix}-{number}"

    def _lately(self, number: int | None = None) -> _Seen:
        """Give what is known, unless it is old; what an index was made with never changes, and does not get old."""
        with self._guard:
            known = self._seen
        if known is not None:
            fresh = self._monotonic() < known[0] + LAG_SECONDS and known[1].serving is not None
            if number in known[1].made if number is not None else fresh:
                return known[1]
        return self._now()

    def _now(self) -> _Seen:
        started = self._monotonic()
        try:
            answer = self._engine.told("GET", f"/{self._prefix}-*", params={"expand_wildcards": "open"})
        except Refused as error:
            raise refusal(error) from error
        seen = _read(self._prefix, answer)
        with self._guard:
            self._seen = (started, seen)
        return seen

    def _forget(self) -> None:
        with self._guard:
            self._seen = None


def _read(prefix: str, answer: Any) -> _Seen:
    """Read what the engine has; indexes of the same beginning that are none of ours are passed over."""
    made: dict[int, Generation] = {}
    shards: dict[int, int] = {}
    aliases: dict[int, set[str]] = {}
    try:
        for name, one in answer.items():
            found = re.fullmatch(rf"{re.escape(prefix)}-(\d+)", name)
            meta = one["mappings"].get("_meta", {})
            if found is None or meta.get("format") != FORMAT:
                continue
            number = int(found[1])
            made[number] = Generation(number, meta["embedder"], meta["dimension"], meta["analyser"])
            shards[number] = int(one["settings"]["index"]["number_of_shards"])
            aliases[number] = set(one["aliases"])
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise SearchUnavailable("The search engine describes its indexes in a way that is not understood") from error
    used = [*made, *(int(found[1]) for each in aliases.values() for alias in each
                     if (found := re.fullmatch(rf"{re.escape(prefix)}-last-(\d+)", alias)))]  # fmt: skip
    return _Seen(
        made=dict(sorted(made.items())),
        shards=shards,
        bearing=frozenset(number for number, each in aliases.items() if prefix in each),
        marked_as_built=frozenset(number for number, each in aliases.items() if f"{prefix}-building" in each),
        last=max(used, default=0),
    )
