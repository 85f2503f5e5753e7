"""Which questions follow up on others, and what they are completed with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.answering.followups import MOST_CHARACTERS, completed, follows_up


@pytest.mark.parametrize(
    "question",
    [
        "How much does it weigh?", "And its price?", "What about them?", "Why?", "How so?", "What else?", "Price?",
        "What about the narwhal?", "How do these differ?", "Does he agree with the former?", "Is that safe?",
        "它的体重是多少？", "那价格呢？", "为什么？", "他们在哪里？", "这个怎么安装？",
        "还有呢？", "体重？", "那海象呢？", "其价格是多少？",
    ],
)  # fmt: skip
def test_questions_that_leave_out_what_they_are_about_follow_up(question: str) -> None:
    assert follows_up(question)


@pytest.mark.parametrize(
    "question",
    [
        "What does the walrus eat?", "Is there a limit on uploads?", "Which API deletes documents that expired?",
        "Is it possible to delete documents?", "How long do narwhals live?",
        "And how long do narwhals live in the wild?", "What is a narwhal?", "什么是海象？",
        "海象吃什么？", "如何安装打印机？", "应该如何部署服务？",
        "因此产生的费用由谁承担？", "土耳其的首都是哪里？", "其他国家的人口是多少？",
    ],
)  # fmt: skip
def test_questions_of_their_own_do_not(question: str) -> None:
    assert not follows_up(question)


@pytest.mark.parametrize(
    ("earlier", "question", "expected"),
    [
        ([], "How much does it weigh?", "How much does it weigh?"),
        (["What does the walrus eat?"], "How much does it weigh?", "How much does it weigh? walrus eat"),
        (["What does the walrus eat?", "How much does it weigh?"], "And why?", "And why? weigh walrus eat"),
        (["What is a walrus?", "What is a narwhal?"], "What does it eat?", "What does it eat? narwhal"),
        (["What does the walrus eat?"], "How long do narwhals live?", "How long do narwhals live?"),
        (["海象吃什么？"], "它的体重是多少？", "它的体重是多少？ 海象吃"),
        (["What does the walrus eat?"], "What does it eat?", "What does it eat? walrus"),
        (['Where is "exact phrase" said?'], "And why?", "And why? exact phrase said"),
    ],
)
def test_words_of_the_question_before_are_added(earlier: list[str], question: str, expected: str) -> None:
    assert completed(question, earlier) == expected


@given(st.lists(st.text(max_size=60), max_size=10), st.text(max_size=2000))
def test_a_question_is_never_lost_and_never_too_long(earlier: list[str], question: str) -> None:
    found = completed(question, earlier)
    assert found.startswith(question)
    assert len(found) <= MOST_CHARACTERS
