"""The two hooks of a transformer."""

from collections.abc import Sequence
from typing import Protocol

from knowhub.model.chunk import Piece
from knowhub.transformers.offsets import OffsetMap


class Transformer(Protocol):
    """Changes a text before it is cut, its pieces afterwards, or both; one that leaves either alone gives it back."""

    def preprocess(self, text: str) -> tuple[str, OffsetMap]:
        """Change a whole text, and say where what is left of it stood."""
        ...

    def postprocess(self, pieces: Sequence[Piece]) -> Sequence[Piece]:
        """Change, leave out or reorder pieces; their spans and locators stay those of the source."""
        ...
