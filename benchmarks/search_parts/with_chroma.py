"""Chroma on disk: its graph over vectors that are given to it; it ranks by nothing else."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import chromadb
from chromadb.config import Settings

from benchmarks.search_parts.rows import Query, batches


class Chroma:
    """One collection with its usual settings, by inner product; nothing is sent or fetched."""

    KINDS = ("vector",)

    def __init__(self) -> None:
        """Begin without a collection."""
        self._collection: Any = None

    def build(self, rows: Path, count: int, store: Path) -> None:
        """Add the rows."""
        client = chromadb.PersistentClient(str(store), Settings(anonymized_telemetry=False))
        self._collection = client.create_collection("rows", embedding_function=None, metadata={"hnsw:space": "ip"})
        for batch, vectors in batches(rows, count):
            self._collection.add(
                ids=[row.id for row in batch],
                embeddings=vectors,
                documents=[row.text for row in batch],
                metadatas=[{"topic": row.topic} for row in batch],
            )

    def ask(self, kind: str, query: Query, vector: Any, top: int, *, filtered: bool) -> Sequence[str]:
        """Find the nearest ones."""
        del kind
        narrowed = {"topic": query.topic} if filtered else None
        found = self._collection.query(
            query_embeddings=[vector], n_results=top, where=narrowed, include=["documents", "distances"]
        )
        return found["ids"][0]

    def notes(self) -> Mapping[str, list[float]]:
        """Give nothing more."""
        return {}

    def close(self) -> None:
        """Let go of the collection."""
        self._collection = None


def engine(_: Sequence[str]) -> Chroma:
    """Make it."""
    return Chroma()
