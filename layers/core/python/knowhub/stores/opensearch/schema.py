"""The fields of a generation's index."""

from typing import Any

from knowhub.ports.chunk_generations import Generation

FORMAT = 1
"""Of everything in an index; another number means that the index is to be built again."""

TERMS = "terms"
SEQUENCE = "sequence"
VALUES = "values"
CHUNK_ID = "chunk_id"
DOC_ID = "doc_id"
KB_ID = "kb_id"
REVISION = "revision"
VECTOR = "vector"
CHUNK = "chunk"

ANALYSER = "whitespace"
"""It splits where our analyser has set blanks, none of which a token may hold."""

_REFRESH_INTERVAL = "30s"
"""Readers rely on explicit refreshes; in between, fewer and larger segments are made."""

_LONGEST_PATTERN = 100_000
"""The engine's own limit of 1,000 is less than an encoded pattern of 256 characters needs."""


def index_body(generation: Generation, *, shards: int, vectors: str) -> dict[str, Any]:
    """Give settings and mapping of a generation; `vectors` names the engine that keeps its vectors."""
    settings: dict[str, Any] = {
        "number_of_shards": shards,
        "auto_expand_replicas": "0-1",
        "refresh_interval": _REFRESH_INTERVAL,
        "max_regex_length": _LONGEST_PATTERN,
    }
    fields: dict[str, Any] = {
        TERMS: {"type": "text", "analyzer": ANALYSER, "index_options": "freqs"},
        SEQUENCE: {"type": "text", "analyzer": ANALYSER, "index_options": "positions"},
        VALUES: {"type": "keyword", "doc_values": False},
        CHUNK_ID: {"type": "keyword", "index": False},
        DOC_ID: {"type": "keyword"},
        KB_ID: {"type": "keyword"},  # asked for in sets, never in ranges
        REVISION: {"type": "long"},
        CHUNK: {"type": "keyword", "index": False, "doc_values": False},
    }
    if generation.dimension:
        settings["knn"] = True
        fields[VECTOR] = _vector(generation.dimension, vectors)
    meta = {
        "format": FORMAT,
        "embedder": generation.embedder,
        "dimension": generation.dimension,
        "analyser": generation.analyser,
    }
    mapping = {"dynamic": "strict", "_meta": meta, "_source": {"includes": [CHUNK]}, "properties": fields}
    return {"settings": {"index": settings}, "mappings": mapping}


def _vector(dimension: int, engine: str) -> dict[str, Any]:
    method = {"name": "hnsw", "engine": engine, "space_type": "cosinesimil"}
    return {"type": "knn_vector", "dimension": dimension, "method": method}
