"""What is sent of a text, and which texts say nothing."""

import pytest

from knowhub.calling.texts import says_something, sendable


@pytest.mark.parametrize("text", ["a", " a ", "\u4e2d", "\U0001f600", "\n-", "\u200bx"])
def test_a_text_with_something_to_see_says_something(text: str) -> None:
    assert says_something(text)


@pytest.mark.parametrize("text", ["", " ", "\t\r\n", "\u00a0\u3000", "\u200b\ufeff", "\x00\x1f", "\ud800"])
def test_white_space_and_controls_say_nothing(text: str) -> None:
    assert not says_something(text)


def test_what_is_sent_is_short_enough_and_can_be_encoded() -> None:
    assert sendable("abcdef", 4) == "abcd"
    assert sendable("中文字", 2) == "中文"
    assert sendable("a\ud83d\ude00b", 9) == "a??b"
    assert sendable("\U0001f600", 1) == "\U0001f600"
