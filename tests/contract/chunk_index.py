"""What every chunk index promises: the port's text as tests, run on each home."""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypedDict

import pytest

from knowhub.errors import InvalidRequest
from knowhub.model.chunk import Chunk, Locator
from knowhub.ports.chunk_index import (
    MAX_CANDIDATES,
    MAX_ID_BYTES,
    MAX_TOKEN_BYTES,
    ChunkIndex,
    DenseLeg,
    ExactLeg,
    IndexedChunk,
    IndexScope,
    KeywordLeg,
    Leg,
)
from tests.contract.chunk_index_homes import HOMES, Home, found, indexed, scored


@pytest.fixture(params=HOMES)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    with HOMES[request.param](tmp_path) as made:
        yield made


@pytest.fixture
def index(home: Home) -> ChunkIndex:
    return home.index


def fill(index: ChunkIndex, *chunks: IndexedChunk) -> None:
    index.write(chunks)
    index.refresh()


class Shape(TypedDict):
    """The whole index: its chunks and their mean length."""

    of: int
    average: float


def bm25(*, of: int, holding: int, times: int, length: int, average: float) -> float:
    idf = math.log(1 + (of - holding + 0.5) / (holding + 0.5))
    return idf * times / (times + 1.2 * (1 - 0.75 + 0.75 * length / average))


def assert_scores(actual: dict[str, float], expected: dict[str, float]) -> None:
    """Compare up to one factor: BM25 is used with and without its constant numerator."""
    assert actual.keys() == expected.keys()
    top = max(expected, key=expected.__getitem__)
    for key, score in expected.items():
        assert actual[key] / actual[top] == pytest.approx(score / expected[top], abs=1e-4)


