"""What a reranker is asked with, and how its answer is read."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from knowhub.calling.texts import says_something, sendable
from knowhub.errors import Unavailable
from knowhub.settings import InvalidSettings

SECONDS = 4.0
"""How long a rerank may take, with all that is tried again: somebody waits, and has an order to fall back on."""

_DOCUMENT_CHARACTERS = 4000
_QUERY_CHARACTERS = 1000

Ranking = list[tuple[int, float]]


def judged(
    query: str,
    documents: Sequence[str],
    top_n: int,
    ask: Callable[[str, list[str], int], Any],
    *,
    logits: bool = False,
) -> Ranking:
    """Ask for a judgement and read it; positions are those of `documents`.

    A query is cut at 1,000 characters and a document at 4,000. Blank documents are not sent and not judged. `logits`
    are scores of any size, which the logistic function brings to 0..1. Whatever fails is `Unavailable`: the setting
    too, since a search goes on without a reranker.
    """
    places = [place for place, text in enumerate(documents) if says_something(text)]
    wanted = min(top_n, len(places))
    if wanted < 1 or not says_something(query):
        return []
    sent = [sendable(documents[place], _DOCUMENT_CHARACTERS) for place in places]
    try:
        answer = ask(sendable(query, _QUERY_CHARACTERS), sent, wanted)
    except InvalidSettings as error:
        raise Unavailable("The reranker does not take requests of this hub") from error
    pairs = [_pair(item, len(places), logits=logits) for item in _items(answer)]
    if not pairs or len({place for place, _ in pairs}) != len(pairs):
        raise Unavailable("The reranker answers with no document, or with one twice")
    ranked = sorted(((places[place], score) for place, score in pairs), key=lambda pair: (-pair[1], pair[0]))
    return ranked[:wanted]


def _items(answer: Any) -> list[Any]:
    items = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(items, list):
        raise Unavailable("The reranker answers in a form that is not known here")
    return items


def _pair(item: Any, count: int, *, logits: bool) -> tuple[int, float]:
    place, score = (item.get("index"), item.get("relevance_score")) if isinstance(item, dict) else (None, None)
    if type(place) is not int or not 0 <= place < count:
        raise Unavailable("The reranker judges a document that it was not given")
    if not isinstance(score, int | float) or isinstance(score, bool) or not math.isfinite(score):
        raise Unavailable("The reranker gives a score that is no number")
    value = _logistic(score) if logits else float(score)
    if not 0 <= value <= 1:
        raise Unavailable("The reranker gives scores that are not between 0 and 1")
    return place, value


def _logistic(value: float) -> float:
    # Where the exponential would overflow, the result is 0 or 1 in any case.
    return 1 / (1 + math.exp(-max(min(value, 500.0), -500.0)))
