"""Where a cut is safe."""

import pytest

from knowhub.chunkers.graphemes import is_safe, last_safe


@pytest.mark.parametrize(
    ("text", "safe"),
    [("ab", True), ("\r\n", False), ("\n\n", True), ("a\u0301", False), ("\n\u0301", True),
     ("a\u200d", False),
     ("\u200d💻", False),
     ("👩🏽", False), ("字句", True), ("\u1100\u1161", False), ("각\u11a8", False), ("가나", True)],
)  # fmt: skip
def test_a_cut_between_two_characters(text: str, safe: bool) -> None:
    assert is_safe(text, 1, 0) is safe


def test_flags_are_paired_from_the_origin() -> None:
    flags = "\U0001f1e9\U0001f1ea" * 3
    assert [is_safe(flags, at, 0) for at in range(1, 6)] == [False, True, False, True, False]
    assert [is_safe(flags, at, 1) for at in range(2, 6)] == [False, True, False, True]


def test_an_unsafe_cut_moves_left() -> None:
    assert last_safe("abe\u0301\u0301\u0301f", 5, 0) == 2


def test_without_a_safe_place_the_cut_stays() -> None:
    assert last_safe("a\u0301\u0301\u0301", 3, 0) == 3
