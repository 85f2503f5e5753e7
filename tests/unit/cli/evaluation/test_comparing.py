"""Two runs side by side."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub_cli.evaluation.comparing import Incomparable, compare, sign_test
from knowhub_cli.evaluation.runs import FIGURES, NDCG, BadRun, Run, restore, save


def run(mode: str = "keyword", **figures: float) -> Run:
    return Run("seals", {mode: {query: dict.fromkeys(FIGURES, figure) for query, figure in figures.items()}})


def test_gains_and_losses_are_listed_largest_first() -> None:
    before, after = run(a=0.5, b=0.2, c=1.0, d=0.3, e=0.4), run(a=1.0, b=0.9, c=0.0, d=0.3, e=0.3)
    (one,) = compare(before, after)
    assert [change.query for change in one.better] == ["b", "a"]
    assert [change.query for change in one.worse] == ["c", "e"]
    assert (one.unchanged, one.mean) == (1, pytest.approx(0.1 / 5))
    assert (one.better[0].before, one.better[0].after) == (0.2, 0.9)


def test_only_what_both_runs_have_is_compared() -> None:
    (one,) = compare(run(a=0.5, b=0.2), run(b=0.4, c=0.9))
    assert [change.query for change in one.changes] == ["b"]


def test_runs_without_a_common_query_can_not_be_compared() -> None:
    with pytest.raises(Incomparable, match="no query and mode in common"):
        compare(run(a=0.5), run(b=0.5))
    with pytest.raises(Incomparable):
        compare(run("exact", a=0.5), run("keyword", a=0.5))


def test_the_sign_test_gives_the_two_tails_of_fair_coins() -> None:
    assert sign_test(5, 0) == pytest.approx(2 / 32)
    assert sign_test(8, 2) == pytest.approx(2 * (1 + 10 + 45) / 1024)
    assert (sign_test(0, 0), sign_test(3, 3), sign_test(1, 0)) == (1, 1, 1)


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_sign_test_is_a_probability_and_takes_no_side(better: int, worse: int) -> None:
    assert 0 <= sign_test(better, worse) == sign_test(worse, better) <= 1


def test_a_saved_run_comes_back_as_it_was(tmp_path: Path) -> None:
    kept = run(a=1 / 3, b=0.0)
    save(kept, tmp_path / "run.json")
    assert restore(tmp_path / "run.json") == kept


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "is no saved run"),
        ("[]", "is no saved run"),
        ('{"format": 1, "dataset": "x", "modes": {"keyword": {"a": {}}}}', "is no saved run"),
        ('{"format": 1, "dataset": "x", "modes": []}', "is no saved run"),
        ('{"format": 2}', "was saved by another version of this command"),
    ],
)
def test_what_is_no_saved_run_is_refused(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "run.json").write_text(text, encoding="utf-8")
    with pytest.raises(BadRun, match=expected):
        restore(tmp_path / "run.json")


def test_a_summary_has_the_means_of_every_query() -> None:
    summary = run(a=1.0, b=0.0, c=0.0).summary()
    assert summary["modes"][0][NDCG] == 0.3333
    assert (summary["dataset"], summary["modes"][0]["queries"]) == ("seals", 3)
