"""What the engine stores: chunks as JSON."""

from knowhub.model import chunk_json
from knowhub.model.chunk import Chunk
from knowhub.ports.chunk_rules import chunk_text
from knowhub.stores.tantivy.failures import damaged


def encode_chunk(chunk: Chunk) -> bytes:
    """Write a chunk as JSON; raises `InvalidRequest` for metadata that is not."""
    # A reader may hand over half a surrogate pair from a broken document; it is stored as it is.
    return chunk_text(chunk).encode("utf-8", "surrogatepass")


def decode_chunk(stored: bytes) -> Chunk:
    """Read a chunk back; raises `SearchUnavailable` where the stored bytes are no chunk."""
    try:
        return chunk_json.decode_chunk(stored.decode("utf-8", "surrogatepass"))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged("a stored chunk is unreadable", error) from error
