"""Vectors from elsewhere are checked before anybody searches by them."""

from typing import Any

import pytest

from knowhub.embedders.vectors import embed_with_gaps, unit
from knowhub.errors import Unavailable


def test_a_vector_is_brought_to_length_1() -> None:
    assert unit([3, 0, 4.0], 3) == [0.6, 0, 0.8]
    assert unit([1e200, 0], 2) == [1, 0]


def test_one_of_zeros_has_no_direction() -> None:
    assert unit([0, 0.0, -0.0], 3) is None
    assert unit([1e-300, 0], 2) is None


@pytest.mark.parametrize(
    "values",
    [
        None, "abc", {}, 5, [], [1], [1, 2, 3, 4], [1, 2, "3"], [1, 2, None], [1, 2, True], [1, 2, [3]],
        [1, 2, float("nan")], [1, 2, float("inf")], [1, float("nan"), float("inf")], [10**400, 1, 1],
    ],
)  # fmt: skip
def test_anything_else_is_unavailable(values: Any) -> None:
    with pytest.raises(Unavailable, match="The embedder gives vectors"):
        unit(values, 3)


def test_an_embedder_that_loses_a_text_is_noticed() -> None:
    with pytest.raises(ValueError, match="shorter"):
        embed_with_gaps(["a", "b"], lambda _: [[1.0]])
