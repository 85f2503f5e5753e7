"""The frames of an answer."""

import re
from collections.abc import Callable, Sequence
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.answering.answer import choose_sources, stream_answer
from knowhub.answering.frames import DeltaFrame, DoneFrame, Frame, Source, SourcesFrame
from knowhub.answering.limits import Limits
from knowhub.answering.task import Task
from tests.unit.answering.sources import analyse, hit, sources

LAMP = sources(
    "The lamp is made of glass. The battery lasts ten hours.",
    "Charging the battery takes two hours. The plug is round.",
    "Batteries are sold apart. A spare battery costs 20 euros.",
)


def frames(
    question: str,
    given_sources: Sequence[Source] = LAMP,
    *,
    one_shot: bool = False,
    deadline_reached: Callable[[], bool] = lambda: False,
) -> list[Frame]:
    limits = Limits(lambda: 0 if deadline_reached() else 60)
    task = Task(question, question, given_sources, limits, analyse)
    return list(stream_answer(task, one_shot=one_shot, elapsed_ms=lambda: 12))


def done_of(found: Sequence[Frame]) -> DoneFrame:
    done = found[-1]
    assert isinstance(done, DoneFrame)
    return done


def deltas_of(found: Sequence[Frame]) -> list[str]:
    return [frame.text for frame in found if isinstance(frame, DeltaFrame)]


def check(found: Sequence[Frame], given_sources: Sequence[Source]) -> None:
    """Check what every answer keeps: the order, the sum of its parts, and citations that hold."""
    assert found[0] == SourcesFrame(tuple(given_sources))
    assert all(isinstance(frame, DeltaFrame) for frame in found[1:-1])
    done = done_of(found)
    assert "".join(deltas_of(found)) == done.answer
    by_number = {source.idx: source for source in given_sources}
    for citation in done.citations:
        source = by_number[citation.n]
        assert citation.chunk_id == source.chunk_id
        assert done.answer[citation.start : citation.end] in source.text
        assert done.answer[citation.end :].startswith(f" [{citation.n}]")
    numbers = [int(number) for number in re.findall(r"\[(\d+)\]", done.answer)]
    assert numbers == [citation.n for citation in done.citations]


def test_an_answer_quotes_its_sources_with_their_numbers() -> None:
    found = frames("How long does charging the battery take?")
    check(found, LAMP)
    done = done_of(found)
    assert done.answer.startswith("Charging the battery takes two hours. [2]")
    assert (done.finish_reason, done.extractive, done.took_ms) == ("stop", True, 12)


def test_each_sentence_is_a_delta_of_its_own() -> None:
    found = frames("battery hours")
    assert len(deltas_of(found)) == len(done_of(found).citations) > 1


def test_one_shot_gives_the_same_answer_in_one_delta() -> None:
    streamed, whole = frames("battery hours"), frames("battery hours", one_shot=True)
    assert deltas_of(whole) == ["".join(deltas_of(streamed))]
    assert done_of(whole) == done_of(streamed)


@pytest.mark.parametrize("one_shot", [True, False])
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is the king?", "The knowledge base has no passage that answers this question."),
        ("谁是国王？", "知识库中没有找到能回答这个问题的内容。"),
        ("王様は誰ですか", "この質問に答える記述はナレッジベースに見つかりませんでした。"),
        ("왕은 누구입니까", "지식 베이스에서 이 질문에 답하는 내용을 찾지 못했습니다."),
    ],
)
@pytest.mark.parametrize("given_sources", [LAMP, ()])
def test_without_evidence_the_answer_says_so_in_the_questions_language(
    question: str, answer: str, given_sources: tuple[Source, ...], *, one_shot: bool
) -> None:
    found = frames(question, given_sources, one_shot=one_shot)
    assert deltas_of(found) == [answer]
    done = done_of(found)
    assert (done.answer, done.citations, done.finish_reason) == (answer, (), "no_evidence")


@pytest.mark.parametrize("one_shot", [True, False])
def test_a_deadline_keeps_what_was_said(*, one_shot: bool) -> None:
    calls = count()
    found = frames("battery hours", one_shot=one_shot, deadline_reached=lambda: next(calls) >= 2)
    check(found, LAMP)
    assert done_of(found).finish_reason == "length"
    assert len(done_of(found).citations) == 1


def test_a_deadline_that_is_over_gives_an_empty_answer() -> None:
    found = frames("battery hours", deadline_reached=lambda: True)
    assert (deltas_of(found), done_of(found).answer, done_of(found).finish_reason) == ([], "", "length")
    assert deltas_of(frames("battery hours", one_shot=True, deadline_reached=lambda: True)) == [""]


def test_nothing_is_computed_before_the_first_frame_is_taken() -> None:
    def fail(_: str) -> Sequence[str]:
        raise AssertionError

    task = Task("battery", "battery", LAMP, Limits(lambda: 60), fail)  # type: ignore[arg-type]  # never called
    stream = stream_answer(task, one_shot=False, elapsed_ms=lambda: 0)
    assert isinstance(next(stream), SourcesFrame)


def test_sources_are_numbered_in_order_within_the_budget() -> None:
    chosen = choose_sources([hit(1, "a" * 10), hit(2, "b" * 50), hit(3, "c" * 10)], 25)
    assert [(source.idx, source.text[0]) for source in chosen] == [(1, "a"), (2, "c")]
    assert (chosen[1].chunk_id, chosen[1].kb_id, chosen[1].url) == ("doc_3:1:1", 7, "https://example.org/")


def test_no_hits_are_no_sources() -> None:
    assert choose_sources([], 100) == ()


words = st.sampled_from(["battery", "lasts", "ten", "hours", "[3]", "glass", "知识库", "排序", "lamp", "3.14"])
ends = st.sampled_from([". ", "。", "! ", "\n", "? ", " | ", "\n\n", "\n```\n"])
texts = st.lists(st.tuples(words, ends), max_size=25).map(lambda parts: "".join(f"{word} {end}" for word, end in parts))


@given(st.lists(texts, max_size=6), st.lists(words, max_size=4), st.booleans(), st.integers(0, 8))
def test_citations_always_hold(given_texts: list[str], asked: list[str], one_shot: bool, patience: int) -> None:
    given_sources = sources(*given_texts)
    calls = count()
    found = frames(" ".join(asked), given_sources, one_shot=one_shot, deadline_reached=lambda: next(calls) >= patience)
    check(found, given_sources)
    if one_shot:
        assert len(deltas_of(found)) == 1
