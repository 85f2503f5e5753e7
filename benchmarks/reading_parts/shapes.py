"""What each library's module gives to the measurement."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

GIVEN = "#"
CUT_AT = "+"


class Chunker(NamedTuple):
    """How a library cuts: `cut` is timed; `shown` reads the text of what it gave, `own` that without additions.

    `headings` says what it does with them: `GIVEN` with each chunk, only `CUT_AT`, or nothing. `capped` says whether no
    chunk is meant to be over the size.
    """

    cut: Callable[[str], Iterable[Any]]
    shown: Callable[[Any], str]
    own: Callable[[Any], str] | None = None
    headings: str = ""
    capped: bool = True


Chunkers = dict[str, Callable[[int], Chunker]]
"""By name, made for a chunk size."""

Readers = dict[str, Callable[[bytes, Path], str]]
"""By file extension: from bytes and path to text."""
