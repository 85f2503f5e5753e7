"""Values as terms: they sort as the values do, and no two fields or kinds meet."""

import re
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from knowhub.model.filter import Scalar
from knowhub.ports.chunk_values import comparable_term, exists_term, filterable, kind_of, value_terms

NUMBERS = st.one_of(
    st.integers(-(10**38), 10**38),
    st.integers(-50, 50),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1, 1),
)
MOMENTS = st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=8)), timezone(timedelta(hours=-5))]))


def exact(value: float) -> Decimal:
    return Decimal(value) if isinstance(value, int) else Decimal(repr(value))


@given(NUMBERS, NUMBERS)
@example(1, 1.0)
@example(-0.12, -0.123)
@example(2**53, 2**53 + 1)
@example(0, -0.0)
def test_numbers_sort_by_value(one: float, other: float) -> None:
    left, right = comparable_term("a", one), comparable_term("a", other)
    assert (left < right) == (exact(one) < exact(other))
    assert (left == right) == (exact(one) == exact(other))


@given(st.text(), st.text())
def test_strings_sort_by_code_point(one: str, other: str) -> None:
    if kind_of(one) == kind_of(other) == "string":
        left, right = comparable_term("a", one), comparable_term("a", other)
        assert (left < right) == (one.encode("utf-8", "surrogatepass") < other.encode("utf-8", "surrogatepass"))


@given(MOMENTS, MOMENTS)
def test_dates_sort_by_their_instant(one: datetime, other: datetime) -> None:
    texts = one.isoformat(), other.isoformat()
    if all(kind_of(text) == "date" for text in texts):
        left, right = (comparable_term("a", text) for text in texts)
        assert (left < right, left == right) == (one < other, one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2024-01-01", "2024-01-01T00:00:00Z"),
        ("2024-01-01T08:00:00+08:00", "2024-01-01"),
        ("2024-01-01 00:00", "2024-01-01T00:00:00.000+0000"),
    ],
)
def test_spellings_of_one_instant_are_equal(one: str, other: str) -> None:
    assert comparable_term("a", one) == comparable_term("a", other)


@pytest.mark.parametrize("text", ["20240101", "2024-13-01", "2024-1-1", "0001-01-01T00:00:00+01:00", "yesterday", ""])
def test_what_is_no_date_is_a_string(text: str) -> None:
    assert kind_of(text) == "string"


def test_a_date_is_found_as_it_is_spelt_too() -> None:
    terms = value_terms({"a": ["2024-01-01"]})
    assert len(terms) == 3
    assert exists_term("a") in terms


@given(st.text(min_size=1, max_size=20), st.text(min_size=1, max_size=20), st.text(max_size=20))
def test_no_field_s_terms_pass_for_another_s(one: str, other: str, value: str) -> None:
    if one != other:
        assert not set(value_terms({one: [value]})) & set(value_terms({other: [value]}))


@given(st.text(min_size=1, max_size=60), st.one_of(st.text(max_size=30), NUMBERS, st.booleans()))
def test_terms_hold_nothing_that_an_engine_could_read(field: str, value: Scalar) -> None:
    assert all(re.fullmatch(r"x?[0-9a-f]+:[a-z][0-9a-z]*", term) for term in value_terms({field: [value]}))


@given(st.text(min_size=20, max_size=40), st.text(min_size=20, max_size=40))
def test_long_names_are_told_apart_and_take_little_room(one: str, other: str) -> None:
    if one != other:
        assert exists_term(one) != exists_term(other)
    assert len(exists_term(one)) <= 66


def test_a_long_name_passes_for_no_plain_one() -> None:
    assert exists_term("metadata." + "k" * 90)[0] == "x"
    assert not re.match("x", exists_term("x"))


def test_kinds_are_apart() -> None:
    terms = {comparable_term("a", value) for value in (1, "1", True, "2024-01-01")}
    assert len(terms) == 4
    assert {kind_of(value) for value in (1, "1", True, "2024-01-01")} == {"number", "string", "boolean", "date"}


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ("x" * 256, True),
        ("x" * 257, False),
        ("海" * 86, False),
        (float("inf"), False),
        (float("nan"), False),
        (10**400, False),
    ],
)
def test_what_is_too_long_or_no_number_can_not_be_filtered_by(value: Scalar, *, fits: bool) -> None:
    assert filterable(value) is fits
    assert bool(value_terms({"a": [value]})) is fits
