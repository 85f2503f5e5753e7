"""What each engine's module gives to the measurement."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from benchmarks.search_parts.rows import Query

TOP = 10


class Engine(Protocol):
    """One library over the rows of a folder.

    `KINDS` names how it can be asked. Answers are row ids, best first, of which `TOP` are asked for unless said
    otherwise, and the texts have been read.
    """

    KINDS: tuple[str, ...]

    def build(self, rows: Path, count: int, store: Path) -> None:
        """Write the first rows to a new store, durably, with all indexes that searches use."""

    def ask(self, kind: str, query: Query, vector: Any, top: int, *, filtered: bool) -> Sequence[str]:
        """Answer one query; `filtered` keeps to the rows of its topic."""

    def notes(self) -> dict[str, list[float]]:
        """Give figures of the answers since the last call, by name; empty where there are none."""

    def close(self) -> None:
        """Let go of the store."""
