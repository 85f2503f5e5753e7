"""Reranking: a model's judgement over the best passages; where it can't be had, the fused order stays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from knowhub.errors import Unavailable
from knowhub.model.chunk import Chunk
from knowhub.ports.reranker import Reranker
from knowhub.retrieval.fusion import Fused

DEPTH = 50
"""Passages that a reranker judges."""


@dataclass(frozen=True, slots=True)
class Reranked:
    """Passages in their order, and what came of the reranking, for debugging."""

    passages: Sequence[Fused]
    outcome: Mapping[str, object]


def rerank(reranker: Reranker, query: str, ranked: Sequence[Fused], chunks: Mapping[str, Chunk]) -> Reranked:
    """Order the best passages anew, with the model's score in the place of the fused one.

    What the model does not judge is left out: its score could not be compared.
    """
    judged = [one for one in ranked[:DEPTH] if one.candidate.chunk_id in chunks]
    texts = [_text(chunks[one.candidate.chunk_id]) for one in judged]
    if not texts:
        return Reranked(judged, {"used": True, "judged": 0})
    try:
        scores = reranker.rerank(query, texts, len(texts))
    except Unavailable as error:
        return Reranked(ranked, {"used": False, "reason": error.message})
    passages = [Fused(judged[place].candidate, min(max(score, 0.0), 1.0)) for place, score in scores]
    return Reranked(passages, {"used": True, "judged": len(judged)})


def _text(chunk: Chunk) -> str:
    head = " > ".join(part for part in (chunk.title, chunk.header_path) if part)
    return f"{head}\n{chunk.text}" if head else chunk.text
