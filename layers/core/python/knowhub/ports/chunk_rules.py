"""The rules of the chunk index port that hold in every home: what may be written and what may be asked.

Each `check_*` function raises `InvalidRequest`. Homes that call them first can't differ in what they refuse.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from knowhub.errors import InvalidRequest
from knowhub.model import chunk_json
from knowhub.model.chunk import Chunk
from knowhub.ports.chunk_filters import condition
from knowhub.ports.chunk_index import MAX_CANDIDATES, MAX_ID_BYTES, MAX_TOKEN_BYTES, ExactLeg, IndexScope, KeywordLeg

MAX_NUMBER = 2**63 - 1
"""Of a KB or a revision: what a signed integer of 64 bits holds."""

_LONGEST_CHARACTER = 4


@dataclass(frozen=True, slots=True)
class Phrases:
    """The distinct phrases of an exact leg, those that are required and the others."""

    required: tuple[tuple[str, ...], ...]
    optional: tuple[tuple[str, ...], ...]


def chunk_text(chunk: Chunk) -> str:
    """Write a chunk as it is stored; raises `InvalidRequest` for metadata that is not JSON."""
    try:
        return chunk_json.encode_chunk(chunk)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRequest(f"The metadata of chunk {chunk.chunk_id} is not JSON") from error


def token_text(tokens: Sequence[str]) -> str:
    """Join tokens into the text that an engine splits again; raises `InvalidRequest` for what is no token."""
    text = " ".join(tokens)
    if text.split() != list(tokens):
        raise InvalidRequest("A token is empty or holds white space")
    longest = max(map(len, tokens), default=0)
    if longest * _LONGEST_CHARACTER > MAX_TOKEN_BYTES and _longest_bytes(tokens) > MAX_TOKEN_BYTES:
        raise InvalidRequest(f"A token is longer than {MAX_TOKEN_BYTES} bytes")
    _utf8(text, "token")
    return text


def distinct_terms(leg: KeywordLeg) -> tuple[str, ...]:
    """Give the checked terms of a keyword leg, each once."""
    distinct = tuple(dict.fromkeys(leg.terms))
    token_text(distinct)
    return distinct


def distinct_phrases(leg: ExactLeg) -> Phrases:
    """Give the checked phrases of an exact leg, each once; one that is required is not optional too."""
    required = tuple(dict.fromkeys(leg.required))
    optional = tuple(phrase for phrase in dict.fromkeys(leg.optional) if phrase not in required)
    for phrase in (*required, *optional):
        if not phrase:
            raise InvalidRequest("A phrase has no token")
        token_text(phrase)
    return Phrases(required, optional)


def check_identity(chunk: Chunk) -> None:
    """Refuse ids and numbers that an engine can't hold."""
    check_id(chunk.chunk_id)
    check_id(chunk.doc_id)
    check_number(chunk.kb_id)
    check_number(chunk.revision)


def check_id(value: str) -> None:
    """Refuse an id that is empty or too long."""
    if not 0 < len(_utf8(value, "id")) <= MAX_ID_BYTES:
        raise InvalidRequest(f"An id has 1 to {MAX_ID_BYTES} bytes")


def check_number(value: int) -> None:
    """Refuse a number of a KB or a revision that does not fit its field."""
    if not 0 <= value <= MAX_NUMBER:
        raise InvalidRequest("The number of a KB or a revision is at least 0 and fits 63 bits")


def check_search(scope: IndexScope, limit: int) -> None:
    """Refuse a limit out of range, a scope that names what can't be there, and a filter that engines can't be asked."""
    if not 1 <= limit <= MAX_CANDIDATES:
        raise InvalidRequest(f"A search has a limit of 1 to {MAX_CANDIDATES}")
    for kb_id in scope.kb_ids:
        check_number(kb_id)
    for doc_id in scope.doc_ids or ():
        check_id(doc_id)
    if scope.filter is not None:
        condition(scope.filter)


def check_vector(vector: Sequence[float], dimension: int) -> None:
    """Refuse a vector that is not as long as those of its index, not finite, or all zero."""
    if len(vector) != dimension:
        raise InvalidRequest(f"Vectors of this index have {dimension} dimensions, not {len(vector)}")
    length = math.hypot(*vector)
    if not math.isfinite(length) or length == 0.0:
        raise InvalidRequest("A vector is finite and not all zero")


def _longest_bytes(tokens: Sequence[str]) -> int:
    return max(len(_utf8(token, "token")) for token in tokens)


def _utf8(value: str, what: str) -> bytes:
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        raise InvalidRequest(f"The {what} holds half a surrogate pair") from error
