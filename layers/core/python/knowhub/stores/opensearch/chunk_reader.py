"""The reading side: legs in one round trip, chunks by id, counts."""

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from knowhub.errors import SearchUnavailable
from knowhub.model import chunk_json
from knowhub.model.chunk import Chunk
from knowhub.ports.chunk_index import IndexScope, Leg, LegResult
from knowhub.ports.chunk_rules import check_id, check_number, check_search
from knowhub.stores.opensearch import answers
from knowhub.stores.opensearch.engine import Engine
from knowhub.stores.opensearch.legs import MARGIN, Reach, questions, settled, wider
from knowhub.stores.opensearch.queries import everything, in_kbs, scope_filters

_FETCH = 500


@dataclass(frozen=True, slots=True)
class Facts:
    """What an index was made with."""

    dimension: int
    shards: int


class ChunkReader:
    """Reads one index, for any number of threads."""

    def __init__(self, engine: Engine, name: str, facts: Callable[[], Facts], *, exact_scope: int) -> None:
        self._engine = engine
        self._name = name
        self._facts = facts
        self._exact_scope = exact_scope

    def search(self, legs: Sequence[Leg], scope: IndexScope, limit: int) -> list[LegResult]:
        """Run the legs in one request, and those that were cut within a tie once more."""
        check_search(scope, limit)
        if not scope.kb_ids or (scope.doc_ids is not None and not scope.doc_ids):
            return [LegResult() for _ in legs]
        filters = scope_filters(scope)
        reach = Reach(self._facts().dimension, self._exact_scope)
        results: dict[int, LegResult] = {}
        size = limit + MARGIN
        while len(results) < len(legs):
            waiting = [place for place in range(len(legs)) if place not in results]
            bodies = [questions(legs[place], filters, size, reach) for place in waiting]
            found = iter(self._searched([body for each in bodies for body in each], scope))
            for place, each in zip(waiting, bodies, strict=True):
                result = settled(legs[place], [next(found) for _ in each], limit, size)
                if result is not None:
                    results[place] = result
            size = wider(limit, size)
        return [results[place] for place in range(len(legs))]

    def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """Read chunks by id."""
        wanted = list(dict.fromkeys(chunk_ids))
        for chunk_id in wanted:
            check_id(chunk_id)
        found: dict[str, str] = {}
        for start in range(0, len(wanted), _FETCH):
            body = encoded({"ids": wanted[start : start + _FETCH]})
            found |= self._engine.asked(
                "POST", f"/{self._name}/_mget", body, {"realtime": "false"}, whole=answers.stored
            )
        return {chunk_id: _decoded(text) for chunk_id, text in found.items()}

    def count(self, kb_ids: frozenset[int]) -> int:
        """Count the chunks of these KBs."""
        for kb_id in kb_ids:
            check_number(kb_id)
        if not kb_ids:
            return 0
        body = encoded({"query": everything([in_kbs(kb_ids)])})
        return self._engine.asked("POST", f"/{self._name}/_count", body, whole=answers.whole_count)

    def _searched(self, bodies: Sequence[dict[str, Any]], scope: IndexScope) -> list[answers.Found]:
        if not bodies:
            return []
        header = {"allow_partial_search_results": False, "preference": _preference(scope)}
        if self._facts().shards > 1:
            # Statistics are those of the whole index, not of the shard that a chunk happens to be in.
            header["search_type"] = "dfs_query_then_fetch"
        lines = b"".join(encoded(line) + b"\n" for body in bodies for line in (header, body))
        return self._engine.asked(
            "POST", f"/{self._name}/_msearch", lines, whole=lambda answer: answers.searches(answer, len(bodies))
        )


def encoded(body: object) -> bytes:
    """Write JSON as one line."""
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _preference(scope: IndexScope) -> str:
    """Name the copy of a shard to ask: copies differ a little in their statistics, and a repeated search should not.

    Taken from the scope, so that every process picks the same one and the load is spread.
    """
    return f"scope-{zlib.crc32(repr(sorted(scope.kb_ids)).encode()):x}"


def _decoded(text: str) -> Chunk:
    try:
        return chunk_json.decode_chunk(text)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SearchUnavailable("A stored chunk is unreadable: index its document again") from error
