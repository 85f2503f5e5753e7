"""Generations of the chunk index in memory, for tests that look at what is written to which."""

from dataclasses import dataclass, field

from knowhub.errors import Conflict
from knowhub.ports.chunk_generations import Generation
from tests.chunk_oracle import OracleChunkIndex


@dataclass
class MemoryGenerations:
    """Keeps every generation and its index; nothing lags."""

    known: dict[int, Generation] = field(default_factory=dict)
    indexes: dict[int, OracleChunkIndex] = field(default_factory=dict)
    served: int = 0
    built: int = 0
    last: int = 0

    def serving(self) -> Generation | None:
        return self.known.get(self.served)

    def building(self) -> Generation | None:
        return self.known.get(self.built)

    def create(self, embedder: str, dimension: int, analyser: int) -> Generation:
        if self.built:
            raise Conflict("one is being built")
        self.last += 1
        made = Generation(self.last, embedder, dimension, analyser)
        self.known[made.number] = made
        self.indexes[made.number] = OracleChunkIndex()
        if self.served:
            self.built = made.number
        else:
            self.served = made.number
        return made

    def serve(self, number: int) -> None:
        self.served = number
        self.built = 0 if self.built == number else self.built

    def drop(self, number: int) -> None:
        if number == self.served:
            raise Conflict("it serves")
        self.built = 0 if self.built == number else self.built
        self.known.pop(number, None)
        self.indexes.pop(number, None)

    def retired(self) -> list[Generation]:
        return [one for number, one in sorted(self.known.items()) if number not in {self.served, self.built}]

    def index(self, number: int) -> OracleChunkIndex:
        return self.indexes[number]
