"""Embedders of Amazon Bedrock: Titan text embeddings v2, and Cohere's multilingual v3.

Texts over a model's limit are cut at their end: at 8,000 characters for Titan, which takes 8,192 tokens, and in half
again for as long as it counts more; at 2,048 characters for Cohere, which cuts what is over 512 tokens itself.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, TypeVar

from knowhub.calling.bedrock import BedrockModel, TooLong
from knowhub.calling.texts import sendable
from knowhub.embedders.vectors import Vector, embed_with_gaps, unit
from knowhub.errors import Unavailable
from knowhub.ports.embedder import EmbedderProfile

QUERY_SECONDS = 5.0
"""How long a query may be tried: somebody waits for it."""

DOCUMENT_SECONDS = 60.0
"""How long one call for documents may be tried."""

_PARALLEL = 6
_TITAN_CHARACTERS = 8000
_TITAN_SHORTEST = 500
_COHERE_CHARACTERS = 2048
_COHERE_TEXTS = 96

Item = TypeVar("Item")
Result = TypeVar("Result")


class TitanEmbedder:
    """Titan text embeddings v2: one text a call, some calls at a time."""

    def __init__(self, model: BedrockModel, length: int, *, weight: float | None = None) -> None:
        self._model = model
        self.profile = _profile(model, length, weight)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed texts; queries and documents are treated alike."""
        return embed_with_gaps(
            texts, lambda told: _side_by_side(lambda text: self._embed(text, DOCUMENT_SECONDS), told)
        )

    def embed_query(self, text: str) -> Vector | None:
        """Embed one text, within a few seconds."""
        return embed_with_gaps([text], lambda told: [self._embed(told[0], QUERY_SECONDS)])[0]

    def _embed(self, text: str, seconds: float) -> Vector | None:
        length = self.profile.dimension
        cut = sendable(text, _TITAN_CHARACTERS)
        while True:
            try:
                answer = self._model.invoke(
                    {"inputText": cut, "dimensions": length, "normalize": True}, seconds=seconds
                )
                return unit(_member(answer, "embedding"), length)
            except TooLong as error:
                if len(cut) < _TITAN_SHORTEST:
                    raise Unavailable("Bedrock's model takes no text of this length") from error
                cut = cut[: len(cut) // 2]


class CohereEmbedder:
    """Cohere's multilingual v3: up to 96 texts a call, and another kind of vector for queries than for documents."""

    def __init__(self, model: BedrockModel, length: int, *, weight: float | None = None) -> None:
        self._model = model
        self.profile = _profile(model, length, weight)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed texts as what is searched."""
        return embed_with_gaps(texts, self._embed_batches)

    def embed_query(self, text: str) -> Vector | None:
        """Embed a text as what is searched for, within a few seconds."""
        return embed_with_gaps([text], lambda told: self._embed(told, "search_query", QUERY_SECONDS))[0]

    def _embed_batches(self, texts: list[str]) -> list[Vector | None]:
        batches = [texts[start : start + _COHERE_TEXTS] for start in range(0, len(texts), _COHERE_TEXTS)]
        found = _side_by_side(lambda batch: self._embed(batch, "search_document", DOCUMENT_SECONDS), batches)
        return [vector for batch in found for vector in batch]

    def _embed(
        self, texts: list[str], purpose: Literal["search_document", "search_query"], seconds: float
    ) -> list[Vector | None]:
        cut = [sendable(text, _COHERE_CHARACTERS) for text in texts]
        try:
            answer = self._model.invoke({"texts": cut, "input_type": purpose, "truncate": "END"}, seconds=seconds)
        except TooLong as error:
            raise Unavailable("Bedrock's model takes no text of this length") from error
        vectors = _member(answer, "embeddings")
        if isinstance(vectors, dict):
            vectors = vectors.get("float")
        if not isinstance(vectors, list) or len(vectors) != len(texts):
            raise Unavailable("Bedrock's model answers with another number of vectors than texts")
        return [unit(vector, self.profile.dimension) for vector in vectors]


def embedder(model: BedrockModel, length: int, *, weight: float | None) -> TitanEmbedder | CohereEmbedder:
    """Give the embedder that speaks the model's dialect."""
    kind = CohereEmbedder if model.model.startswith("cohere.") else TitanEmbedder
    return kind(model, length, weight=weight)


def _profile(model: BedrockModel, length: int, weight: float | None) -> EmbedderProfile:
    identity = f"bedrock:{model.model}:{length}"
    return EmbedderProfile(identity, length, 1.0 if weight is None else weight)


def _side_by_side(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Do the work on every item, some at a time, in order; the first failure stops what has not begun."""
    if len(items) == 1:
        return [work(items[0])]
    with ThreadPoolExecutor(min(_PARALLEL, len(items)), thread_name_prefix="embedding") as pool:
        try:
            return list(pool.map(work, items))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _member(answer: Any, name: str) -> Any:
    if not isinstance(answer, dict) or name not in answer:
        raise Unavailable("Bedrock's model answers in a form that is not known here")
    return answer[name]
