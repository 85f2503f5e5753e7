"""LanceDB: its full-text index, an exact scan of the vectors, and its own fusion of both."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
from lancedb.rerankers import RRFReranker

from benchmarks.search_parts.rows import Query, batches


class Lance:
    """One table; without a vector index searches are exact, as the hub's embedded ones are."""

    KINDS = ("keyword", "vector", "hybrid")

    def __init__(self) -> None:
        """Begin without a table."""
        self._table: Any = None
        self._fusion = RRFReranker()

    def build(self, rows: Path, count: int, store: Path) -> None:
        """Write the rows in one go, then index their texts."""
        length = next(batches(rows, 1))[1].shape[1]
        words = [pa.field(name, pa.string()) for name in ("id", "topic", "text")]
        schema = pa.schema([*words, pa.field("vector", pa.list_(pa.float32(), length))])
        tables = (_table(batch, vectors, schema) for batch, vectors in batches(rows, count))
        self._table = lancedb.connect(store).create_table("rows", tables, schema=schema)
        self._table.create_fts_index("text", with_position=False)

    def ask(self, kind: str, query: Query, vector: Any, top: int, *, filtered: bool) -> Sequence[str]:
        """Search one way or both."""
        if kind == "keyword":
            search = self._table.search(query.text, query_type="fts")
        elif kind == "vector":
            search = self._table.search(vector).distance_type("dot")
        else:
            search = self._table.search(query_type="hybrid").vector(vector).text(query.text)
            search = search.distance_type("dot").rerank(self._fusion)
        if filtered:
            search = search.where(f"topic = '{query.topic}'", prefilter=True)
        return search.limit(top).to_arrow()["id"].to_pylist()

    def notes(self) -> Mapping[str, list[float]]:
        """Give nothing more."""
        return {}

    def close(self) -> None:
        """Let go of the table."""
        self._table = None


def engine(_: Sequence[str]) -> Lance:
    """Make it."""
    return Lance()


def _table(batch: Sequence[Any], vectors: Any, schema: Any) -> Any:
    texts = [f"{row.title}\n{row.text}" for row in batch]
    flat = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel(), pa.float32()), vectors.shape[1])
    return pa.RecordBatch.from_arrays(
        [pa.array([row.id for row in batch]), pa.array([row.topic for row in batch]), pa.array(texts), flat],
        schema=schema,
    )
