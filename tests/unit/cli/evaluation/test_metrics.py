"""The figures of a ranked list: cases computed by hand, and what holds for any list."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub_cli.evaluation.metrics import hit, ndcg, recall, reciprocal_rank

RANKING = ["a", "b", "c", "d"]

grades = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 4), max_size=8)
rankings = st.permutations("abcdefgh").flatmap(lambda all_of: st.integers(0, 8).map(lambda count: all_of[:count]))
cuts = st.integers(1, 10)


def test_ndcg_takes_the_grade_as_gain_and_the_logarithm_of_the_rank_as_discount() -> None:
    # 3/log2(2) + 0/log2(3) + 1/log2(4) over the best order 3/log2(2) + 2/log2(3) + 1/log2(4)
    assert ndcg(RANKING, {"a": 3, "c": 1, "z": 2}, 10) == pytest.approx(3.5 / (3 + 2 / log2(3) + 0.5))


def test_ndcg_of_one_relevant_document_is_its_discount() -> None:
    assert [ndcg(RANKING, {one: 1}, 10) for one in RANKING] == pytest.approx([1.0, 1 / log2(3), 0.5, 1 / log2(5)])


def test_ndcg_counts_the_first_places_only_and_the_best_order_has_no_more_of_them() -> None:
    assert ndcg(RANKING, {"c": 1}, 2) == 0
    assert ndcg(["a", "b"], {"a": 1, "b": 1, "z": 1}, 2) == 1


def test_what_nobody_judged_and_what_was_judged_below_nothing_is_worth_nothing() -> None:
    assert ndcg(RANKING, {"a": -2, "b": 1}, 10) == pytest.approx(1 / log2(3))
    assert (recall(RANKING, {"a": -2}, 10), reciprocal_rank(RANKING, {"a": 0}, 10), hit(RANKING, {}, 1)) == (0, 0, 0)


def test_recall_is_the_share_of_the_relevant_that_was_found() -> None:
    judged = {"a": 1, "c": 2, "x": 1, "b": 0}
    assert (recall(RANKING, judged, 1), recall(RANKING, judged, 4)) == (pytest.approx(1 / 3), pytest.approx(2 / 3))


def test_the_reciprocal_rank_is_that_of_the_first_relevant_document_within_the_cut() -> None:
    judged = {"c": 1, "d": 2}
    assert (reciprocal_rank(RANKING, judged, 10), reciprocal_rank(RANKING, judged, 2)) == (pytest.approx(1 / 3), 0)


def test_a_hit_is_a_relevant_document_within_the_cut() -> None:
    assert (hit(RANKING, {"b": 1}, 1), hit(RANKING, {"b": 1}, 2)) == (0, 1)


@given(rankings, grades, cuts)
def test_every_figure_is_between_0_and_1(ranking: list[str], judged: dict[str, int], k: int) -> None:
    for figure in (ndcg, recall, reciprocal_rank, hit):
        assert 0 <= figure(ranking, judged, k) <= 1 + 1e-12


@given(grades, cuts)
def test_the_best_order_has_an_ndcg_of_1(judged: dict[str, int], k: int) -> None:
    best = sorted(judged, key=lambda one: -judged[one])
    relevant = any(grade > 0 for grade in judged.values())
    assert ndcg(best, judged, k) == pytest.approx(1.0 if relevant else 0.0)


@given(rankings.filter(lambda ranking: len(ranking) > 1), grades, cuts, st.data())
def test_no_figure_falls_when_a_better_document_moves_up(
    ranking: list[str], judged: dict[str, int], k: int, data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, len(ranking) - 1))
    swapped = [*ranking]
    swapped[at - 1 : at + 1] = [ranking[at], ranking[at - 1]]
    better, worse = sorted((ranking, swapped), key=lambda one: -judged.get(one[at - 1], 0))
    for figure in (ndcg, recall, reciprocal_rank, hit):
        assert figure(better, judged, k) >= figure(worse, judged, k) - 1e-12


@given(rankings, grades, cuts)
def test_nothing_behind_the_cut_counts(ranking: list[str], judged: dict[str, int], k: int) -> None:
    for figure in (ndcg, recall, reciprocal_rank, hit):
        assert figure(ranking, judged, k) == figure(ranking[:k], judged, k)
