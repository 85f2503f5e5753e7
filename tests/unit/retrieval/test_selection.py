"""Selection: no document and no text takes every place."""

from hypothesis import given
from hypothesis import strategies as st

from knowhub.model.chunk import Chunk, Locator
from knowhub.ports.chunk_index import Candidate
from knowhub.retrieval.fusion import Fused
from knowhub.retrieval.selection import OF_ONE_DOCUMENT, Selection, select


def chosen(documents: str, wanted: int, texts: list[str] | None = None) -> Selection:
    """Select among chunks of documents named by one letter each, ranked in that order."""
    said = texts or [f"text {number}" for number in range(len(documents))]
    ranked, chunks = [], {}
    for number, (doc_id, text) in enumerate(zip(documents, said, strict=True), start=1):
        chunk_id = f"{doc_id}:1:{number}"
        ranked.append(Fused(Candidate(chunk_id, doc_id, 1, 1, 1.0), 1 / number))
        chunks[chunk_id] = Chunk(chunk_id, doc_id, 1, 1, number, "t", text, Locator(0, 1, 1, 1))
    return select(ranked, chunks, wanted)


def shown(documents: str, wanted: int, texts: list[str] | None = None) -> str:
    return "".join(one.candidate.doc_id for one in chosen(documents, wanted, texts).shown)


def test_a_document_has_at_most_three_of_the_first_ten_places() -> None:
    assert shown("aaaaaaaaabcdefghijk", 10) == "aaabcdefgh"


def test_what_was_held_back_follows_in_its_order_after_the_tenth() -> None:
    assert shown("aaaaabcdefghijk", 14) == "aaabcdefgh" + "aaij"


def test_one_document_fills_every_place_where_it_is_all_there_is() -> None:
    assert shown("aaaaaaaaaaaa", 10) == "aaaaaaaaaa"
    assert shown("aaaaabb", 5) == "aaabb"
    assert shown("aaaaab", 6) == "aaabaa"


def test_a_text_is_shown_once_whatever_its_case_and_white_space() -> None:
    selection = chosen("abc", 3, ["The  Walrus\nsleeps", "the walrus sleeps ", "the walrus wakes"])
    assert [one.candidate.doc_id for one in selection.shown] == ["a", "c"]
    assert selection.duplicates == ["b:1:2"]


def test_texts_that_differ_in_a_number_or_a_sign_are_different_texts() -> None:
    assert shown("abcd", 4, ["pay 10 now", "pay 11 now", "a < b", "a > b"]) == "abcd"


@given(st.text("abcd", max_size=40), st.integers(1, 30))
def test_as_many_as_there_are_come_once_each(documents: str, wanted: int) -> None:
    ids = [one.candidate.chunk_id for one in chosen(documents, wanted).shown]
    assert len(ids) == len(set(ids)) == min(wanted, len(documents))


@given(st.text("abcdefghijklmnop", min_size=40, max_size=60))
def test_the_first_places_are_spread_where_there_are_documents_enough(documents: str) -> None:
    first = shown(documents, 10)
    kinds = {letter: documents.count(letter) for letter in set(documents)}
    if sum(min(count, OF_ONE_DOCUMENT) for count in kinds.values()) >= 10:
        assert max(first.count(letter) for letter in set(first)) <= OF_ONE_DOCUMENT
