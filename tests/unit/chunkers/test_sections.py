"""Breaks that no chunk reaches over, and the places that a reader gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.chunkers import fixed
from knowhub.chunkers.options import ChunkOptions, EmptyDocument
from knowhub.chunkers.sections import Places, chunk_sections
from knowhub.model.chunk import Locator, Piece
from knowhub.model.extraction import Place
from tests.unit.chunkers.documents import options, plain_texts
from tests.unit.chunkers.invariants import check_coverage, check_locators

NOWHERE = Locator(0, 1, 1, 1)


def cut(text: str, breaks: list[int], size: int = 100) -> list[Piece]:
    return chunk_sections(text, breaks, ChunkOptions(size=size), fixed.chunk)


def test_no_chunk_reaches_over_a_break() -> None:
    pieces = cut("slide one\nslide two\n", [10])
    assert [piece.text for piece in pieces] == ["slide one\n", "slide two\n"]
    assert [(piece.locator.char_start, piece.locator.line_start) for piece in pieces] == [(0, 1), (10, 2)]


def test_empty_sections_give_nothing() -> None:
    assert [piece.text for piece in cut("  \n a\n\n", [0, 3, 5, 5, 6, 99])] == [" a", "\n"][:1]


def test_a_document_of_empty_sections_is_refused() -> None:
    with pytest.raises(EmptyDocument):
        cut(" \n ", [1])


@given(plain_texts.filter(str.strip), st.lists(st.integers(0, 200)), options())
def test_positions_count_in_the_whole_text(text: str, breaks: list[int], chosen: ChunkOptions) -> None:
    pieces = chunk_sections(text, sorted(breaks), chosen, fixed.chunk)
    check_coverage(text, pieces)
    check_locators(text, pieces)


def test_a_chunk_has_the_page_that_it_begins_on_and_the_boxes_there() -> None:
    box, other = (1.0, 2.0, 3.0, 4.0), (5.0, 6.0, 7.0, 8.0)
    places = Places(
        "x" * 30,
        [Place(0, 10, page=1, box=box), Place(10, 20, page=1, box=other), Place(20, 30, page=2, box=box)],
    )
    first = places.located(NOWHERE, 5, 15)
    assert (first.page, first.boxes) == (1, (box, other))
    second = places.located(NOWHERE, 15, 25)
    assert (second.page, second.boxes) == (1, (other,))
    assert places.located(NOWHERE, 20, 21).page == 2


def test_rows_count_lines_from_the_row_of_their_place() -> None:
    text = "Sheet: A\nid\n1\n2\nSheet: B\nid\n7\n"
    places = Places(text, [Place(9, 16, sheet="A", row=1), Place(25, 30, sheet="B", row=5)])
    found = places.located(NOWHERE, 12, 16)
    assert (found.sheet, found.row_start, found.row_end) == ("A", 2, 3)
    found = places.located(NOWHERE, 16, 30)
    assert (found.sheet, found.row_start, found.row_end) == ("B", 5, 6)


def test_a_range_without_a_place_has_none() -> None:
    assert Places("text", []).located(NOWHERE, 0, 4) == NOWHERE
    assert Places("text", [Place(0, 2, slide=1)]).located(NOWHERE, 2, 4) == NOWHERE
