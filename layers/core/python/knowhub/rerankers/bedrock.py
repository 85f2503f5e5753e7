"""Rerankers of Amazon Bedrock: Cohere's rerank v3.5 and Amazon's rerank v1, through `InvokeModel`.

The service's own `Rerank` call asks for a right on every resource; this one needs the model's alone.
"""

from collections.abc import Sequence
from typing import Any

from knowhub.calling.bedrock import BedrockModel, TooLong
from knowhub.errors import Unavailable
from knowhub.rerankers.scores import SECONDS, Ranking, judged


class BedrockReranker:
    """A reranking model of Bedrock."""

    def __init__(self, model: BedrockModel) -> None:
        self._model = model

    def rerank(self, query: str, documents: Sequence[str], top_n: int) -> Ranking:
        """Have the model judge the documents, within a few seconds."""
        return judged(query, documents, top_n, self._ask)

    def _ask(self, query: str, documents: list[str], top_n: int) -> Any:
        content: dict[str, object] = {"query": query, "documents": documents, "top_n": top_n}
        if self._model.model.startswith("cohere."):
            content["api_version"] = 2
        try:
            return self._model.invoke(content, seconds=SECONDS)
        except TooLong as error:
            raise Unavailable("The reranker takes no documents of this length") from error
