"""The plain text reader."""

from knowhub.model.extraction import ReadDocument
from knowhub.readers.caps import cap, require_text
from knowhub.readers.encoding import decode


def read(data: bytes, name: str) -> ReadDocument:  # noqa: ARG001 - every reader is called alike
    """Decode a text as it stands; raises `UnsupportedMediaType` for binary bytes, `Unreadable` without text."""
    decoded = decode(data)
    text, cut = cap(decoded.text)
    require_text(text)
    return ReadDocument(text=text, chunker_name="fixed", losses=(*decoded.losses, *cut), encoding=decoded.encoding)
