"""Records under a header that later chunks repeat."""

from hypothesis import given
from hypothesis import strategies as st

from knowhub.chunkers import fixed
from knowhub.chunkers.options import ChunkOptions
from knowhub.model.chunk import Piece, Span
from tests.unit.chunkers.documents import options
from tests.unit.chunkers.invariants import check_all

TABLE = "id | name\n1 | walrus\n2 | otter\n3 | 海象\n"


def chunk(text: str, size: int, overlap: int = 0, header_lines: int = 1) -> list[Piece]:
    return fixed.chunk(text, ChunkOptions(size, overlap, preserve_lines=True, header_lines=header_lines))


def test_the_header_stands_at_the_head_of_every_chunk() -> None:
    pieces = chunk(TABLE, 22)
    assert [piece.text for piece in pieces] == [
        "id | name\n1 | walrus",
        "id | name\n2 | otter",
        "id | name\n3 | 海象\n",
    ]
    assert [piece.synthetic_spans for piece in pieces] == [(), (Span(0, 10),), (Span(0, 10),)]
    assert [(piece.locator.line_start, piece.locator.line_end) for piece in pieces] == [(1, 2), (3, 3), (4, 4)]


def test_several_lines_can_be_the_header() -> None:
    pieces = chunk("Sheet: Animals\n" + TABLE, 36, header_lines=2)
    assert [piece.text.startswith("Sheet: Animals\nid | name\n") for piece in pieces] == [True] * len(pieces)


def test_a_record_is_split_only_where_it_alone_is_too_long() -> None:
    pieces = chunk("a | b\n" + "1 | 2\n" * 3 + "x " * 40 + "\n3 | 4\n", 30)
    assert [piece.text for piece in pieces][-1] == "a | b\n3 | 4\n"
    assert all(piece.text.startswith("a | b\n") for piece in pieces)


def test_a_header_that_leaves_little_room_is_not_repeated() -> None:
    pieces = chunk("h" * 40 + "\n" + "record\n" * 20, 50)
    assert sum(piece.text.count("h" * 40) for piece in pieces) == 1
    assert all(piece.synthetic_spans == () for piece in pieces)


def test_an_overlap_does_not_repeat_the_header_once_more() -> None:
    pieces = chunk(TABLE, 30, overlap=12)
    assert all(piece.text.count("id | name") == 1 for piece in pieces)


rows = st.lists(
    st.sampled_from(["1 | 2", "word | 字", "", "long | " + "x" * 30, "句。| e\u0301"]), min_size=1, max_size=30
)


@given(st.sampled_from(["a | b", "x", "name | 名字", "h" * 60]), rows, options())
def test_what_holds_for_every_chunker_holds_under_a_header(
    header: str, records: list[str], chosen: ChunkOptions
) -> None:
    text = "\n".join([header, *records])
    chosen = ChunkOptions(chosen.size, chosen.overlap, preserve_lines=True, header_lines=1)
    check_all(text, fixed.chunk(text, chosen), chosen)


def test_a_million_records_take_one_pass() -> None:
    pieces = chunk("id\n" + "1\n" * 1_000_000, 1024)
    assert sum(piece.text.count("1") for piece in pieces) == 1_000_000
