"""Taking strings out of a text."""

import re
from collections.abc import Sequence

from knowhub.model.chunk import Piece
from knowhub.transformers.offsets import OffsetMap, unchanged, without


class CharFilter:
    """Removes each of its strings wherever it stands, in one pass: what comes together by that is left.

    Where two of them begin at one place, the longer one goes. Empty strings are ignored.
    """

    def __init__(self, *strings: str) -> None:
        """Keep the strings."""
        found = sorted(filter(None, strings), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, found))) if found else None

    def preprocess(self, text: str) -> tuple[str, OffsetMap]:
        """Take the strings out."""
        if self._pattern is None:
            return text, unchanged(len(text))
        return without(text, (match.span() for match in self._pattern.finditer(text)))

    def postprocess(self, pieces: Sequence[Piece]) -> Sequence[Piece]:
        """Leave the pieces as they are."""
        return pieces
