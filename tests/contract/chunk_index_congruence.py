"""Each chunk index and a plain Python one find the same, under random writes, updates, deletes and searches.

After updates engines may still count replaced chunks in their statistics, so that BM25 drifts: there the sets are
compared. On chunks written once, in one go, the scores and the order are compared too. Cosines never drift.
"""

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from knowhub.ports.chunk_index import DenseLeg, EveryLeg, ExactLeg, IndexedChunk, IndexScope, KeywordLeg, Leg, LegResult
from tests.chunk_oracle import OracleChunkIndex
from tests.contract.chunk_index_homes import HOMES, indexed
from tests.filter_strategies import FILTERS, VALUES

EMBEDDED = [name for name in HOMES if name != "oracle"]
SETTINGS = settings(
    max_examples=25, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
EVERYTHING = 1_000
NOISE = 1e-4
HALF = 1e-3
"""What vectors in half precision, which the oracle keeps too, are off from those that a home keeps whole."""

tokens = st.sampled_from(["a", "b", "c", "d", "é", "日本", "c++"])
texts = st.lists(tokens, max_size=30)
vectors = st.none() | st.tuples(*[st.floats(-1, 1, width=16)] * 3).filter(
    lambda vector: any(abs(x) > 0.1 for x in vector)
)
kbs = st.integers(1, 4)
doc_ids = st.sampled_from(["d", "e", "f"])
revisions = st.integers(1, 2)
phrases = st.lists(st.lists(tokens, min_size=1, max_size=3).map(tuple), max_size=2).map(tuple)
legs: st.SearchStrategy[Leg] = st.one_of(
    st.builds(KeywordLeg, st.lists(tokens, max_size=4).map(tuple)),
    st.builds(ExactLeg, phrases, phrases),
    st.builds(DenseLeg, vectors.filter(lambda vector: vector is not None)),
    st.just(EveryLeg()),
)
scopes = st.builds(IndexScope, st.frozensets(kbs), st.none() | st.frozensets(doc_ids), st.none() | FILTERS)


@st.composite
def chunks(draw: st.DrawFn) -> IndexedChunk:
    place = f"{draw(doc_ids)}:{draw(revisions)}:{draw(st.integers(1, 9))}"
    made = indexed(place, draw(texts), kb=draw(kbs), sequence=draw(texts), vector=draw(vectors), text=draw(st.text()))
    return replace(made, values=draw(VALUES))


def scores(result: LegResult) -> dict[str, float]:
    return {candidate.chunk_id: candidate.score for candidate in result.candidates}


def noise(home: str, leg: Leg) -> float:
    """Give how far apart the scores of a home and of the oracle may be."""
    return HALF if home == "opensearch" and isinstance(leg, DenseLeg) else NOISE


def assert_same_scores(actual: Mapping[str, float], expected: Mapping[str, float], within: float) -> None:
    """Compare up to the one constant factor that BM25 may carry, which halved vectors have nothing to do with."""
    assert actual.keys() == expected.keys()
    if expected:
        top = max(expected, key=expected.__getitem__)
        factor = actual[top] / expected[top] if expected[top] and within != HALF else 1.0
        assert actual == pytest.approx({key: score * factor for key, score in expected.items()}, rel=within, abs=within)


def assert_same_order(actual: Sequence[str], expected: Mapping[str, float], within: float) -> None:
    """Compare where the expected scores are clearly apart."""
    for before, after in pairwise(actual):
        assert expected[before] >= expected[after] - 2 * within


class TwoIndexes(RuleBasedStateMachine):
    """One home and the oracle, given the same."""

    home: str

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        made = self.stack.enter_context(HOMES[self.home](folder))
        self.index, self.other = made.index, made.other
        self.oracle = OracleChunkIndex()

    def teardown(self) -> None:
        self.stack.close()

    @rule(batch=st.lists(chunks(), max_size=8))
    def write(self, batch: list[IndexedChunk]) -> None:
        for one in (self.index, self.oracle):
            one.write(batch)

    @rule(doc_id=doc_ids, revision=revisions)
    def delete_revision(self, doc_id: str, revision: int) -> None:
        for one in (self.index, self.oracle):
            one.delete_revision(doc_id, revision)

    @rule(doc_id=doc_ids)
    def delete_document(self, doc_id: str) -> None:
        for one in (self.index, self.oracle):
            one.delete_document(doc_id)

    @rule(kb_id=kbs)
    def delete_kb(self, kb_id: int) -> None:
        for one in (self.index, self.oracle):
            one.delete_kb(kb_id)

    @rule(asked=st.lists(legs, min_size=1, max_size=3), scope=scopes)
    def search(self, asked: list[Leg], scope: IndexScope) -> None:
        self.index.refresh()
        self.oracle.refresh()
        expected = self.oracle.search(asked, scope, EVERYTHING)
        for one in (self.index, self.other):
            for leg, mine, theirs in zip(asked, one.search(asked, scope, EVERYTHING), expected, strict=True):
                if isinstance(leg, DenseLeg):
                    assert_same_scores(scores(mine), scores(theirs), noise(self.home, leg))
                    assert_same_order(list(scores(mine)), scores(theirs), noise(self.home, leg))
                else:
                    assert scores(mine).keys() == scores(theirs).keys()

    @rule(scope=scopes)
    def count_and_fetch(self, scope: IndexScope) -> None:
        self.index.refresh()
        self.oracle.refresh()
        assert self.index.count(scope.kb_ids) == self.oracle.count(scope.kb_ids)
        places = [f"{doc}:{revision}:{n}" for doc in "def" for revision in (1, 2) for n in range(1, 10)]
        assert self.index.fetch(places) == self.oracle.fetch(places)

    @invariant()
    def a_leg_of_one_candidate_gives_the_best(self) -> None:
        leg, scope = KeywordLeg(("a",)), IndexScope(frozenset({1, 2}))
        (one,), (all_of_them,) = self.other.search([leg], scope, 1), self.other.search([leg], scope, EVERYTHING)
        assert one.candidates == all_of_them.candidates[:1]


@pytest.mark.parametrize("home", EMBEDDED)
def test_both_find_the_same_after_any_updates(home: str) -> None:
    machine = type("TwoIndexes", (TwoIndexes,), {"home": home})
    run_state_machine_as_test(
        machine, settings=settings(SETTINGS, max_examples=8) if home == "opensearch" else SETTINGS
    )


@pytest.mark.parametrize("home", EMBEDDED)
def test_chunks_written_once_are_scored_and_ordered_alike(home: str) -> None:
    @settings(max_examples=10 if home == "opensearch" else 40, deadline=None, derandomize=True)
    @given(
        written=st.lists(chunks().filter(lambda chunk: bool(chunk.terms and chunk.sequence)), min_size=1, max_size=40,
                         unique_by=lambda chunk: chunk.chunk.chunk_id),
        asked=st.lists(legs, min_size=1, max_size=6),
        scope=scopes,
        limit=st.integers(1, 12),
    )  # fmt: skip
    def check(written: list[IndexedChunk], asked: list[Leg], scope: IndexScope, limit: int) -> None:
        oracle = OracleChunkIndex()
        with tempfile.TemporaryDirectory() as folder, HOMES[home](Path(folder)) as made:
            for one in (made.index, oracle):
                one.write(written)
                one.refresh()
            expected = oracle.search(asked, scope, EVERYTHING)
            whole = made.index.search(asked, scope, EVERYTHING)
            cut = made.index.search(asked, scope, limit)
        for leg, mine, few, theirs in zip(asked, whole, cut, expected, strict=True):
            assert_same_scores(scores(mine), scores(theirs), noise(home, leg))
            assert_same_order(list(scores(mine)), scores(theirs), noise(home, leg))
            assert few.candidates == mine.candidates[:limit]

    check()
