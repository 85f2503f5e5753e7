"""What the engine stores and splits: chunks as JSON, tokens as text, and the limits of both."""

from collections.abc import Sequence

from knowhub.errors import InvalidRequest
from knowhub.model import chunk_json
from knowhub.model.chunk import Chunk
from knowhub.ports.chunk_index import MAX_ID_BYTES, MAX_TOKEN_BYTES
from knowhub.stores.tantivy.failures import damaged
from knowhub.stores.tantivy.schema import MAX_NUMBER

_LONGEST_CHARACTER = 4


def encode_chunk(chunk: Chunk) -> bytes:
    """Write a chunk as JSON; raises `InvalidRequest` for metadata that is not."""
    try:
        text = chunk_json.encode_chunk(chunk)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRequest(f"The metadata of chunk {chunk.chunk_id} is not JSON") from error
    # A reader may hand over half a surrogate pair from a broken document; it is stored as it is.
    return text.encode("utf-8", "surrogatepass")


def decode_chunk(stored: bytes) -> Chunk:
    """Read a chunk back; raises `SearchUnavailable` where the stored bytes are no chunk."""
    try:
        return chunk_json.decode_chunk(stored.decode("utf-8", "surrogatepass"))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged("a stored chunk is unreadable", error) from error


def token_text(tokens: Sequence[str]) -> str:
    """Join tokens into the text that the engine splits again; raises `InvalidRequest` for what is no token."""
    text = " ".join(tokens)
    if text.split() != list(tokens):
        raise InvalidRequest("A token is empty or holds white space")
    longest = max(map(len, tokens), default=0)
    if longest * _LONGEST_CHARACTER > MAX_TOKEN_BYTES and _longest_bytes(tokens) > MAX_TOKEN_BYTES:
        raise InvalidRequest(f"A token is longer than {MAX_TOKEN_BYTES} bytes")
    _utf8(text, "token")
    return text


def check_identity(chunk: Chunk) -> None:
    """Refuse ids and numbers that the engine can't hold."""
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


def _longest_bytes(tokens: Sequence[str]) -> int:
    return max(len(_utf8(token, "token")) for token in tokens)


def _utf8(value: str, what: str) -> bytes:
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        raise InvalidRequest(f"The {what} holds half a surrogate pair") from error
