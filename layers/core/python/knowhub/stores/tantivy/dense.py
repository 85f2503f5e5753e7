"""The dense leg: an exact scan of the vectors in the scope, checked against the text index."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from knowhub.errors import InvalidRequest
from knowhub.ports.chunk_index import IndexScope
from knowhub.stores.tantivy.queries import Bounds, one_of
from knowhub.stores.tantivy.schema import ROW
from knowhub.stores.tantivy.snapshot import Hit, Snapshot
from knowhub.stores.tantivy.vector_files import VectorRows
from knowhub.stores.tantivy.vector_scan import scan

_MARGIN = 64
_MAX_TIED = 1_024
_LOOKUP_ROWS = 1_024
_LISTED_ROWS = 10_000
"""Rows that are listed one by one: beyond, the list costs more than scanning what it would leave out."""

_TIE_WIDTH = 1e-5
"""Scores are rounded to as many digits."""

_SCAN_ERROR = 1e-5
"""Far more than a scan in single precision is off."""


def dense_hits(
    snapshot: Snapshot, vectors: VectorRows, query: Sequence[float], bounds: Bounds, limit: int
) -> list[Hit]:
    """Find the chunks nearest to the query, best first: at least those that a cut at `limit` needs."""
    unit = _unit(query, vectors.dimension)
    positions = _positions(snapshot, vectors, bounds)
    rough = scan(vectors.wide, vectors.halves, positions, unit.astype(np.float32))
    asked = limit + _MARGIN
    while True:
        nearest, floor = _nearest(rough, asked)
        hits = _living(snapshot, vectors, positions[nearest], unit, bounds)
        if len(nearest) == len(positions) or _sure(hits, floor, limit):
            return hits
        asked *= 4


def _sure(hits: Sequence[Hit], floor: float, limit: int) -> bool:
    """Whether enough hits are better than everything that was not looked at."""
    return len(hits) >= limit and hits[limit - 1][0] >= floor


def _unit(query: Sequence[float], dimension: int) -> NDArray[np.float64]:
    vector = np.asarray(query, np.float64)
    if len(vector) != dimension:
        raise InvalidRequest(f"Vectors of this index have {dimension} dimensions, not {len(vector)}")
    norm = float(np.linalg.norm(vector))
    if not np.isfinite(norm) or norm == 0.0:
        raise InvalidRequest("A vector is finite and not all zero")
    return vector / norm


def _positions(snapshot: Snapshot, vectors: VectorRows, bounds: Bounds) -> NDArray[np.int64]:
    """Find the rows to scan: all that may be in the scope, others among them, which are sorted out later."""
    scope = bounds.scope
    if scope.doc_ids is None and scope.filter is None:
        return _of_kbs(vectors, scope)
    everything = bounds.everything()
    count = snapshot.count(everything)
    if count > _LISTED_ROWS:
        return _of_kbs(vectors, scope)
    hits = snapshot.top(everything, count)
    return vectors.positions_of(np.asarray(snapshot.numbers(ROW, hits), np.int64))


def _of_kbs(vectors: VectorRows, scope: IndexScope) -> NDArray[np.int64]:
    return np.flatnonzero(np.isin(vectors.kbs, list(scope.kb_ids)))


def _nearest(scores: NDArray[np.float32], asked: int) -> tuple[NDArray[np.int64], float]:
    """Find the best `asked` and all that may tie with the last of them; the rest is below the returned floor."""
    if asked >= len(scores):
        return np.arange(len(scores)), -np.inf
    last = float(np.partition(scores, len(scores) - asked)[len(scores) - asked])
    chosen = np.flatnonzero(scores >= last - 2 * _TIE_WIDTH - _SCAN_ERROR)
    if len(chosen) > asked + _MAX_TIED:
        chosen = np.sort(np.argsort(-scores, kind="stable")[: asked + _MAX_TIED])
    return chosen, last - _TIE_WIDTH


def _living(
    snapshot: Snapshot, vectors: VectorRows, positions: NDArray[np.int64], unit: NDArray[np.float64], bounds: Bounds
) -> list[Hit]:
    """Keep the rows whose chunk is in the snapshot and in the scope; score them in double precision, best first."""
    halves = np.ascontiguousarray(vectors.halves[positions]).view(np.float16).astype(np.float64)
    # Row by row in one order of summation: equal vectors have equal scores, which a matrix product doesn't promise.
    exact = (halves * unit).sum(axis=1)
    score_of = dict(zip(vectors.rows[positions].tolist(), exact.tolist(), strict=True))
    hits: list[Hit] = []
    rows = list(score_of)
    for start in range(0, len(rows), _LOOKUP_ROWS):
        part = rows[start : start + _LOOKUP_ROWS]
        found = snapshot.top(bounds.within(one_of(snapshot.schema, ROW, part)), len(part))
        numbers = snapshot.numbers(ROW, found)
        hits.extend((score_of[row], hit[1]) for row, hit in zip(numbers, found, strict=True))
    hits.sort(key=lambda hit: -hit[0])
    return hits
