"""An embedder for tests: a text's direction is the sum of its words', and two words' directions are far apart."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from knowhub.errors import Unavailable
from knowhub.ports.embedder import EmbedderProfile

DIMENSION = 16


@dataclass
class WordEmbedder:
    """Embeds by words; `synonyms` gives words the direction of another, and what it was asked is kept."""

    identity: str = "words:1"
    weight: float = 1.0
    cross_language: bool = False
    synonyms: Mapping[str, str] = field(default_factory=dict)
    down: bool = False
    documents: list[str] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)

    @property
    def profile(self) -> EmbedderProfile:
        return EmbedderProfile(self.identity, DIMENSION, self.weight, self.cross_language)

    def embed_documents(self, texts: Sequence[str]) -> list[Sequence[float] | None]:
        self._answer()
        self.documents += texts
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> Sequence[float] | None:
        self._answer()
        self.queries.append(text)
        return self._vector(text)

    def _answer(self) -> None:
        if self.down:
            raise Unavailable("The embedder does not answer")

    def _vector(self, text: str) -> Sequence[float] | None:
        words = [self.synonyms.get(word, word) for word in text.lower().split() if word.isalpha()]
        sums = [sum(column) for column in zip(*map(_direction, words), strict=True)]
        length = math.sqrt(sum(value * value for value in sums))
        return [value / length for value in sums] if length else None


def _direction(word: str) -> list[float]:
    return [byte / 127.5 - 1 for byte in hashlib.sha256(word.encode()).digest()[:DIMENSION]]