class TestKeyword:
    def test_scores_are_bm25_as_lucene_computes_it(self, index: ChunkIndex) -> None:
        fill(
            index,
            indexed("a:1:1", "cat"),
            indexed("a:1:2", "cat dog dog"),
            indexed("a:1:3", "cat cat cat cat bird bird fish fish"),
            indexed("a:1:4", "fish fish fish fish"),
        )
        shape: Shape = {"of": 4, "average": 4.0}
        assert_scores(
            scored(index, KeywordLeg(("cat", "dog"))),
            {
                "a:1:1": bm25(holding=3, times=1, length=1, **shape),
                "a:1:2": bm25(holding=3, times=1, length=3, **shape) + bm25(holding=1, times=2, length=3, **shape),
                "a:1:3": bm25(holding=3, times=4, length=8, **shape),
            },
        )

    def test_order_on_a_case_worked_out_by_hand(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", "x y"), indexed("a:1:2", "x z"), indexed("a:1:3", "z z"), indexed("a:1:4", "x x"))
        # Of 4 chunks of 2 tokens each, 3 hold x and 1 holds y: idf ln(1 + 1.5/3.5) = 0.35667 and ln(1 + 3.5/1.5) =
        # 1.20397. One occurrence saturates to 1/2.2, two to 2/3.2.
        assert found(index, KeywordLeg(("x", "y"))) == ["a:1:1", "a:1:4", "a:1:2"]
        scores = scored(index, KeywordLeg(("x", "y")))
        assert scores["a:1:4"] / scores["a:1:1"] == pytest.approx(0.314166, abs=1e-4)
        assert scores["a:1:2"] / scores["a:1:1"] == pytest.approx(0.228538, abs=1e-4)

    def test_a_repeated_query_term_counts_once(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", "x"), indexed("a:1:2", "y"), indexed("a:1:3", "x y"))
        assert scored(index, KeywordLeg(("x", "y", "x", "x"))) == scored(index, KeywordLeg(("x", "y")))

    def test_any_term_is_enough_and_none_is_not(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", "x"), indexed("a:1:2", "y"), indexed("a:1:3", "z"))
        assert found(index, KeywordLeg(("x", "y", "absent"))) == ["a:1:1", "a:1:2"]
        assert found(index, KeywordLeg(("absent",))) == []

    def test_a_leg_without_terms_finds_nothing(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", "x"))
        assert found(index, KeywordLeg(())) == []

    def test_terms_and_sequence_are_apart(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", "bag", sequence="line"))
        assert found(index, KeywordLeg(("line",))) == []
        assert found(index, ExactLeg(optional=(("bag",),))) == []

    def test_statistics_are_those_of_the_whole_index(self, index: ChunkIndex) -> None:
        fill(
            index, indexed("a:1:1", "x"), indexed("a:1:2", "y"), *(indexed(f"b:1:{n}", "x", kb=2) for n in range(1, 9))
        )
        scores = scored(index, KeywordLeg(("x", "y")))
        assert scores["a:1:1"] < scores["a:1:2"]

    def test_ties_are_settled_by_chunk_id(self, index: ChunkIndex) -> None:
        places = [f"d{n}:1:{m}" for n in range(20) for m in (1, 2, 10)]
        random.Random(1).shuffle(places)
        fill(index, *(indexed(place, "x y") for place in places))
        assert found(index, KeywordLeg(("x",))) == sorted(places)

    def test_ties_at_the_cut_are_settled_by_chunk_id(self, index: ChunkIndex) -> None:
        places = [f"d{n:03}:1:1" for n in range(300)]
        random.Random(2).shuffle(places)
        for start in range(0, 300, 100):
            fill(index, *(indexed(place, "x y") for place in places[start : start + 100]), indexed(f"t:1:{start}", "x"))
        assert found(index, KeywordLeg(("x",)), limit=8) == ["t:1:0", "t:1:100", "t:1:200", *sorted(places)[:5]]

    def test_no_more_candidates_than_the_limit(self, index: ChunkIndex) -> None:
        fill(index, *(indexed(f"a:1:{n}", ["x"] * n) for n in range(1, 31)))
        everything = found(index, KeywordLeg(("x",)), limit=MAX_CANDIDATES)
        assert len(everything) == 30
        assert found(index, KeywordLeg(("x",)), limit=7) == everything[:7]

    def test_a_candidate_says_what_it_is(self, index: ChunkIndex) -> None:
        fill(index, indexed("doc:7:3", "x", kb=5))
        (result,) = index.search([KeywordLeg(("x",))], IndexScope(frozenset({5})), 1)
        (candidate,) = result.candidates
        assert (candidate.chunk_id, candidate.doc_id, candidate.kb_id, candidate.revision) == ("doc:7:3", "doc", 5, 7)
        assert candidate.score > 0
        assert result.took_ms >= 0


class TestExact:
    def test_a_phrase_matches_side_by_side_in_its_order(self, index: ChunkIndex) -> None:
        fill(
            index,
            indexed("a:1:1", "new york city"),
            indexed("a:1:2", "york new city"),
            indexed("a:1:3", "new big york"),
            indexed("a:1:4", "york"),
        )
        assert found(index, ExactLeg(optional=(("new", "york"),))) == ["a:1:1"]

    def test_a_phrase_of_one_token_is_that_token(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", "new york"), indexed("a:1:2", "york"), indexed("a:1:3", "city"))
        assert found(index, ExactLeg(optional=(("york",),))) == ["a:1:2", "a:1:1"]

    def test_a_phrase_may_repeat_a_token(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", "go go away"), indexed("a:1:2", "go away go"), indexed("a:1:3", "go"))
        assert found(index, ExactLeg(optional=(("go", "go"),))) == ["a:1:1"]
        assert found(index, ExactLeg(optional=(("go", "away", "go"),))) == ["a:1:2"]

    def test_scores_of_phrases_add_up(self, index: ChunkIndex) -> None:
        fill(
            index,
            indexed("a:1:1", "a b c d"),
            indexed("a:1:2", "a b x x"),
            indexed("a:1:3", "c d x x"),
            indexed("a:1:4", "x x x x"),
        )
        scores = scored(index, ExactLeg(optional=(("a", "b"), ("c", "d"))))
        assert scores["a:1:1"] == pytest.approx(scores["a:1:2"] + scores["a:1:3"], rel=1e-4)

    def test_a_phrase_weighs_the_sum_of_its_tokens(self, index: ChunkIndex) -> None:
        fill(
            index,
            indexed("a:1:1", "a b z z"),
            indexed("a:1:2", "a z z z"),
            indexed("a:1:3", "a z b z"),
            indexed("a:1:4", "z z z z"),
        )
        shape: Shape = {"of": 4, "average": 4.0}
        both = bm25(holding=3, length=4, times=1, **shape) + bm25(holding=2, length=4, times=1, **shape)
        (phrase,) = scored(index, ExactLeg(optional=(("a", "b"),))).values()
        assert phrase / scored(index, ExactLeg(optional=(("a",),)))["a:1:2"] == pytest.approx(
            both / bm25(holding=3, length=4, times=1, **shape), abs=1e-4
        )

    def test_a_repeated_phrase_counts_once(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", "a b c"), indexed("a:1:2", "c"))
        once = scored(index, ExactLeg(required=(("a", "b"),)))
        assert scored(index, ExactLeg(required=(("a", "b"), ("a", "b")), optional=(("a", "b"),))) == once

    def test_every_required_phrase_must_match(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", "a b c"), indexed("a:1:2", "a b"), indexed("a:1:3", "c"))
        assert found(index, ExactLeg(required=(("a", "b"), ("c",)))) == ["a:1:1"]

    def test_optional_phrases_only_add_to_required_ones(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", "a x"), indexed("a:1:2", "a c"), indexed("a:1:3", "c x"))
        assert found(index, ExactLeg(required=(("a",),), optional=(("c",), ("absent",)))) == ["a:1:2", "a:1:1"]

    def test_a_leg_without_phrases_finds_nothing(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", "x"))
        assert found(index, ExactLeg()) == []


class TestDense:
    def test_candidates_come_in_order_of_cosine(self, index: ChunkIndex) -> None:
        angles = {f"a:1:{n}": n * 0.3 for n in range(1, 11)}
        fill(index, *(indexed(place, vector=(math.cos(a), math.sin(a))) for place, a in angles.items()))
        scores = scored(index, DenseLeg((1.0, 0.0)))
        assert list(scores) == sorted(angles, key=lambda place: -math.cos(angles[place]))
        for place, angle in angles.items():
            assert scores[place] == pytest.approx(math.cos(angle), abs=2e-3)

    def test_the_nearest_are_found_exactly(self, index: ChunkIndex) -> None:
        chance = random.Random(3)
        vectors = {f"a:1:{n}": [chance.gauss(0, 1) for _ in range(24)] for n in range(1, 1500)}
        fill(index, *(indexed(place, vector=_unit(vector)) for place, vector in vectors.items()))
        query = _unit([chance.gauss(0, 1) for _ in range(24)])
        cosine = {p: sum(a * b for a, b in zip(_unit(v), query, strict=True)) for p, v in vectors.items()}
        nearest = found(index, DenseLeg(tuple(query)), limit=20)
        floor = sorted(cosine.values(), reverse=True)[19] - 1e-3
        assert all(cosine[place] >= floor for place in nearest)
        assert len(set(nearest)) == 20

    def test_the_query_need_not_be_normalised(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", vector=(0.6, 0.8)), indexed("a:1:2", vector=(1.0, 0.0)))
        assert scored(index, DenseLeg((3.0, 4.0))) == scored(index, DenseLeg((0.6, 0.8)))

    def test_chunks_without_a_vector_are_not_found(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", "x"), indexed("a:1:2", "x", vector=(1.0, 0.0)))
        assert found(index, DenseLeg((-1.0, 0.0))) == ["a:1:2"]
        assert found(index, KeywordLeg(("x",))) == ["a:1:1", "a:1:2"]

    def test_an_index_without_vectors_finds_nothing(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", "x"))
        assert found(index, DenseLeg((1.0, 0.0, 0.0))) == []

    def test_equal_vectors_tie_and_the_cut_goes_by_chunk_id(self, index: ChunkIndex) -> None:
        places = [f"d{n:03}:1:1" for n in range(250)]
        random.Random(4).shuffle(places)
        vector = _unit([math.sin(n) for n in range(33)])
        fill(index, *(indexed(place, vector=vector) for place in places))
        assert found(index, DenseLeg(tuple(vector)), limit=10) == sorted(places)[:10]

    def test_only_vectors_in_the_scope_are_compared(self, index: ChunkIndex) -> None:
        near = [indexed(f"near:1:{n}", vector=(1.0, 0.0), kb=2) for n in range(1, 200)]
        fill(index, *near, indexed("far:1:1", vector=(-1.0, 0.0)), indexed("far:1:2", vector=(0.0, 1.0)))
        assert found(index, DenseLeg((1.0, 0.0)), limit=2) == ["far:1:2", "far:1:1"]
        (result,) = index.search([DenseLeg((1.0, 0.0))], IndexScope(frozenset({1, 2}), frozenset({"far"})), 5)
        assert [candidate.chunk_id for candidate in result.candidates] == ["far:1:2", "far:1:1"]

    def test_a_replaced_vector_is_forgotten(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", vector=(1.0, 0.0)), indexed("a:1:2", vector=(0.0, 1.0)))
        for _ in range(120):
            index.write([indexed("a:1:1", vector=(1.0, 0.0))])
        fill(index, indexed("a:1:1", vector=(-1.0, 0.0)))
        assert scored(index, DenseLeg((1.0, 0.0))) == {"a:1:2": pytest.approx(0), "a:1:1": pytest.approx(-1)}

    def test_a_chunk_can_lose_its_vector(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", "x", vector=(1.0, 0.0)))
        fill(index, indexed("a:1:1", "x"))
        assert found(index, DenseLeg((1.0, 0.0))) == []

    @pytest.mark.parametrize("vector", [(1.0,), (1.0, 0.0, 0.0), (), (0.0, 0.0), (math.nan, 1.0), (math.inf, 1.0)])
    def test_what_is_no_vector_of_the_index_is_refused(self, index: ChunkIndex, vector: tuple[float, ...]) -> None:
        fill(index, indexed("a:1:1", vector=(1.0, 0.0)))
        with pytest.raises(InvalidRequest):
            index.write([indexed("b:1:1", "x"), indexed("b:1:2", "x", vector=vector)])
        with pytest.raises(InvalidRequest):
            found(index, DenseLeg(vector))
        index.refresh()
        assert index.count(frozenset({1})) == 1

    def test_vectors_of_two_lengths_in_one_write_are_refused(self, index: ChunkIndex) -> None:
        with pytest.raises(InvalidRequest):
            index.write([indexed("b:1:1", vector=(1.0, 0.0)), indexed("b:1:2", vector=(1.0,))])


LEGS: tuple[Leg, ...] = (KeywordLeg(("x",)), ExactLeg(optional=(("x", "y"),)), DenseLeg((1.0, 0.0)))


class TestScope:
    @pytest.mark.parametrize("leg", LEGS)
    def test_only_these_kbs_are_searched(self, index: ChunkIndex, leg: Leg) -> None:
        fill(index, *(indexed(f"d{kb}:1:1", "x y", kb=kb, vector=(1.0, 0.0)) for kb in (1, 2, 3, 4)))
        for kbs in ((1,), (2, 4), (1, 2, 3), (1, 2, 3, 4), (9,), (2, 9)):
            assert found(index, leg, kbs=kbs) == [f"d{kb}:1:1" for kb in kbs if kb != 9]

    @pytest.mark.parametrize("leg", LEGS)
    def test_the_scope_holds_where_better_chunks_are_outside(self, index: ChunkIndex, leg: Leg) -> None:
        inside = [indexed(f"in:1:{n}", "x y" + " z" * 30, vector=(0.6, 0.8)) for n in range(1, 41)]
        outside = [indexed(f"out:1:{n}", "x y", kb=2, vector=(1.0, 0.0)) for n in range(1, 40)]
        fill(index, *outside, *inside)
        assert found(index, leg, limit=5) == sorted(chunk.chunk.chunk_id for chunk in inside)[:5]

    @pytest.mark.parametrize("leg", LEGS)
    def test_a_scope_of_documents_is_within_the_kbs(self, index: ChunkIndex, leg: Leg) -> None:
        fill(index, *(indexed(f"d{n}:1:1", "x y", kb=1 + n % 2, vector=(1.0, 0.0)) for n in range(6)))
        scope = IndexScope(frozenset({1}), frozenset({"d0", "d1", "d4", "absent"}))
        (result,) = index.search([leg], scope, 10)
        assert [candidate.doc_id for candidate in result.candidates] == ["d0", "d4"]

    @pytest.mark.parametrize("scope", [IndexScope(frozenset()), IndexScope(frozenset({1}), frozenset())])
    def test_an_empty_scope_is_nowhere(self, index: ChunkIndex, scope: IndexScope) -> None:
        fill(index, indexed("d:1:1", "x y", vector=(1.0, 0.0)))
        assert [result.candidates for result in index.search(LEGS, scope, 10)] == [(), (), ()]

    def test_hundreds_of_kbs_and_documents(self, index: ChunkIndex) -> None:
        fill(index, *(indexed(f"d{n:04}:1:1", "x y", kb=n, vector=(1.0, 0.0)) for n in range(1, 1501)))
        some = frozenset(range(1, 1501, 2))
        documents = frozenset(f"d{n:04}" for n in range(1, 601))
        for result in index.search(LEGS, IndexScope(some), 1000):
            assert [candidate.kb_id for candidate in result.candidates] == sorted(some)
        for result in index.search(LEGS, IndexScope(some, documents), 1000):
            assert [candidate.kb_id for candidate in result.candidates] == list(range(1, 601, 2))

    def test_results_are_in_the_order_of_the_legs(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", "x"), indexed("b:1:1", "y"), indexed("c:1:1", "z", vector=(1.0, 0.0)))
        legs: list[Leg] = [DenseLeg((1.0, 0.0)), KeywordLeg(("y",)), ExactLeg(required=(("x",),)), KeywordLeg(("z",))]
        results = index.search(legs, IndexScope(frozenset({1})), 10)
        assert [[c.doc_id for c in result.candidates] for result in results] == [["c"], ["b"], ["a"], ["c"]]

    def test_an_empty_index_is_searched_in_vain(self, index: ChunkIndex) -> None:
        assert [result.candidates for result in index.search(LEGS, IndexScope(frozenset({1})), 10)] == [(), (), ()]
        assert index.search([], IndexScope(frozenset({1})), 10) == []
        assert index.fetch(["a:1:1"]) == {}
        assert index.count(frozenset({1})) == 0


class TestWriting:
    def test_a_refresh_shows_writes_and_deletes_to_every_process(self, home: Home) -> None:
        fill(home.index, indexed("a:1:1", "x"), indexed("b:1:1", "x"))
        assert found(home.other, KeywordLeg(("x",))) == ["a:1:1", "b:1:1"]
        home.index.delete_document("a")
        fill(home.index, indexed("c:1:1", "x"))
        assert found(home.other, KeywordLeg(("x",))) == ["b:1:1", "c:1:1"]
        assert home.other.fetch(["a:1:1", "c:1:1"]).keys() == {"c:1:1"}
        assert home.other.count(frozenset({1})) == 2

    def test_a_chunk_replaces_the_one_with_its_id(self, index: ChunkIndex) -> None:
        fill(index, indexed("a:1:1", "old", vector=(1.0, 0.0)))
        fill(index, indexed("a:1:1", "new", kb=2, vector=(0.0, 1.0), text="new"))
        assert found(index, KeywordLeg(("old",)), kbs=(1, 2)) == []
        assert found(index, KeywordLeg(("new",)), kbs=(1,)) == []
        assert found(index, KeywordLeg(("new",)), kbs=(2,)) == ["a:1:1"]
        assert index.fetch(["a:1:1"])["a:1:1"].text == "new"
        assert index.count(frozenset({1, 2})) == 1

    def test_of_two_with_one_id_the_later_stays(self, index: ChunkIndex) -> None:
        index.write([indexed("a:1:1", "one"), indexed("a:1:1", "two")])
        fill(index, indexed("a:1:1", "three"), indexed("a:1:1", "four"))
        assert found(index, KeywordLeg(("one", "two", "three", "four"))) == ["a:1:1"]
        assert found(index, KeywordLeg(("four",))) == ["a:1:1"]

    def test_writing_again_changes_nothing(self, index: ChunkIndex) -> None:
        chunks = [indexed(f"a:1:{n}", "x y", vector=(0.6, 0.8)) for n in range(1, 6)]
        for _ in range(3):
            fill(index, *chunks)
        assert index.count(frozenset({1})) == 5
        assert found(index, DenseLeg((1.0, 0.0))) == [f"a:1:{n}" for n in range(1, 6)]

    def test_exactly_one_revision_is_deleted(self, index: ChunkIndex) -> None:
        fill(index, *(indexed(place, "x") for place in ("a:1:1", "a:1:2", "a:2:1", "a:11:1", "b:1:1")))
        index.delete_revision("a", 1)
        index.delete_revision("absent", 1)
        index.refresh()
        assert found(index, KeywordLeg(("x",))) == ["a:11:1", "a:2:1", "b:1:1"]

    def test_a_document_is_deleted_with_every_revision(self, index: ChunkIndex) -> None:
        fill(index, *(indexed(place, "x") for place in ("a:1:1", "a:2:1", "ab:1:1", "b:1:1")))
        index.delete_document("a")
        index.delete_document("absent")
        index.refresh()
        assert found(index, KeywordLeg(("x",))) == ["ab:1:1", "b:1:1"]

    def test_a_kb_is_deleted_with_everything_in_it(self, index: ChunkIndex) -> None:
        fill(index, *(indexed(f"d{kb}:1:{n}", "x", kb=kb) for kb in (1, 2, 21) for n in (1, 2)))
        index.delete_kb(2)
        index.delete_kb(3)
        index.refresh()
        assert found(index, KeywordLeg(("x",)), kbs=(1, 2, 21)) == ["d1:1:1", "d1:1:2", "d21:1:1", "d21:1:2"]
        assert [index.count(frozenset({kb})) for kb in (1, 2, 21)] == [2, 0, 2]

    def test_writes_and_deletes_apply_in_order(self, index: ChunkIndex) -> None:
        index.write([indexed("a:1:1", "x"), indexed("b:1:1", "x")])
        index.delete_document("a")
        index.delete_revision("b", 1)
        index.write([indexed("b:1:1", "x")])
        index.refresh()
        assert found(index, KeywordLeg(("x",))) == ["b:1:1"]

    def test_nothing_written_is_no_trouble(self, index: ChunkIndex) -> None:
        index.write([])
        index.refresh()
        index.refresh()
        assert index.count(frozenset({1})) == 0

    def test_a_document_of_twenty_thousand_chunks(self, index: ChunkIndex) -> None:
        # Few have a vector: a graph over thousands that are alike takes an engine minutes.
        vectors: dict[int, tuple[float, float]] = {n: (1.0, n / 20_000) for n in range(1, 20_001, 20)}
        for start in range(1, 20_001, 500):
            numbers = range(start, start + 500)
            index.write([indexed(f"big:1:{n}", ("x", f"n{n}"), vector=vectors.get(n)) for n in numbers])
        fill(index, indexed("small:1:1", "x", vector=(1.0, 0.0)))
        assert index.count(frozenset({1})) == 20_001
        assert found(index, KeywordLeg(("n19999",))) == ["big:1:19999"]
        assert len(found(index, KeywordLeg(("x",)), limit=MAX_CANDIDATES)) == MAX_CANDIDATES
        index.delete_revision("big", 1)
        index.refresh()
        assert found(index, KeywordLeg(("x",))) == ["small:1:1"]
        assert found(index, DenseLeg((1.0, 0.0))) == ["small:1:1"]

    def test_kbs_are_counted_together(self, index: ChunkIndex) -> None:
        fill(index, *(indexed(f"d{kb}:1:{n}", "x", kb=kb) for kb in range(1, 401) for n in range(kb % 3)))
        assert index.count(frozenset(range(1, 401))) == 400
        assert index.count(frozenset({1, 2})) == 3
        assert index.count(frozenset()) == 0


class TestStored:
    def test_a_chunk_comes_back_whole(self, index: ChunkIndex) -> None:
        place = Locator(
            3, 9, 2, 4, page=7, boxes=((0.5, 1.0, 2.25, 3.0), (1.0, 1.0, 2.0, 2.0)), json_path="$.a[0]", sheet="S",
            row_start=1, row_end=5, slide=2,
        )  # fmt: skip
        chunk = Chunk(
            "d:2:1", "d", 3, 2, 1, "Title", "text", place, chunk_type="table", header_path="A > B", overlap=4,
            url="https://example.org/?a=b", source="dir", metadata={"tags": ["a", "b"], "n": 1.5, "deep": {"x": None}},
        )  # fmt: skip
        fill(index, IndexedChunk(chunk, ("t",), ("t",)), indexed("plain:1:1", "t"))
        assert index.fetch(["d:2:1", "absent:1:1", "plain:1:1", "d:2:1"]) == {
            "d:2:1": chunk,
            "plain:1:1": indexed("plain:1:1", "t").chunk,
        }

    @pytest.mark.parametrize(
        "text", ["日本語の本文", "emoji 👩‍👩‍👧 flags 🇩🇪", "nul \0 tab \t line\r\n sep \u2028", "", "e\u0301 é"]
    )
    def test_text_is_kept_to_the_code_point(self, index: ChunkIndex, text: str) -> None:
        chunk = replace(indexed("d:1:1", "t").chunk, text=text, title=text, metadata={text: text})
        fill(index, IndexedChunk(chunk, ("t",), ("t",)))
        assert index.fetch(["d:1:1"]) == {"d:1:1": chunk}

    def test_metadata_may_be_large(self, index: ChunkIndex) -> None:
        chunk = replace(indexed("d:1:1", "t").chunk, metadata={f"key {n}": "value " * 100 for n in range(2_000)})
        fill(index, IndexedChunk(chunk, ("t",), ("t",)))
        assert index.fetch(["d:1:1"]) == {"d:1:1": chunk}

    def test_ids_are_opaque(self, index: ChunkIndex) -> None:
        ids = [
            "UPPER:1:1",
            "upper:1:1",
            "with space:1:1",
            "日本:1:1",
            'quo"te\\:1:1',
            "a:b:1:1",
            "*:1:1",
            "x" * 500 + ":1:1",
        ]
        fill(index, *(indexed(place, "t", vector=(1.0,)) for place in ids))
        assert found(index, KeywordLeg(("t",))) == sorted(ids)
        assert index.fetch(ids).keys() == set(ids)
        index.delete_document("*")
        index.delete_revision("a:b", 1)
        index.delete_revision("a", 1)
        index.refresh()
        assert found(index, DenseLeg((1.0,))) == sorted(set(ids) - {"*:1:1", "a:b:1:1"})

    def test_many_chunks_are_fetched_at_once(self, index: ChunkIndex) -> None:
        fill(index, *(indexed(f"d:1:{n}", "t") for n in range(1, 1301)))
        wanted = [f"d:1:{n}" for n in range(100, 1400)]
        assert index.fetch(wanted).keys() == set(wanted[:1201])


ODD_TOKENS = [
    "c++", "a-b", "a.b", "a_b", "AND", "OR", "NOT", "(", ")", "*", "?", "a*", "~", "^2", '"', "'", "\\", "/",
    "[a", "]", "{", "}", ":", "field:x", "terms:x", "+x", "-x", "!", "&&", "||", "<", ">", "=", "#", "$", "%",
    "@", "Upper", "upper", "UPPER", "é", "e\u0301", "ﬁ", "ß", "ss", "İ", "i\u0307", "日本", "日本語", "한국",
    "한국", "привет", "ไทย", "👩‍👩‍👧", "👩", "\u200b", "\u200d", "\ufeff", "\u2060", "\u00ad", "\u180e",
    "\u0000", "\u0001", "a\u0000b", "\u007f", "\ue000", "\ufffd", "\U0010ffff", "0", "00", "1e5", "x" * 128,
    "日" * 42, "the", "a",
]  # fmt: skip
"""All of them tokens: the port forbids white space only."""


class TestTokens:
    def test_every_token_finds_itself_and_nothing_else(self, index: ChunkIndex) -> None:
        places = {f"d:1:{n}": token for n, token in enumerate(ODD_TOKENS, 1)}
        fill(index, *(indexed(place, (token,)) for place, token in places.items()))
        for place, token in places.items():
            same = [other for other, held in places.items() if held == token]
            assert place in same
            assert found(index, KeywordLeg((token,))) == sorted(same)
            assert found(index, ExactLeg(required=((token,),))) == sorted(same)

    def test_odd_tokens_keep_their_places_in_phrases(self, index: ChunkIndex) -> None:
        fill(index, indexed("d:1:1", ODD_TOKENS[:40]))
        for at in range(37):
            assert found(index, ExactLeg(required=(tuple(ODD_TOKENS[at : at + 3]),))) == ["d:1:1"]
            assert found(index, ExactLeg(required=((ODD_TOKENS[at], ODD_TOKENS[at + 2]),))) == []

    @pytest.mark.parametrize("space", [" ", "\t", "\n", "\v", "\x1c", "\x85", "\u00a0", "\u2009", "\u2028", "\u3000"])
    def test_white_space_is_no_part_of_a_token(self, index: ChunkIndex, space: str) -> None:
        _assert_no_token(index, f"a{space}b")
        _assert_no_token(index, f"a{space}")

    @pytest.mark.parametrize("token", ["", "x" * (MAX_TOKEN_BYTES + 1), "日" * 43])
    def test_a_token_is_neither_empty_nor_long(self, index: ChunkIndex, token: str) -> None:
        _assert_no_token(index, token)


class TestLimits:
    @pytest.mark.parametrize("limit", [0, -1, MAX_CANDIDATES + 1])
    def test_a_limit_out_of_range_is_refused(self, index: ChunkIndex, limit: int) -> None:
        with pytest.raises(InvalidRequest):
            index.search([KeywordLeg(("x",))], IndexScope(frozenset({1})), limit)

    def test_an_empty_phrase_is_refused(self, index: ChunkIndex) -> None:
        with pytest.raises(InvalidRequest):
            found(index, ExactLeg(required=((),)))
        with pytest.raises(InvalidRequest):
            found(index, ExactLeg(optional=(("a",), ())))

    @pytest.mark.parametrize("doc_id", ["", "x" * MAX_ID_BYTES, "日" * 170])
    def test_an_id_out_of_range_is_refused(self, index: ChunkIndex, doc_id: str) -> None:
        with pytest.raises(InvalidRequest):
            index.write(
                [
                    replace(
                        indexed("d:1:1"), chunk=replace(indexed("d:1:1").chunk, doc_id=doc_id, chunk_id=f"{doc_id}:1:1")
                    )
                ]
            )

    @pytest.mark.parametrize("number", [-1, 2**63])
    def test_a_number_out_of_range_is_refused(self, index: ChunkIndex, number: int) -> None:
        with pytest.raises(InvalidRequest):
            index.write([indexed("d:1:1", kb=number)])
        fill(index, indexed("d:1:1", "x", kb=2**63 - 1))
        assert found(index, KeywordLeg(("x",)), kbs=(2**63 - 1,)) == ["d:1:1"]

    @pytest.mark.parametrize("value", [math.nan, math.inf, {1, 2}, object(), b"bytes"])
    def test_metadata_that_is_not_json_is_refused(self, index: ChunkIndex, value: object) -> None:
        chunk = replace(indexed("d:1:1").chunk, metadata={"key": [value]})
        with pytest.raises(InvalidRequest):
            index.write([IndexedChunk(chunk, ("t",), ("t",))])

    def test_one_bad_chunk_keeps_the_whole_call_out(self, index: ChunkIndex) -> None:
        with pytest.raises(InvalidRequest):
            index.write([indexed("a:1:1", "x"), indexed("a:1:2", ("y z",))])
        index.refresh()
        assert index.count(frozenset({1})) == 0


def _assert_no_token(index: ChunkIndex, token: str) -> None:
    with pytest.raises(InvalidRequest):
        index.write([indexed("d:1:1", ("fine", token), sequence=())])
    with pytest.raises(InvalidRequest):
        index.write([indexed("d:1:1", (), sequence=("fine", token))])
    with pytest.raises(InvalidRequest):
        found(index, KeywordLeg((token,)))
    with pytest.raises(InvalidRequest):
        found(index, ExactLeg(optional=((token, "x"),)))


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.sqrt(math.fsum(value * value for value in vector))
    return [value / length for value in vector]
