"""The generations of the chunk index: one that is searched, and perhaps a next one that is being built beside it.

A generation belongs to one embedder and one version of the analyser. Another embedder means a next generation, which is
written beside the one that serves until it is complete, and then takes its place at once.
"""

from dataclasses import dataclass
from typing import Protocol

from knowhub.ports.chunk_index import ChunkIndex


@dataclass(frozen=True, slots=True)
class Generation:
    """One index; numbers count from 1 and are never used again.

    `embedder` is the identity of the model whose vectors it holds, empty where it holds none; `dimension` is their
    length, then 0. `analyser` is the version of the analyser that made its terms.
    """

    number: int
    embedder: str
    dimension: int
    analyser: int


class ChunkGenerations(Protocol):
    """Makes, names and removes generations; what it says of them survives the process.

    An engine that fails or is away raises `SearchUnavailable`. `serving` and `building` may lag behind another process
    by up to 5 seconds.
    """

    def serving(self) -> Generation | None:
        """Name the generation that searches read; None where there is none yet."""

    def building(self) -> Generation | None:
        """Name the one that is being built beside it, if any."""

    def create(self, embedder: str, dimension: int, analyser: int) -> Generation:
        """Make the next generation, empty: it serves at once where none does, else it is the one being built.

        Raises `Conflict` while one is being built; of two processes that make the first one, both get the same.
        """

    def serve(self, number: int) -> None:
        """Let searches read the generation that was being built, from one moment to the next; again is no error.

        The one that served before stays, neither serving nor being built, until it is dropped.
        """

    def drop(self, number: int) -> None:
        """Remove a generation that does not serve, with all its chunks; one that is gone is no error.

        Raises `Conflict` for the one that serves.
        """

    def retired(self) -> list[Generation]:
        """List those that neither serve nor are being built, ascending."""

    def index(self, number: int) -> ChunkIndex:
        """Open a generation's index; the same object each time in one process.

        Raises `SearchUnavailable`, at its first use at the latest, for one that is not there.
        """
