"""The kernel: what it asks of the engine, and what it makes of a lagging one."""

from collections.abc import Sequence

import pytest

from knowhub.errors import InvalidRequest
from knowhub.model.chunk import Chunk, Locator
from knowhub.model.document import DocumentHead
from knowhub.model.query import SearchRequest
from knowhub.ports.chunk_index import Candidate, IndexScope, Leg, LegResult
from knowhub.retrieval.gate import Gate
from knowhub.retrieval.legs import Serving
from knowhub.retrieval.search import Kernel, clamp_top_k


class Lagging:
    """An engine that finds revision 1 of every document first, and the others only when it is asked for them alone."""

    def __init__(self, found: dict[str, list[int]]) -> None:
        self.found = found
        self.scopes: list[IndexScope] = []
        self.limits: list[int] = []

    def search(self, legs: Sequence[Leg], scope: IndexScope, limit: int) -> list[LegResult]:
        self.scopes.append(scope)
        self.limits.append(limit)
        wanted = self.found if scope.doc_ids is None else {name: self.found[name] for name in scope.doc_ids}
        revisions = [(name, shown) for name, known in wanted.items() for shown in known]
        if scope.doc_ids is None:
            revisions = [(name, shown) for name, shown in revisions if shown == 1]
        candidates = [Candidate(f"{name}:{shown}:1", name, 1, shown, 1.0) for name, shown in revisions]
        return [LegResult(tuple(candidates[:limit])) for _ in legs]

    def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        return {chunk_id: _chunk(chunk_id) for chunk_id in chunk_ids}


def _chunk(chunk_id: str) -> Chunk:
    doc_id, revision, index = chunk_id.split(":")
    return Chunk(chunk_id, doc_id, 1, int(revision), int(index), "t", f"a walrus of {chunk_id}", Locator(0, 8, 1, 1))


def _gate(visible: dict[str, int]) -> Gate:
    def heads(ids: Sequence[str]) -> dict[str, DocumentHead]:
        return {
            doc_id: DocumentHead(doc_id, 1, "t", "ready", 9, visible[doc_id], 0, 1, "", "", 0, "", "")
            for doc_id in ids
            if doc_id in visible
        }

    return Gate(heads, lambda kbs: kbs)


def search(engine: Lagging, visible: dict[str, int], **request: object) -> list[str]:
    asked = SearchRequest(query="walrus", **request)  # type: ignore[arg-type] # a test names what it varies
    serving = Serving(engine)  # type: ignore[arg-type] # the two methods that the kernel calls
    return [hit.chunk.chunk_id for hit in Kernel(lambda: serving).search(asked, {1: "en"}, _gate(visible)).hits]


def test_an_outdated_candidate_is_looked_for_again_in_its_visible_revision() -> None:
    engine = Lagging({"a": [1, 2], "b": [1]})
    assert sorted(search(engine, {"a": 2, "b": 1})) == ["a:2:1", "b:1:1"]
    assert engine.scopes[-1].doc_ids == {"a"}


def test_a_full_answer_asks_the_engine_once() -> None:
    engine = Lagging({"a": [1], "b": [1]})
    search(engine, {"a": 1, "b": 1}, top_k=2)
    assert len(engine.scopes) == 1


def test_short_of_hits_with_more_to_find_it_looks_wider_once() -> None:
    engine = Lagging({f"d{number:03}": [1] for number in range(300)})
    visible = {f"d{number:03}": 1 for number in range(60, 300)}
    assert search(engine, visible, top_k=1) == ["d060:1:1"]
    assert engine.limits == [50, 200]


def test_candidates_are_three_times_the_hits_and_fifty_at_least() -> None:
    engine = Lagging({"a": [1]})
    search(engine, {"a": 1}, top_k=50)
    search(engine, {"a": 1}, top_k=1)
    assert engine.limits == [150, 50]


def test_min_score_applies_to_the_scaled_score() -> None:
    engine = Lagging({"a": [1], "b": [1]})
    assert search(engine, {"a": 1, "b": 1}, min_score=1.0) == ["a:1:1"]
    assert len(search(engine, {"a": 1, "b": 1}, min_score=0.0)) == 2


@pytest.mark.parametrize(
    "request_",
    [
        {"query": " "},
        {"query": "x" * 2001},
        {"query": "x", "mode": "dense"},
        {"query": "x", "mode": "visual"},
        {"query": "x", "rerank": True},
        {"query": "x", "expand": 6},
        {"query": "x", "expand": -1},
    ],
)
def test_what_can_not_be_served_is_refused(request_: dict[str, object]) -> None:
    serving = Serving(Lagging({}))  # type: ignore[arg-type] # it is never asked
    with pytest.raises(InvalidRequest):
        Kernel(lambda: serving).search(SearchRequest(**request_), {1: "en"}, _gate({}))  # type: ignore[arg-type] # as above


@pytest.mark.parametrize(("asked", "used"), [(-1, 1), (0, 1), (7, 7), (50, 50), (51, 50)])
def test_top_k_is_clamped(asked: int, used: int) -> None:
    assert clamp_top_k(asked) == used
