"""Weighted reciprocal rank fusion."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.ports.chunk_index import Candidate
from knowhub.retrieval.fusion import K, Weights, fuse


def candidates(*ids: str) -> list[Candidate]:
    return [Candidate(f"{name}:1:1", name, 1, 1, 1.0) for name in ids]


def ids(legs: dict[str, list[Candidate]], weights: dict[str, float]) -> list[str]:
    return [one.candidate.doc_id for one in fuse(legs, Weights(weights))]


def test_what_two_legs_find_beats_what_one_finds_first() -> None:
    legs = {"keyword": candidates("a", "b"), "exact": candidates("c", "b")}
    assert ids(legs, {"keyword": 1.0, "exact": 1.0})[0] == "b"


def test_a_weight_decides_between_legs_that_disagree() -> None:
    legs = {"keyword": candidates("a"), "exact": candidates("b")}
    assert ids(legs, {"keyword": 1.0, "exact": 0.5}) == ["a", "b"]
    assert ids(legs, {"keyword": 0.5, "exact": 1.0}) == ["b", "a"]


def test_equal_scores_are_ordered_by_chunk_id() -> None:
    legs = {"keyword": candidates("b"), "exact": candidates("a")}
    assert ids(legs, {"keyword": 1.0, "exact": 1.0}) == ["a", "b"]


def test_first_everywhere_is_one_and_the_second_follows_the_formula() -> None:
    fused = fuse({"keyword": candidates("a", "b"), "exact": candidates("a")}, Weights({"keyword": 1.0, "exact": 0.5}))
    assert fused[0].score == pytest.approx(1.0)
    assert fused[1].score == pytest.approx((1.0 / (K + 2)) / (1.5 / (K + 1)))


def test_no_candidates_are_no_hits() -> None:
    assert fuse({"keyword": []}, Weights({"keyword": 1.0})) == []


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), min_size=1, max_size=3))
def test_every_candidate_comes_once_with_a_falling_score_within_0_and_1(found: list[list[str]]) -> None:
    legs = {f"leg{number}": candidates(*leg) for number, leg in enumerate(found)}
    fused = fuse(legs, Weights(dict.fromkeys(legs, 1.0)))
    assert sorted(one.candidate.doc_id for one in fused) == sorted({name for leg in found for name in leg})
    scores = [one.score for one in fused]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


def test_the_dense_leg_is_weighed_by_the_candidate_s_knowledge_base() -> None:
    near = [Candidate("a:1:1", "a", 1, 1, 0.9), Candidate("b:1:1", "b", 2, 1, 0.8)]
    weights = Weights({"keyword": 1.0}, {1: 0.1, 2: 1.0})
    fused = fuse({"keyword": [], "dense": near}, weights)
    assert [one.candidate.doc_id for one in fused] == ["b", "a"]
    assert fused[0].score == pytest.approx((1.0 / (K + 2)) / (2.0 / (K + 1)))


def test_what_only_a_leg_without_weight_found_is_left_out() -> None:
    fused = fuse({"keyword": candidates("a"), "dense": candidates("b")}, Weights({"keyword": 1.0}, {1: 0.0}))
    assert [one.candidate.doc_id for one in fused] == ["a"]
