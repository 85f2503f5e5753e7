"""Making one of many: repeats of a string that follow each other."""

import re
from collections.abc import Iterator, Sequence

from knowhub.model.chunk import Piece
from knowhub.transformers.offsets import OffsetMap, unchanged, without


class CharDedup:
    """Collapses two or more repeats of a string that follow each other to one, string after string in their order.

    Empty strings are ignored.
    """

    def __init__(self, *strings: str) -> None:
        """Keep the strings."""
        self._strings = [string for string in strings if string]

    def preprocess(self, text: str) -> tuple[str, OffsetMap]:
        """Collapse the repeats."""
        offsets = unchanged(len(text))
        for string in self._strings:
            text, later = without(text, _repeats(text, string))
            offsets = later.after(offsets)
        return text, offsets

    def postprocess(self, pieces: Sequence[Piece]) -> Sequence[Piece]:
        """Leave the pieces as they are."""
        return pieces


def _repeats(text: str, string: str) -> Iterator[tuple[int, int]]:
    """Find what follows the first of each run of repeats."""
    for match in re.finditer(f"(?:{re.escape(string)}){{2,}}+", text):
        yield match.start() + len(string), match.end()
