"""What every chunk index promises of filters and of the leg that lists: tests run on each home.

Random filters are compared in `chunk_index_congruence.py`; here is what each rule means, and its edges.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from knowhub.errors import InvalidRequest
from knowhub.model.filter import AllOf, AnyOf, Comparison, Filter, Negation, Operator, Scalar
from knowhub.ports.chunk_index import (
    ChunkIndex,
    DenseLeg,
    EveryLeg,
    ExactLeg,
    IndexedChunk,
    IndexScope,
    KeywordLeg,
    Leg,
)
from tests.contract.chunk_index_homes import HOMES, Home, found, indexed

LEGS: tuple[Leg, ...] = (
    KeywordLeg(("x",)),
    ExactLeg(optional=(("x", "y"),)),
    DenseLeg((1.0, 0.0)),
    EveryLeg(),
)
A = Comparison("metadata.a", "exists")


@pytest.fixture(params=HOMES)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    with HOMES[request.param](tmp_path) as made:
        yield made


@pytest.fixture
def index(home: Home) -> ChunkIndex:
    return home.index


def valued(place: str, values: Mapping[str, Sequence[Scalar]], *, kb: int = 1) -> IndexedChunk:
    return replace(indexed(place, "x y", kb=kb, vector=(1.0, 0.0)), values=values)


def fill(index: ChunkIndex, **values: Sequence[Scalar]) -> None:
    """Write a chunk a name, with these values of one field; one more has the field not at all."""
    named = [valued(f"{name}:1:1", {"metadata.a": each}) for name, each in values.items()]
    index.write([*named, valued("none:1:1", {"title": ["t"]})])
    index.refresh()


def let_by(index: ChunkIndex, asked: Filter, leg: Leg = LEGS[-1]) -> set[str]:
    (result,) = index.search([leg], IndexScope(frozenset({1}), filter=asked), 100)
    return {candidate.doc_id for candidate in result.candidates}


def check(index: ChunkIndex, expected: Mapping[tuple[Operator, Scalar], str]) -> None:
    """Compare what each condition on the field lets by, given as names in a row."""
    actual = {
        (operator, value): " ".join(sorted(let_by(index, Comparison("metadata.a", operator, (value,)))))
        for operator, value in expected
    }
    assert actual == expected


class TestComparing:
    def test_numbers_by_value_whatever_their_type(self, index: ChunkIndex) -> None:
        fill(index, one=[1], half=[0.5], less=[-3], most=[10**30], near=[10**30 + 1], text=["1"], yes=[True])
        check(
            index,
            {
                ("eq", 1.0): "one",
                ("eq", 10**30): "most",
                ("gt", 0.5): "most near one",
                ("gte", 0.5): "half most near one",
                ("lt", 0.5): "less",
                ("lte", -3.0): "less",
                ("gt", 10**30): "near",
                ("ne", 1): "half less most near text yes",
            },
        )

    def test_texts_by_code_point_and_case(self, index: ChunkIndex) -> None:
        fill(index, upper=["Zoo"], lower=["apple"], longer=["apples"], far=["海"], empty=[""], number=[5])
        check(
            index,
            {
                ("eq", "apple"): "lower",
                ("eq", "APPLE"): "",
                ("gt", "apple"): "far longer",
                ("gte", "apple"): "far longer lower",
                ("lt", "apple"): "empty upper",
                ("lte", ""): "empty",
                ("gt", ""): "far longer lower upper",
                ("ne", ""): "far longer lower number upper",
            },
        )

    def test_dates_by_their_instant(self, index: ChunkIndex) -> None:
        fill(
            index, day=["2024-01-01"], same=["2024-01-01T08:00:00+08:00"], later=["2024-01-01T00:00:00.000001"],
            before=["2023-12-31 23:59"], words=["2024"],
        )  # fmt: skip
        check(
            index,
            {
                ("eq", "2024-01-01T00:00:00Z"): "day same",
                ("gt", "2024-01-01"): "later",
                ("lt", "2024-01-01"): "before",
                ("gte", "2023-12-31T23:59:00"): "before day later same",
                ("ne", "2024-01-01"): "before later words",
                ("like", "2024%"): "day later same words",
            },
        )

    def test_truth_values_are_no_numbers(self, index: ChunkIndex) -> None:
        fill(index, yes=[True], no=[False], one=[1], text=["true"])
        check(index, {("eq", True): "yes", ("ne", False): "one text yes"})
        check(index, {("eq", 1): "one", ("gte", 0): "one"})

    def test_a_missing_field_makes_any_condition_false(self, index: ChunkIndex) -> None:
        fill(index, has=["v"])
        for operator in ("ne", "not like", "eq", "gt", "lt", "like"):
            asked = Comparison("metadata.b", operator, ("v",))  # type: ignore[arg-type] # sampled from the operators
            assert let_by(index, asked) == set()
            assert let_by(index, Negation(asked)) == {"has", "none"}
        assert let_by(index, Comparison("metadata.a", "not in", ("w",))) == {"has"}

    def test_one_of_several_values_is_enough_and_none_may_be_for_the_contrary(self, index: ChunkIndex) -> None:
        fill(index, both=["red", "blue"], red=["red"], mixed=["red", 7])
        check(
            index,
            {
                ("eq", "blue"): "both",
                ("ne", "blue"): "mixed red",
                ("gt", 5): "mixed",
                ("like", "b%"): "both",
                ("not like", "b%"): "mixed red",
            },
        )
        assert let_by(index, Comparison("metadata.a", "in", ("blue", 7))) == {"both", "mixed"}
        assert let_by(index, Comparison("metadata.a", "not in", ("blue", 7))) == {"red"}

    def test_one_value_has_to_be_between_both_ends(self, index: ChunkIndex) -> None:
        fill(index, apart=[1, 9], within=[5], low=[3], high=[7], outside=[2])
        between = Comparison("metadata.a", "between", (3, 7))
        assert let_by(index, between) == {"within", "low", "high"}
        assert let_by(index, Comparison("metadata.a", "between", (7, 3))) == set()
        assert let_by(index, Comparison("metadata.a", "between", (5, 5.0))) == {"within"}

    def test_existence(self, index: ChunkIndex) -> None:
        fill(index, text=[""], no=[False], zero=[0])
        assert let_by(index, A) == {"text", "no", "zero"}
        assert let_by(index, Negation(A)) == {"none"}
        assert let_by(index, Comparison("title", "exists")) == {"none"}

    def test_fields_that_begin_alike_are_apart(self, index: ChunkIndex) -> None:
        index.write([valued("a:1:1", {"metadata.a": ["b:c"], "metadata.a:b": ["c"], "x" * 190: ["z"]})])
        index.refresh()
        assert let_by(index, Comparison("metadata.a:b", "eq", ("c",))) == {"a"}
        assert let_by(index, Comparison("metadata.a", "eq", ("c",))) == set()
        assert let_by(index, Comparison("metadata", "exists")) == set()
        assert let_by(index, Comparison("x" * 190, "gt", ("y",))) == {"a"}
        assert let_by(index, Comparison("x" * 189, "exists")) == set()


class TestPatterns:
    def test_runs_and_singles(self, index: ChunkIndex) -> None:
        fill(
            index,
            report=["report-2024.pdf"],
            short=["rep"],
            lines=["re\npo\nrt"],
            cjk=["海洋"],
            emoji=["👩‍👧"],
            empty=[""],
        )
        check(
            index,
            {
                ("like", "rep%"): "report short",
                ("like", "%2024%"): "report",
                ("like", "re%rt"): "lines",
                ("like", "re_po_rt"): "lines",
                ("like", "__"): "cjk",
                ("like", "___"): "emoji short",
                ("like", "_洋"): "cjk",
                ("like", "%"): "cjk emoji empty lines report short",
                ("like", "_%"): "cjk emoji lines report short",
                ("like", ""): "empty",
                ("like", "REP%"): "",
                ("like", "ep"): "",
                ("not like", "%e%"): "cjk emoji empty",
            },
        )

    def test_nothing_else_is_special(self, index: ChunkIndex) -> None:
        odd = {"dots": "a.c", "plain": "abc", "star": "a*", "slash": "a\\c", "braces": "[a]{2}", "percent": "a%c"}
        fill(index, **{name: [value] for name, value in odd.items()})
        for name in ("dots", "star", "slash", "braces"):
            assert let_by(index, Comparison("metadata.a", "like", (odd[name],))) == {name}
        assert let_by(index, Comparison("metadata.a", "like", ("a%c",))) == {"dots", "plain", "slash", "percent"}

    def test_only_texts_are_like_anything(self, index: ChunkIndex) -> None:
        fill(index, number=[12], yes=[True], text=["12"])
        check(index, {("like", "%"): "text", ("not like", "%"): "number yes"})

    def test_the_longest_values_and_patterns(self, index: ChunkIndex) -> None:
        fill(index, long=["x" * 256], cjk=["海" * 85], almost=["x" * 255 + "a"])
        check(
            index,
            {
                ("like", "_" * 256): "almost long",
                ("like", "_" * 85): "cjk",
                ("like", "x" * 256): "long",
                ("like", "%" + "x" * 200): "long",
                ("like", "%" * 256): "almost cjk long",
                ("gt", "x" * 255 + "a"): "cjk long",
                ("lte", "x" * 255 + "a"): "almost",
            },
        )
        assert let_by(index, Comparison("metadata.a", "between", ("w" * 256, "x" * 256))) == {"almost", "long"}

    @pytest.mark.parametrize("kbs", [frozenset({1}), frozenset()])
    def test_what_engines_can_not_be_asked_is_refused_everywhere_alike(
        self, index: ChunkIndex, kbs: frozenset[int]
    ) -> None:
        fill(index, text=["t"])
        one = Comparison("metadata.a", "like", ("%a" + "_" * 12 + "b",))
        many = AllOf(tuple(Comparison("metadata.a", "gt", (f"{n:02}" * 120,)) for n in range(64)))
        for asked in (one, many):
            for leg in LEGS:
                with pytest.raises(InvalidRequest):
                    index.search([leg], IndexScope(kbs, filter=asked), 10)


class TestCombining:
    def test_all_any_and_not(self, index: ChunkIndex) -> None:
        fill(index, a=[1], b=[2], c=[3])
        one, two = Comparison("metadata.a", "eq", (1,)), Comparison("metadata.a", "lte", (2,))
        assert let_by(index, AllOf((one, two))) == {"a"}
        assert let_by(index, AnyOf((one, Comparison("metadata.a", "eq", (3,))))) == {"a", "c"}
        assert let_by(index, Negation(AnyOf((one, two)))) == {"c", "none"}
        assert let_by(index, AllOf((Negation(one), Negation(two)))) == {"c", "none"}
        assert let_by(index, Negation(Negation(one))) == {"a"}

    def test_as_many_and_as_deep_as_a_caller_may_ask(self, index: ChunkIndex) -> None:
        fill(index, a=[1])
        asked: Filter = AnyOf(tuple(Comparison("metadata.a", "in", tuple(range(n, n + 256))) for n in range(2, 66)))
        assert let_by(index, asked) == set()
        asked = AnyOf(tuple(Comparison("metadata.a", "between", (n, n + 0.5)) for n in range(64)))
        for _ in range(7):
            asked = Negation(asked)
        assert let_by(index, asked) == {"none"}


class TestLegs:
    @pytest.mark.parametrize("leg", LEGS)
    def test_a_filter_narrows_every_leg(self, index: ChunkIndex, leg: Leg) -> None:
        fill(index, a=[1], b=[2], c=[3])
        assert let_by(index, Comparison("metadata.a", "gte", (2,)), leg) == {"b", "c"}
        assert let_by(index, Comparison("metadata.a", "eq", (9,)), leg) == set()

    @pytest.mark.parametrize("leg", LEGS)
    def test_a_filter_never_widens_the_scope(self, index: ChunkIndex, leg: Leg) -> None:
        index.write([valued(f"d{n}:1:1", {"metadata.a": [n]}, kb=1 + n % 2) for n in range(10)])
        index.refresh()
        asked = AnyOf((A, Negation(A)))
        (result,) = index.search([leg], IndexScope(frozenset({2}), frozenset({"d1", "d2", "d3"}), asked), 100)
        assert [one.doc_id for one in result.candidates] == ["d1", "d3"]

    @pytest.mark.parametrize("leg", LEGS)
    def test_what_passes_is_found_behind_better_ones_that_do_not(self, index: ChunkIndex, leg: Leg) -> None:
        worse = replace(indexed("z:1:1", "x y" + " w" * 30, vector=(0.6, 0.8)), values={"metadata.a": [1]})
        index.write([*(valued(f"d{n:03}:1:1", {"metadata.a": [0]}) for n in range(400)), worse])
        index.refresh()
        assert let_by(index, Comparison("metadata.a", "eq", (1,)), leg) == {"z"}

    def test_scores_are_those_without_a_filter(self, index: ChunkIndex) -> None:
        words = ["x", "x x y", "x y z z", "y"]
        chunks = [
            replace(indexed(f"d{n}:1:1", text, vector=(1.0, n)), values={"n": [n]}) for n, text in enumerate(words)
        ]
        index.write(chunks)
        index.refresh()
        asked = Comparison("n", "gte", (1,))
        for leg in LEGS:
            (plain,) = index.search([leg], IndexScope(frozenset({1})), 10)
            (narrowed,) = index.search([leg], IndexScope(frozenset({1}), filter=asked), 10)
            assert [(one.chunk_id, one.score) for one in narrowed.candidates] == [
                (one.chunk_id, pytest.approx(one.score, abs=1e-4)) for one in plain.candidates if one.doc_id != "d0"
            ]

    def test_a_replaced_chunk_has_its_new_values_only(self, index: ChunkIndex) -> None:
        fill(index, a=[1])
        fill(index, a=[2])
        check(index, {("eq", 1): "", ("eq", 2): "a"})


class TestEvery:
    def test_it_lists_the_scope_by_chunk_id_with_the_score_one(self, index: ChunkIndex) -> None:
        places = ["b:1:10", "b:1:2", "B:1:1", "a:1:1", "é:1:1", "日:1:1"]
        index.write([indexed(place, "x") for place in places])
        index.write([indexed("c:1:1", "x", kb=2)])
        index.refresh()
        assert found(index, EveryLeg()) == sorted(places)
        (result,) = index.search([EveryLeg()], IndexScope(frozenset({1, 2})), 100)
        assert {one.score for one in result.candidates} == {1.0}
        assert found(index, EveryLeg(), kbs=(1, 2), limit=3) == ["B:1:1", "a:1:1", "b:1:10"]

    def test_chunks_without_terms_and_vector_are_listed_too(self, index: ChunkIndex) -> None:
        index.write([indexed("a:1:1"), indexed("b:1:1", "x", vector=(1.0,))])
        index.refresh()
        assert found(index, EveryLeg()) == ["a:1:1", "b:1:1"]

    def test_the_first_of_thousands_are_the_first_by_chunk_id(self, index: ChunkIndex) -> None:
        places = [f"d{(n * 7919) % 3000:04}:1:1" for n in range(3000)]
        for start in range(0, 3000, 1000):
            index.write([indexed(place, "x") for place in places[start : start + 1000]])
            index.refresh()
        index.delete_document("d0003")
        index.refresh()
        assert found(index, EveryLeg(), limit=5) == [f"d{n:04}:1:1" for n in (0, 1, 2, 4, 5)]
