"""The arithmetic of both homes of the table port; the imitation of DynamoDB adds less exactly than the service does."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.errors import InvalidRequest
from knowhub.ports.table_values import incremented, normal_number, number_of

WHOLE = st.integers(1 - 10**38, 10**38 - 1)
FLOATS = st.one_of(st.floats(1e-130, 9e125), st.floats(-9e125, -1e-130), st.just(-0.0))


@given(WHOLE, WHOLE)
def test_whole_numbers_add_up_exactly_or_not_at_all(value: int, increment: int) -> None:
    if abs(value + increment) < 10**38:
        assert incremented(value, increment, "n") == value + increment
    elif (value + increment) % 10:
        with pytest.raises(InvalidRequest):
            incremented(value, increment, "n")


@pytest.mark.parametrize(("value", "increment"), [(0.1, 10**37), (1e40, 1), (10**38 - 1, 2), (-1e125, 1)])
def test_a_sum_of_over_38_digits_is_refused_rather_than_rounded(value: float, increment: int) -> None:
    with pytest.raises(InvalidRequest):
        incremented(value, increment, "n")


@given(st.one_of(WHOLE, FLOATS))
def test_a_number_survives_its_way_as_decimal_text(value: float) -> None:
    kept = normal_number(value, "n")
    assert number_of(Decimal(repr(kept))) == kept
    assert type(number_of(Decimal(repr(kept)))) is type(kept)
    assert Decimal(repr(kept)) == Decimal(repr(value))
    assert normal_number(kept, "n") == kept
