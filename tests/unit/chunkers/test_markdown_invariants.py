"""The Markdown chunker on random documents: what must hold whatever they look like."""

from itertools import pairwise

import pytest
from hypothesis import given, settings

from knowhub.chunkers import markdown
from knowhub.chunkers.markdown_blocks import scan
from knowhub.chunkers.options import ChunkOptions
from tests.unit.chunkers.documents import markdown_texts, options
from tests.unit.chunkers.invariants import check_all, check_sizes

texts = markdown_texts.filter(str.strip)


@settings(max_examples=300)
@given(texts, options())
def test_pieces_keep_every_invariant(text: str, sizes: ChunkOptions) -> None:
    check_all(text, markdown.chunk(text, sizes), sizes)


@given(texts, options())
def test_trimming_keeps_sizes_and_covers_all_words(text: str, sizes: ChunkOptions) -> None:
    trimming = ChunkOptions(sizes.size, sizes.overlap, trim_whitespace=True)
    pieces = markdown.chunk(text, trimming)
    check_sizes(pieces, trimming)
    covered = [at for piece in pieces for span in piece.own_spans for at in range(span.start, span.end)]
    assert len(covered) == len(set(covered))
    assert all(text[at].isspace() for at in set(range(len(text))) - set(covered))


@settings(max_examples=200)
@given(texts, options())
def test_a_fence_or_table_that_fits_is_whole_in_one_piece(text: str, sizes: ChunkOptions) -> None:
    pieces = markdown.chunk(text, sizes)
    for block in scan(text):
        if block.kind in ("code", "table") and block.end - block.start <= sizes.later_budget:
            owners = [p for p in pieces if p.own_spans[0].start <= block.start and block.end <= p.own_spans[0].end]
            assert len(owners) == 1, block


@settings(max_examples=200)
@given(texts, options(overlap=False))
def test_a_part_of_a_table_wears_the_header(text: str, sizes: ChunkOptions) -> None:
    pieces = markdown.chunk(text, sizes)
    for block in scan(text):
        header = text[block.start : block.body]
        if block.kind != "table" or 4 * (len(header) + 2) > 3 * sizes.size - 4:
            continue
        for piece in pieces:
            if block.body < piece.own_spans[0].start < block.end:
                assert piece.text.startswith(header)


@settings(max_examples=200)
@given(texts, options(overlap=False))
def test_a_heading_ends_a_piece_only_where_its_body_has_no_room(text: str, sizes: ChunkOptions) -> None:
    pieces = markdown.chunk(text, sizes)
    blocks = scan(text)
    ends = {piece.own_spans[-1].end for piece in pieces[:-1]}
    for block, following in pairwise(blocks):
        if block.kind == "heading" and following.kind == "text" and block.end in ends:
            assert 4 * (following.start - block.start) > 3 * sizes.size - 16


@given(texts)
def test_blocks_cover_all_words_in_order(text: str) -> None:
    blocks = scan(text)
    position = 0
    for block in blocks:
        assert not text[position : block.start].strip()
        assert position <= block.start < block.end
        position = block.end
    assert not text[position:].strip()


@pytest.mark.parametrize(
    "line",
    [
        "x",
        "字",
        "word ",
        "`",
        "a\u0301",
        "\U0001f1e6",
        "# \n",
        "```\n",
        "> ```\n\n",
        "|-",
        "<a ",
        "<!--",
        "*",
        "\n \nx",
    ],
)
def test_the_number_of_pieces_grows_with_the_text(line: str) -> None:
    short, long = (len(markdown.chunk(line * (length // len(line)), ChunkOptions())) for length in (20_000, 200_000))
    assert long <= 11 * short + 10


def test_work_on_one_long_line_is_in_proportion() -> None:
    """Counts calls: the scanner reads each line once, and each window is looked at once."""
    short, long = (_calls("x" * length) for length in (20_000, 200_000))
    assert long <= 11 * short


def _calls(text: str) -> int:
    import sys

    count = 0

    def watch(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(watch)
    try:
        markdown.chunk(text, ChunkOptions())
    finally:
        sys.setprofile(None)
    return count
