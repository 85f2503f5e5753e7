"""From what a reader gave to located pieces."""

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from knowhub.model.chunk import Piece
from knowhub.model.extraction import Place, ReadDocument
from knowhub.model.knowledge_base import Chunking
from knowhub.readers import registry
from knowhub.services.cutting import cut, warnings
from knowhub.transformers.char_dedup import CharDedup
from knowhub.transformers.char_filter import CharFilter
from knowhub.transformers.offsets import OffsetMap, unchanged


def test_rows_of_a_table_are_told_and_its_header_repeated() -> None:
    read = registry.read(b"id,name\n" + b"".join(b"%d,walrus\n" % number for number in range(40)), name="a.csv")
    text, pieces = cut(read, Chunking(size=100), [])
    assert text == read.text
    assert all(piece.text.startswith("id | name\n") for piece in pieces)
    rows = [(piece.locator.row_start, piece.locator.row_end) for piece in pieces]
    assert rows[0][0] == 1
    assert rows[-1][1] == 41
    assert all(left[1] + 1 == right[0] for left, right in pairwise(rows))


def test_records_of_json_are_told_by_their_row() -> None:
    read = registry.read(b'{"t": "one"}\n{"t": "two"}\n', name="a.jsonl")
    _, pieces = cut(read, Chunking(size=36), [])
    assert [(piece.text, piece.locator.row_start, piece.locator.row_end) for piece in pieces] == [
        ('{"content":{"0":{"t":"one"}}}', 1, 1),
        ('{"content":{"1":{"t":"two"}}}', 2, 2),
    ]


def test_a_size_that_nobody_chose_is_the_chunkers_own() -> None:
    read = registry.read(b'{"a": "' + b"word " * 1_000 + b'"}', name="a.json")
    longest = {len(piece.text) for piece in cut(read, Chunking(), [])[1]}
    assert 1024 < max(longest) <= 2000
    assert max(len(piece.text) for piece in cut(read, Chunking(size=500), [])[1]) <= 500
    assert max(len(piece.text) for piece in cut(read, Chunking("json", 1024), [])[1]) <= 1024


def test_an_overlap_that_has_no_effect_is_told() -> None:
    read = registry.read(b'{"a": 1}', name="a.json")
    assert [loss.code for loss in warnings(read, Chunking(overlap=10))] == ["OVERLAP_IGNORED"]
    assert warnings(read, Chunking()) == []
    assert warnings(read, Chunking("fixed", overlap=10)) == []


def test_transformers_change_the_text_and_keep_lines_and_pages() -> None:
    text = "one\n\n\n\ntwo  words\n\n\nthree"
    places = (Place(0, 7, page=1), Place(7, 20, page=2), Place(20, len(text), page=3))
    read = ReadDocument(text, "fixed", places=places, breaks=(7, 20))
    shown, pieces = cut(read, Chunking(), [CharDedup("\n", " "), CharFilter("w")])
    assert shown == "one\nto ords\nthree"
    found = [(piece.text, piece.locator.page, piece.locator.line_start, piece.locator.line_end) for piece in pieces]
    assert found == [("one\n", 1, 1, 1), ("to ords\n", 2, 5, 5), ("three", 3, 8, 8)]
    assert all(shown[each.locator.char_start : each.locator.char_end] == each.text for each in pieces)


class Shouting:
    """A transformer of somebody else."""

    def preprocess(self, text: str) -> tuple[str, OffsetMap]:
        return text.upper(), unchanged(len(text))

    def postprocess(self, pieces: Sequence[Piece]) -> Sequence[Piece]:
        return [piece._replace(text=f"{piece.text}!") for piece in pieces]


def test_a_transformer_of_ones_own_has_both_hooks() -> None:
    text, pieces = cut(ReadDocument("walrus", "fixed"), Chunking(), [Shouting()])
    assert (text, [piece.text for piece in pieces]) == ("WALRUS", ["WALRUS!"])


@given(st.text("ab \n", min_size=1, max_size=80).map(lambda text: f"x{text}"), st.integers(5, 40))
def test_lines_are_those_of_the_source(text: str, size: int) -> None:
    shown, pieces = cut(ReadDocument(text, "fixed"), Chunking("fixed", size), [CharDedup("\n"), CharFilter("b")])
    for piece in pieces:
        first = shown[piece.locator.char_start]
        assert first in text.split("\n")[piece.locator.line_start - 1] + "\n"
        assert 1 <= piece.locator.line_start <= piece.locator.line_end <= text.count("\n") + 1
