"""Where a text shows what a query looked for."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.retrieval.analysis import STOP_WORDS, analyse, analyse_query
from knowhub.retrieval.highlight import highlights
from knowhub.retrieval.words import stem
from tests.unit.retrieval.test_analysis import AWKWARD


def marked(text: str, query: str) -> list[str]:
    return [text[span.start : span.end] for span in highlights(text, analyse_query(query).terms)]


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("The dogs were running.", "run dog", ["dogs", "running"]),
        ("A café in Łódź", "cafe lodz", ["café", "Łódź"]),
        ("a cafe\u0301 there", "café", ["cafe\u0301"]),
        ("the state of the art", "the state of", ["state"]),
        ("to be or not to be", "to be", ["to", "be", "to", "be"]),
        ("call parseJsonFile now", "json", ["Json"]),
        ("call parseJsonFile now", "parsejsonfile", ["parseJsonFile"]),
        ("call parseJsonFile now", "parse json", ["parseJson"]),
        ("java.util.ArrayList", "ArrayList", ["ArrayList"]),
        ("set max_retry_count here", "retry", ["retry"]),
        ("Alzheimer’s disease", "alzheimer", ["Alzheimer’s"]),
        ("from v1.2.3 on", "1.2.3", ["v1.2.3"]),
        ("pay 1,234 now", "1234", ["1,234"]),
        ("我们做知识管理。", "知识管理", ["知识管理"]),
        ("我们做知识，管理", "知识管理", ["知识", "管理"]),
        ("一只猫，两只狗", "猫", []),
        ("猫！", "猫", ["猫"]),
        ("nothing here", "other", []),
        ("", "word", []),
    ],
)
def test_what_matches_is_marked(text: str, query: str, expected: list[str]) -> None:
    assert marked(text, query) == expected


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("x ﬁne y", "fine", ["ﬁne"]),
        ("ﬁﬁﬁ then word", "word", ["word"]),
        ("İİİ then word", "word", ["word"]),
        ("in İstanbul today", "istanbul", ["İstanbul"]),
        ("ＡＰＩ ｋｅｙ！ word", "key", ["ｋｅｙ"]),
        ("㍿㍿ then word", "word", ["word"]),
        ("ｶﾞｽ と word", "word", ["word"]),
        ("いま ｶﾞｽ です", "ガス", ["ｶﾞｽ"]),
        ("infor\u00admation word", "information", ["infor\u00admation"]),
        ("e\u0301e\u0301e\u0301 word", "word", ["word"]),
        ("straße", "strasse", ["straße"]),
        ("𠮷野家 word", "word", ["word"]),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8 word", "한국", ["\u1112\u1161\u11ab\u1100\u116e\u11a8"]),
        ("½ cup, word", "word", ["word"]),
        ("a\u200db c", "ab", ["a\u200db"]),
        ("今天，我们ＧＰＴ模型", "GPT模型", ["ＧＰＴ模型"]),
    ],
)
def test_places_are_those_of_the_text_as_given(text: str, query: str, expected: list[str]) -> None:
    assert marked(text, query) == expected


@given(AWKWARD, st.data())
def test_spans_are_in_order_apart_and_inside(text: str, data: st.DataObject) -> None:
    words = sorted(set(analyse(text).terms))
    wanted = data.draw(st.lists(st.sampled_from(words))) if words else []
    spans = highlights(text, wanted)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(here.end < there.start for here, there in pairwise(spans))


@given(AWKWARD, AWKWARD)
def test_something_is_marked_exactly_where_a_term_is_shared(text: str, query: str) -> None:
    wanted = set(analyse(query).terms)
    wanted = wanted - {stem(word) for word in STOP_WORDS} or wanted
    assert bool(highlights(text, wanted)) == bool(wanted & set(analyse(text).terms))


@given(AWKWARD)
def test_what_is_marked_holds_a_wanted_term(text: str) -> None:
    wanted = set(analyse(text).terms)
    for span in highlights(text, wanted):
        assert analyse(text[span.start : span.end]).terms


@given(AWKWARD, st.sampled_from(["needle", "針針", "nÉedle"]))
def test_a_word_on_a_line_of_its_own_is_marked_where_it_stands(before: str, word: str) -> None:
    text = f"{before}\n{word}\n{before}"
    start = len(before) + 1
    assert any(span.start == start and span.end == start + len(word) for span in highlights(text, analyse(word).terms))
