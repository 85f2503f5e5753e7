"""The transformers, and the map that leads from a changed text back to its source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.errors import InvalidRequest
from knowhub.transformers import registry
from knowhub.transformers.char_dedup import CharDedup
from knowhub.transformers.char_filter import CharFilter
from knowhub.transformers.offsets import OffsetMap, unchanged, without
from knowhub.transformers.pipeline import postprocess, preprocess
from knowhub.transformers.transformer import Transformer


def changed(text: str, *transformers: Transformer) -> str:
    return preprocess(text, transformers)[0]


def test_repeats_become_one_in_the_order_of_the_strings() -> None:
    assert changed("hello     world\n\n\nfoo", CharDedup(" ", "\n")) == "hello world\nfoo"
    assert changed("a--b---c-d", CharDedup("-")) == "a-b-c-d"
    assert changed("ababab aba", CharDedup("ab")) == "ab aba"
    assert changed("a b b a", CharDedup("b ", "a ")) == "a b a"
    assert changed("。。。！", CharDedup("。")) == "。！"


def test_later_strings_see_what_earlier_ones_left() -> None:
    assert changed("x  y  x  y  ", CharDedup(" ", "x y ")) == "x y "


def test_strings_are_removed_in_one_pass() -> None:
    assert changed("a\u200bb\u00adc", CharFilter("\u200b", "\u00ad")) == "abc"
    assert changed("aabb", CharFilter("ab")) == "ab"
    assert changed("abcab", CharFilter("a", "abc")) == "b"
    assert changed("1.2.3", CharFilter(".")) == "123"


@pytest.mark.parametrize("transformer", [CharFilter(), CharFilter(""), CharDedup(), CharDedup("", "")])
def test_empty_strings_are_ignored(transformer: Transformer) -> None:
    text, offsets = transformer.preprocess("a  b")
    assert (text, offsets.to_source(3)) == ("a  b", 3)


def test_both_leave_pieces_alone() -> None:
    assert postprocess([], [CharFilter("x"), CharDedup("y")]) == []


TEXTS = st.text("ab \n。", max_size=60)
STRINGS = st.lists(st.text("ab \n。", max_size=3), max_size=3)


@given(TEXTS, STRINGS, STRINGS, STRINGS)
def test_every_character_is_found_where_it_stood(
    text: str, first: list[str], second: list[str], third: list[str]
) -> None:
    result, offsets = preprocess(text, [CharDedup(*first), CharFilter(*second), CharDedup(*third)])
    places = [offsets.to_source(position) for position in range(len(result))]
    assert "".join(text[place] for place in places) == result
    assert places == sorted(set(places))
    assert [offsets.from_source(place) for place in places] == list(range(len(result)))


@given(TEXTS, STRINGS)
def test_a_removed_place_leads_to_what_follows_it(text: str, strings: list[str]) -> None:
    result, offsets = CharFilter(*strings).preprocess(text)
    for place in range(len(text) + 1):
        here = offsets.from_source(place)
        assert 0 <= here <= len(result)
        assert here == len(result) or offsets.to_source(here) >= place


@given(TEXTS)
def test_dedup_leaves_no_repeat(text: str) -> None:
    assert "  " not in changed(text, CharDedup(" "))


def test_text_that_was_put_in_leads_to_the_next_place() -> None:
    offsets = OffsetMap((0, 5, 7), (0, 2, 4))
    assert [offsets.to_source(position) for position in (0, 1, 3, 5, 6)] == [0, 1, 2, 2, 3]


def test_an_empty_text_has_a_map() -> None:
    assert without("", [])[0] == ""
    assert unchanged(0).to_source(0) == 0
    assert CharFilter("a").preprocess("aaa")[1].from_source(2) == 0


def test_a_million_repeats_take_one_pass() -> None:
    assert changed("ab" * 500_000, CharDedup("ab")) == "ab"
    assert changed(" x" * 500_000, CharFilter("x"), CharDedup(" ")) == " "


def test_transformers_are_made_from_what_is_sent() -> None:
    made = registry.build([{"name": "char_filter", "strings": ["x"]}, {"name": "char_dedup", "strings": [" "]}])
    assert changed("ax  xb", *made) == "a b"
    assert registry.names() == ("char_dedup", "char_filter")
    assert registry.build([]) == []


@pytest.mark.parametrize(
    ("described", "member"),
    [
        ({"name": "magic"}, "name"),
        ({}, "name"),
        ({"name": ["char_filter"]}, "name"),
        ({"name": "char_filter", "strings": "x"}, "strings"),
        ({"name": "char_filter", "strings": [1]}, "strings"),
        ({"name": "char_filter", "strings": ["x" * 1001]}, "strings"),
        ({"name": "char_dedup", "strings": ["x"] * 101}, "strings"),
        ({"name": "char_dedup", "string": ["x"]}, "string"),
    ],
)
def test_what_is_no_transformer_is_refused_with_its_place(described: dict[str, object], member: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        registry.build([{"name": "char_filter", "strings": []}, described])
    assert refused.value.detail["errors"][0]["loc"] == ["transformers", 1, member]  # type: ignore[index] # a list of errors
