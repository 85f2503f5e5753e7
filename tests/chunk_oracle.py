"""A chunk index in plain Python, written from the port's text: slow, in memory, and with nothing to hide behind."""

import json
import math
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from knowhub.errors import InvalidRequest
from knowhub.model.chunk import Chunk
from knowhub.ports.chunk_filters import condition
from knowhub.ports.chunk_index import (
    MAX_CANDIDATES,
    MAX_ID_BYTES,
    MAX_TOKEN_BYTES,
    Candidate,
    DenseLeg,
    EveryLeg,
    IndexedChunk,
    IndexScope,
    KeywordLeg,
    Leg,
    LegResult,
)
from tests.filtering import lets_by

K1 = 1.2
B = 0.75
EXACT_LENGTHS = 40


class OracleChunkIndex:
    """Writes and deletes wait for `refresh`, as late as the port allows."""

    def __init__(self) -> None:
        self._chunks: dict[str, IndexedChunk] = {}
        self._waiting: list[Callable[[], None]] = []
        self._dimension: int | None = None

    def write(self, chunks: Sequence[IndexedChunk]) -> None:
        for indexed in chunks:
            self._check(indexed)
        fresh = {indexed.chunk.chunk_id: indexed for indexed in chunks}
        self._waiting.append(lambda: self._chunks.update(fresh))

    def refresh(self) -> None:
        for change in self._waiting:
            change()
        self._waiting.clear()

    def delete_revision(self, doc_id: str, revision: int) -> None:
        self._remove(lambda chunk: (chunk.doc_id, chunk.revision) == (doc_id, revision))

    def delete_document(self, doc_id: str) -> None:
        self._remove(lambda chunk: chunk.doc_id == doc_id)

    def delete_kb(self, kb_id: int) -> None:
        self._remove(lambda chunk: chunk.kb_id == kb_id)

    def search(self, legs: Sequence[Leg], scope: IndexScope, limit: int) -> list[LegResult]:
        if not 1 <= limit <= MAX_CANDIDATES:
            raise InvalidRequest("limit")
        return [self._result(leg, scope, limit) for leg in legs]

    def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        return {chunk_id: self._chunks[chunk_id].chunk for chunk_id in chunk_ids if chunk_id in self._chunks}

    def count(self, kb_ids: frozenset[int]) -> int:
        return sum(indexed.chunk.kb_id in kb_ids for indexed in self._chunks.values())

    def _remove(self, goes: Callable[[Chunk], bool]) -> None:
        def change() -> None:
            self._chunks = {key: kept for key, kept in self._chunks.items() if not goes(kept.chunk)}

        self._waiting.append(change)

    def _check(self, indexed: IndexedChunk) -> None:
        check_tokens(indexed.terms)
        check_tokens(indexed.sequence)
        chunk = indexed.chunk
        if any(not 0 < len(value.encode()) <= MAX_ID_BYTES for value in (chunk.chunk_id, chunk.doc_id)):
            raise InvalidRequest("id")
        if any(not 0 <= number < 2**63 for number in (chunk.kb_id, chunk.revision)):
            raise InvalidRequest("number")
        try:
            json.dumps(dict(chunk.metadata), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise InvalidRequest("metadata") from error
        if indexed.vector is not None:
            unit(indexed.vector)
            if self._dimension not in (None, len(indexed.vector)):
                raise InvalidRequest("dimension")
            self._dimension = len(indexed.vector)

    def _result(self, leg: Leg, scope: IndexScope, limit: int) -> LegResult:
        started = time.perf_counter()
        scores = self._scores(leg)
        asked = scope.filter
        if asked is not None:
            condition(asked)  # which refuses what no engine is asked
        found = [
            Candidate(chunk.chunk_id, chunk.doc_id, chunk.kb_id, chunk.revision, round(scores[chunk.chunk_id], 5))
            for chunk in (indexed.chunk for indexed in self._chunks.values())
            if chunk.chunk_id in scores
            and chunk.kb_id in scope.kb_ids
            and (scope.doc_ids is None or chunk.doc_id in scope.doc_ids)
            and (asked is None or lets_by(asked, self._chunks[chunk.chunk_id].values))
        ]
        found.sort(key=lambda candidate: (-candidate.score, candidate.chunk_id))
        return LegResult(tuple(found[:limit]), (time.perf_counter() - started) * 1_000)

    def _scores(self, leg: Leg) -> dict[str, float]:
        if isinstance(leg, DenseLeg):
            return self._cosines(leg)
        if isinstance(leg, EveryLeg):
            return dict.fromkeys(self._chunks, 1.0)
        if isinstance(leg, KeywordLeg):
            check_tokens(leg.terms)
            texts = {key: indexed.terms for key, indexed in self._chunks.items()}
            return total(phrase_scores(texts, (term,)) for term in set(leg.terms))
        for phrase in (*leg.required, *leg.optional):
            check_tokens(phrase or ("",))
        texts = {key: indexed.sequence for key, indexed in self._chunks.items()}
        each = {phrase: phrase_scores(texts, phrase) for phrase in (*leg.required, *leg.optional)}
        scores = total(each.values())
        return {key: score for key, score in scores.items() if all(key in each[phrase] for phrase in leg.required)}

    def _cosines(self, leg: DenseLeg) -> dict[str, float]:
        if self._dimension is None:
            return {}
        if len(leg.vector) != self._dimension:
            raise InvalidRequest("dimension")
        query = unit(leg.vector)
        return {
            key: max(-1.0, min(1.0, math.fsum(a * b for a, b in zip(halved(indexed.vector), query, strict=True))))
            for key, indexed in self._chunks.items()
            if indexed.vector is not None
        }


def phrase_scores(texts: dict[str, Sequence[str]], phrase: tuple[str, ...]) -> dict[str, float]:
    """Score one phrase (a term is one of length 1) by BM25 with Lucene's idf; absent where it does not match."""
    average = sum(map(len, texts.values())) / max(1, len(texts))
    holding: Counter[str] = Counter()
    for tokens in texts.values():
        holding.update({*tokens} & {*phrase})
    idf = sum(math.log(1 + (len(texts) - holding[token] + 0.5) / (holding[token] + 0.5)) for token in phrase)
    scores = {}
    for key, tokens in texts.items():
        assert len(tokens) <= EXACT_LENGTHS or len(set(tokens)) == len(tokens), "a length that engines round"
        frequency = sum(tuple(tokens[at : at + len(phrase)]) == phrase for at in range(len(tokens)))
        if frequency:
            norm = K1 * (1 - B + B * len(tokens) / average)
            scores[key] = idf * (K1 + 1) * frequency / (frequency + norm)
    return scores


def total(parts: Iterable[dict[str, float]]) -> dict[str, float]:
    """Add scores up."""
    scores: Counter[str] = Counter()
    for part in parts:
        scores.update(part)
    return dict(scores)


def check_tokens(tokens: Sequence[str]) -> None:
    """Refuse what the port calls no token."""
    for token in tokens:
        if not token or any(map(str.isspace, token)) or len(token.encode()) > MAX_TOKEN_BYTES:
            raise InvalidRequest("token")


def unit(vector: Sequence[float]) -> list[float]:
    """Give the vector length 1."""
    length = math.sqrt(math.fsum(value * value for value in vector))
    if not math.isfinite(length) or length == 0:
        raise InvalidRequest("vector")
    return [value / length for value in vector]


def halved(vector: Sequence[float] | None) -> list[float]:
    """Round a unit vector to half precision, as an index may."""
    values = unit(vector or ())
    return list(struct.unpack(f"{len(values)}e", struct.pack(f"{len(values)}e", *values)))
