"""Filters as conditions on terms: what they let by is what they mean, and patterns stay small."""

import re
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from knowhub.errors import InvalidRequest
from knowhub.model.filter import AllOf, AnyOf, Comparison, Filter, Negation, Scalar
from knowhub.ports.chunk_filters import (
    MAX_EFFORT,
    Between,
    Condition,
    Every,
    Matching,
    OneOf,
    Some,
    condition,
    range_patterns,
)
from knowhub.ports.chunk_values import value_terms
from tests.filter_strategies import FILTERS, VALUES
from tests.filtering import lets_by


def holds(asked: Condition, terms: Sequence[str], *, by_pattern: bool) -> bool:
    """Judge a condition as an engine does, ranges by comparing terms or by their pattern."""
    if isinstance(asked, OneOf):
        return not set(asked.terms).isdisjoint(terms)
    if isinstance(asked, Matching):
        return any(re.fullmatch(asked.pattern, term) for term in terms)
    if isinstance(asked, (Every, Some)):
        parts = [holds(part, terms, by_pattern=by_pattern) for part in asked.parts]
        return all(parts) if isinstance(asked, Every) else any(parts)
    if isinstance(asked, Between):
        if by_pattern:
            return any(_in_patterns(asked, term) for term in terms)
        return any(_between(asked, term) for term in terms)
    return not holds(asked.part, terms, by_pattern=by_pattern)


def _between(asked: Between, term: str) -> bool:
    above = asked.low is None or term > asked.low or (asked.with_low and term == asked.low)
    below = asked.high is None or term < asked.high or (asked.with_high and term == asked.high)
    return term.startswith(asked.prefix) and above and below


def _in_patterns(asked: Between, term: str) -> bool:
    return any(re.fullmatch(pattern, term) for pattern in range_patterns(asked))


@settings(deadline=None, max_examples=400)
@given(FILTERS, VALUES)
def test_a_condition_lets_by_what_the_filter_means(asked: Filter, values: Mapping[str, Sequence[Scalar]]) -> None:
    try:
        conditions = condition(asked)
    except InvalidRequest:
        return
    terms = value_terms(values)
    expected = lets_by(asked, values)
    assert holds(conditions, terms, by_pattern=False) is expected
    assert holds(conditions, terms, by_pattern=True) is expected


TAIL = st.text("0123456789abcdefz", max_size=40)


@settings(deadline=None, max_examples=400)
@given(st.none() | TAIL, st.none() | TAIL, st.lists(TAIL, max_size=5), st.booleans(), st.booleans())
@example("ab", "ab", [], True, False)
@example("ab", "abc", ["ab0"], False, False)
@example("", "0", [], True, False)
@example("a", "b", ["az"], False, False)
def test_a_range_s_patterns_are_the_range(
    low: str | None, high: str | None, values: list[str], with_low: bool, with_high: bool
) -> None:
    if low is None and high is None:
        return
    ends = (None if end is None else f"k:s{end}" for end in (low, high))
    asked = Between("k:s", *ends, with_low=with_low, with_high=with_high)
    near = [end + more for end in (low, high) if end is not None for more in ("", "0", "z", "00")]
    shorter = [end[:-1] for end in (low, high) if end]
    for term in (f"k:s{one}" for one in (*values, *near, *shorter)):
        assert _in_patterns(asked, term) is _between(asked, term), (term, range_patterns(asked))


def test_a_range_is_within_its_field_and_kind() -> None:
    above = condition(Comparison("title", "gte", ("",)))
    assert isinstance(above, Between)
    for other in value_terms({"title": [1, True], "titles": ["x"], "metadata.title": ["x"]}):
        assert not _in_patterns(above, other)


def test_the_patterns_of_the_longest_values_stay_small() -> None:
    low, high = "f" * 255 + "a", "f" * 255 + "b"
    for values in ((low,), (high,)):
        for operator in ("gt", "lt"):
            found = condition(Comparison("title", operator, values))  # type: ignore[arg-type] # sampled from the operators
            assert isinstance(found, Between)
            assert all(len(pattern) < 20_000 for pattern in range_patterns(found))
    found = condition(Comparison("title", "between", (low, high)))
    assert isinstance(found, Between)
    assert all(len(pattern) < 20_000 for pattern in range_patterns(found))


@pytest.mark.parametrize(
    "pattern", ["%a" + "_" * 9 + "b", "%a_%a_________b", "_" * 256 + "%a______", "%" + "a" * 250 + "%"]
)
def test_a_pattern_that_would_explode_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidRequest):
        condition(Comparison("title", "like", (pattern,)))


@pytest.mark.parametrize(
    "pattern",
    [
        "_" * 256,
        "%" * 256,
        "%_" * 128,
        "%a%b%c%d%e%f%g%h%i%j%",
        "______%______",
        "%x__",
        "%a_b_c",
        "%" + "a" * 150 + "%",
    ],
)
def test_a_pattern_that_engines_bear_is_taken(pattern: str) -> None:
    assert isinstance(condition(Comparison("title", "like", (pattern,))), Matching)


def test_all_patterns_and_ranges_of_a_filter_are_counted_together() -> None:
    long = [Comparison("title", "gt", ("x" * 239 + chr(number),)) for number in range(65, 90)]
    condition(AllOf(tuple(long[:10])))
    with pytest.raises(InvalidRequest, match="The filter asks too much"):
        condition(AnyOf((Negation(AllOf(tuple(long))), Comparison("title", "exists"))))
    one = condition(Comparison("title", "like", ("%a_____",)))
    assert isinstance(one, Matching)
    many = MAX_EFFORT // one.states + 1
    with pytest.raises(InvalidRequest, match="The filter asks too much"):
        condition(AllOf((Comparison("title", "like", ("%a_____",)),) * many))


def test_sixty_four_conditions_on_dates_are_not_too_much() -> None:
    dates = tuple(
        Comparison("created_at", "between", (f"20{n:02}-01-01", f"20{n:02}-12-31T23:59:59Z")) for n in range(64)
    )
    condition(AnyOf(dates))
