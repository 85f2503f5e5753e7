"""Embedders behind `POST {base}/embeddings`, as OpenAI describes it and many servers speak it.

Texts are cut at the number of characters of the setting. A batch has at most 64 texts and 100,000 characters.
"""

import base64
import binascii
import struct
from collections.abc import Iterator, Sequence
from typing import Any

from knowhub.calling.keys import Key
from knowhub.calling.posting import Poster, Refused
from knowhub.calling.retrying import Retries
from knowhub.calling.texts import sendable
from knowhub.choices import EmbedderChoice
from knowhub.embedders.vectors import Vector, embed_with_gaps, unit
from knowhub.errors import Unavailable
from knowhub.ports.embedder import EmbedderProfile
from knowhub.settings import InvalidSettings

QUERY_SECONDS = 5.0
"""How long a query may be tried: somebody waits for it."""

DOCUMENT_SECONDS = 60.0
"""How long one batch may be tried."""

_ATTEMPT_SECONDS = 30.0
_BATCH_TEXTS = 64
_BATCH_CHARACTERS = 100_000
_BYTES_OF_A_NUMBER = 32
_BYTES_BESIDE = 64 * 1024


class OpenAiCompatibleEmbedder:
    """A model of an embeddings server. Queries and documents are treated alike."""

    def __init__(
        self,
        poster: Poster,
        choice: EmbedderChoice,
        *,
        key: Key | None = None,
        weight: float | None = None,
        retries: Retries | None = None,
    ) -> None:
        """Keep how the server is reached; nothing is asked, and the key is not read yet."""
        self._poster = poster
        self._choice = choice
        self._key = key
        self._retries = retries or Retries()
        # Servers name models as they like, so that a model is known by its name together with its server's.
        identity = f"openai:{poster.endpoint.host}:{choice.model}:{choice.length}"
        self.profile = EmbedderProfile(identity, choice.length, 1.0 if weight is None else weight)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed texts, one batch after the other."""
        return embed_with_gaps(texts, self._embed_batches)

    def embed_query(self, text: str) -> Vector | None:
        """Embed one text, within a few seconds."""
        return embed_with_gaps([text], lambda told: self._embed([self._cut(told[0])], QUERY_SECONDS))[0]

    def _embed_batches(self, texts: list[str]) -> list[Vector | None]:
        cut = [self._cut(text) for text in texts]
        return [vector for batch in _batches(cut) for vector in self._embed(batch, DOCUMENT_SECONDS)]

    def _cut(self, text: str) -> str:
        return sendable(text, self._choice.characters)

    def _embed(self, texts: list[str], seconds: float) -> list[Vector | None]:
        content: dict[str, object] = {"model": self._choice.model, "input": texts, "encoding_format": "float"}
        if self._choice.asked:
            content["dimensions"] = self._choice.length
        secret = None if self._key is None else self._key.secret()
        most = len(texts) * self._choice.length * _BYTES_OF_A_NUMBER + _BYTES_BESIDE

        def attempt(left: float) -> Any:
            seconds = min(left, _ATTEMPT_SECONDS)
            return self._poster.post("/embeddings", content, secret=secret, seconds=seconds, most=most)

        try:
            answer = self._retries.within(seconds, attempt)
        except Refused as error:
            raise InvalidSettings(f"KNOWHUB_EMBEDDER: {error}") from None
        return [unit(_numbers(item), self._choice.length) for item in _in_order(answer, len(texts))]


def _batches(texts: list[str]) -> Iterator[list[str]]:
    """Part texts into batches; one text alone may be over the number of characters."""
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == _BATCH_TEXTS or size + len(text) > _BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def _in_order(answer: Any, count: int) -> list[Any]:
    """Give the answer's items in the order of the texts: by their `index`, or as they stand where none has one."""
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise Unavailable("The embedder answers in a form that is not known here")
    if len(items) != count:
        raise Unavailable(f"The embedder answers with {len(items)} vectors for {count} texts")
    if not any("index" in item for item in items):
        return items
    placed = {item.get("index"): item for item in items if type(item.get("index")) is int}
    if placed.keys() != set(range(count)):
        raise Unavailable("The embedder does not say which vector is of which text")
    return [placed[place] for place in range(count)]


def _numbers(item: dict[str, Any]) -> object:
    """Read a vector that is a list, or base64 of 32-bit floats with the lowest byte first."""
    found = item.get("embedding")
    if not isinstance(found, str):
        return found
    try:
        data = base64.b64decode(found, validate=True)
        return list(struct.unpack(f"<{len(data) // 4}f", data))
    except (binascii.Error, ValueError, struct.error):
        raise Unavailable("The embedder answers with vectors that can't be decoded") from None
