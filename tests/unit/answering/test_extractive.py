"""Which sentences answer a question."""

from knowhub.answering.extractive import LEAST_COVERAGE, MOST_SENTENCES, choose
from knowhub.retrieval import analysis
from tests.unit.answering.sources import analyse, sources

BATTERY = "The lamp is made of glass. The battery lasts ten hours. It comes in red."
CHARGER = "Charging the battery takes two hours. The plug is round."


def chosen(question: str, *texts: str) -> list[str]:
    return [passage.text for passage in choose(question, sources(*texts), analyse)]


def test_the_best_sentence_comes_first() -> None:
    assert (
        chosen("How long does charging the battery take?", BATTERY, CHARGER)[0]
        == "Charging the battery takes two hours."
    )


def test_ties_keep_the_order_of_sources() -> None:
    passages = choose("battery", sources("A battery first.", "The battery second."), analyse)
    assert [passage.source for passage in passages] == [0, 1]
    assert passages[0].score == passages[1].score


def test_passages_point_into_their_source() -> None:
    texts = [BATTERY, CHARGER]
    for passage in choose("battery hours", sources(*texts), analyse):
        assert texts[passage.source][passage.start : passage.end] == passage.text


def test_no_more_than_the_limit_is_chosen() -> None:
    texts = [f"The battery number {number}." for number in range(20)]
    assert len(chosen("battery", *texts)) == MOST_SENTENCES


def test_without_support_nothing_is_chosen() -> None:
    assert chosen("What is the capital of France?", BATTERY, CHARGER) == []
    assert chosen("", BATTERY) == []
    assert chosen("What is it?", BATTERY) == []
    assert chosen("battery") == []


def test_one_term_of_many_is_no_support() -> None:
    assert chosen("battery warranty replacement policy abroad", BATTERY) == []


def test_every_choice_covers_enough_of_the_question() -> None:
    passages = choose("battery hours plug", sources(BATTERY, CHARGER), analyse)
    assert all(passage.score >= LEAST_COVERAGE for passage in passages)


def test_rare_terms_count_more_than_common_ones() -> None:
    texts = ["The hub stores files. The hub is quick.", "The hub needs a licence. The hub is small."]
    assert chosen("hub licence", *texts)[0] == "The hub needs a licence."


def test_questions_and_echoes_are_no_answers() -> None:
    text = "How long does the battery last? Battery. The battery works for ten hours."
    assert chosen("How long does the battery work?", text) == ["The battery works for ten hours."]


def test_the_same_sentence_is_said_once() -> None:
    assert chosen("battery hours", BATTERY, BATTERY) == ["The battery lasts ten hours."]


def test_a_sentence_that_looks_like_a_citation_is_left_out() -> None:
    assert chosen("battery hours", "The battery lasts ten hours [7].") == []


def test_chinese_questions_find_chinese_sentences() -> None:
    text = "知识库保存原始文档。检索结果按相关度排序。答案给出每句话的出处。"
    assert chosen("检索结果怎么排序？", text) == ["检索结果按相关度排序。"]
    assert chosen("如何安装打印机？", text) == []


def test_tables_are_quoted_by_row() -> None:
    text = "| model | price |\n|---|---|\n| lamp | 20 |\n| torch | 35 |\n"
    assert chosen("torch price", text)[0] == "| torch | 35 |"


def test_the_analyser_of_the_index_finds_other_forms_of_a_word() -> None:
    passages = choose("How long do chargers take to charge batteries?", sources(BATTERY, CHARGER), analysis.analyse)
    assert passages[0].text == "Charging the battery takes two hours."
