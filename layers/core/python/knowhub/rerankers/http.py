"""Rerankers over HTTP: `POST {model, query, documents, top_n}` gives `{results: [{index, relevance_score}]}`."""

from collections.abc import Sequence
from typing import Any

from knowhub.calling.keys import Key
from knowhub.calling.posting import Poster, Refused
from knowhub.calling.retrying import Retries
from knowhub.rerankers.scores import SECONDS, Ranking, judged
from knowhub.settings import InvalidSettings

_MOST_BYTES = 4 * 1024 * 1024


class HttpReranker:
    """A model of a rerank server; with `logits` its scores are any numbers, else 0 to 1."""

    def __init__(
        self,
        poster: Poster,
        model: str,
        *,
        key: Key | None = None,
        logits: bool = False,
        retries: Retries | None = None,
    ) -> None:
        """Keep how the server is reached; nothing is asked, and the key is not read yet."""
        self._poster = poster
        self._model = model
        self._key = key
        self._logits = logits
        self._retries = retries or Retries()

    def rerank(self, query: str, documents: Sequence[str], top_n: int) -> Ranking:
        """Have the model judge the documents, within a few seconds."""
        return judged(query, documents, top_n, self._ask, logits=self._logits)

    def _ask(self, query: str, documents: list[str], top_n: int) -> Any:
        content = {"model": self._model, "query": query, "documents": documents, "top_n": top_n}
        secret = None if self._key is None else self._key.secret()

        def attempt(left: float) -> Any:
            return self._poster.post("", content, secret=secret, seconds=left, most=_MOST_BYTES)

        try:
            return self._retries.within(SECONDS, attempt)
        except Refused as error:
            raise InvalidSettings(f"KNOWHUB_RERANKER: {error}") from None
