"""Where sentences begin and end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.answering.sentences import split


def sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Pi is 3.14 and v1.2.3 is out. Next one.", ["Pi is 3.14 and v1.2.3 is out.", "Next one."]),
        ("Dr. Smith met J. Doe, e.g. on Mon. in Room 5. They talked.", None),
        ("Use etc. and so on. Then stop.", ["Use etc. and so on.", "Then stop."]),
        ('He said "Go." Then left.', ['He said "Go."', "Then left."]),
        ("Wait... what? Yes.", ["Wait... what?", "Yes."]),
        ("知识库保存文档。检索返回片段！真的吗？是的", ["知识库保存文档。", "检索返回片段！", "真的吗？", "是的"]),
        ("他说：「好的。」然后走了。", ["他说：「好的。」", "然后走了。"]),
        ("圆周率是3.14。Next sentence.", ["圆周率是3.14。", "Next sentence."]),
        ("A sentence that\nspans two lines. Another.", ["A sentence that\nspans two lines.", "Another."]),
        ("First paragraph\n\nSecond paragraph", ["First paragraph", "Second paragraph"]),
        ("- one item\n- two items\n1. three", ["one item", "two items", "three"]),
        ("> quoted text.", ["quoted text."]),
        ("Example: see p. 5 of it. Done.", ["Example: see p. 5 of it.", "Done."]),
    ],
)
def test_prose_is_split_at_its_sentences(text: str, expected: list[str] | None) -> None:
    if expected is None:
        expected = ["Dr. Smith met J. Doe, e.g. on Mon. in Room 5.", "They talked."]
    assert sentences(text) == expected


def test_tables_are_split_by_row_without_the_head() -> None:
    assert sentences("| a | b |\n|---|---|\n| 1. x | 2 |\n") == ["| 1. x | 2 |"]
    assert sentences("name | size\nx. y | 1") == ["name | size", "x. y | 1"]


def test_code_is_split_by_line_without_its_fence() -> None:
    text = "Run this.\n```sh\nmake all. Then\n# not a heading\n\n- x\n```\nDone."
    assert sentences(text) == ["Run this.", "make all. Then", "# not a heading", "- x", "Done."]


def test_headings_and_rules_are_no_sentences() -> None:
    assert sentences("# Title\n\nText here.\n\n---\n\nUnder\n=====\n") == ["Text here.", "Under"]


@given(st.text(st.sampled_from('ab .!?。！？\n|`-#>*1"」 A'), max_size=80))
def test_ranges_are_in_order_apart_and_trimmed(text: str) -> None:
    position = 0
    for span in split(text):
        assert position <= span.start < span.end <= len(text)
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        position = span.end


@given(st.text(st.sampled_from("abc .。！\n"), max_size=80))
def test_no_word_of_prose_is_lost(text: str) -> None:
    found = "".join(sentences(text))
    assert "".join(found.split()) == "".join(text.split())
