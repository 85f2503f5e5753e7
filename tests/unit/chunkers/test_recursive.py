"""The recursive chunker: separators by rank, then merging."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.chunkers import recursive
from knowhub.chunkers.options import ChunkOptions
from tests.unit.chunkers.documents import options, plain_texts
from tests.unit.chunkers.invariants import check_all


def texts(text: str, size: int, overlap: int = 0, separators: tuple[str, ...] | None = None) -> list[str]:
    pieces = recursive.chunk(text, ChunkOptions(size=size, overlap=overlap, separators=separators))
    return [piece.text for piece in pieces]


def test_a_text_that_fits_is_one_untouched_piece() -> None:
    assert texts("  a\n\nb  ", 8) == ["  a\n\nb  "]


def test_the_strongest_separator_that_helps_is_used() -> None:
    assert texts("one two\n\nthree four\n\nfive", 12) == ["one two\n\n", "three four\n\n", "five"]
    assert texts("one. two. three", 10) == ["one. two. ", "three"]


def test_pieces_are_merged_in_order_while_they_fit() -> None:
    assert texts("a\n\nb\n\nc\n\nd", 6) == ["a\n\nb\n\n", "c\n\nd"]


def test_a_separator_stays_with_what_is_before_it() -> None:
    assert texts("第一句。第二句！第三句？第四句", 8) == ["第一句。第二句！", "第三句？第四句"]
    assert texts("一二三；四五六，七八九", 4) == ["一二三；", "四五六，", "七八九"]


def test_only_what_is_too_long_goes_to_the_next_rank() -> None:
    assert texts("short, one\nthis line, is longer", 12) == ["short, one\n", "this line, ", "is longer"]


def test_white_space_behind_a_piece_does_not_make_it_too_long() -> None:
    assert texts("abcdefgh\n\nijklmnop", 8) == ["abcdefgh", "ijklmnop"]


def test_without_separators_the_cut_is_hard_between_characters() -> None:
    assert texts("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert texts("👩🏽\u200d💻" * 4, 6) == ["👩🏽\u200d💻"] * 4


def test_the_callers_separators_replace_those_of_the_chunker() -> None:
    assert texts("a b|c d|e f", 4, separators=("|",)) == ["a b|", "c d|", "e f"]
    assert texts("aa bb", 3, separators=("",)) == ["aa ", "bb"]


def test_overlap_is_the_tail_of_the_chunk_before() -> None:
    assert texts("one two three four five six", 14, overlap=6) == ["one two three ", "three four ", "four five six"]


@pytest.mark.parametrize("line", ["x", "字", "word, ", "。", " \u0301"])
def test_a_line_of_a_million_characters_is_cut(line: str) -> None:
    text = line * (1_000_000 // len(line))
    pieces = recursive.chunk(text, ChunkOptions())
    assert max(len(piece.text) for piece in pieces) <= 1024
    assert sum(len(piece.text) for piece in pieces) >= len(text.rstrip()) - len(pieces)


@given(plain_texts.filter(str.strip), options(), st.sampled_from([None, ("\n", "。"), ("word",), ("", " ")]))
def test_what_holds_for_every_chunker_holds(
    text: str, chosen: ChunkOptions, separators: tuple[str, ...] | None
) -> None:
    chosen = ChunkOptions(chosen.size, chosen.overlap, separators=separators)
    check_all(text, recursive.chunk(text, chosen), chosen)


@given(plain_texts.filter(str.strip))
def test_trimming_leaves_no_white_space_at_the_edges(text: str) -> None:
    for piece in recursive.chunk(text, ChunkOptions(size=20, trim_whitespace=True)):
        assert piece.text == piece.text.strip()
