"""Running transformers around a chunker, so that places in the source survive them."""

from collections.abc import Sequence

from knowhub.model.chunk import Piece
from knowhub.transformers.offsets import OffsetMap, unchanged
from knowhub.transformers.transformer import Transformer


def preprocess(text: str, transformers: Sequence[Transformer]) -> tuple[str, OffsetMap]:
    """Run the first hooks in order; the map leads from the last text to the first."""
    offsets = unchanged(len(text))
    for transformer in transformers:
        text, later = transformer.preprocess(text)
        offsets = later.after(offsets)
    return text, offsets


def postprocess(pieces: Sequence[Piece], transformers: Sequence[Transformer]) -> list[Piece]:
    """Run the second hooks in order."""
    for transformer in transformers:
        pieces = transformer.postprocess(pieces)
    return list(pieces)
