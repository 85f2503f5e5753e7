"""What is refused before cutting starts."""

import pytest

from knowhub.chunkers import fixed, json_values, markdown, recursive
from knowhub.chunkers.options import (
    ChunkOptions,
    EmptyDocument,
    InvalidChunkSize,
    InvalidOverlap,
    OverlapTooLarge,
)
from knowhub.chunkers.registry import Chunker
from knowhub.errors import InvalidRequest, Unreadable

every = pytest.mark.parametrize("chunk", [fixed.chunk, markdown.chunk, recursive.chunk, json_values.chunk])


@every
@pytest.mark.parametrize("size", [0, -1])
def test_a_size_that_is_not_positive_is_refused(chunk: Chunker, size: int) -> None:
    with pytest.raises(InvalidChunkSize, match=str(size)):
        chunk("text", ChunkOptions(size=size))


@every
def test_a_negative_overlap_is_refused(chunk: Chunker) -> None:
    with pytest.raises(InvalidOverlap):
        chunk("text", ChunkOptions(overlap=-1))


@every
@pytest.mark.parametrize("overlap", [10, 11])
def test_an_overlap_that_leaves_no_room_is_refused(chunk: Chunker, overlap: int) -> None:
    with pytest.raises(OverlapTooLarge):
        chunk("text", ChunkOptions(size=10, overlap=overlap))


@every
@pytest.mark.parametrize("text", ["", " \n\t ", "\u3000"])
def test_a_document_of_white_space_is_refused(chunk: Chunker, text: str) -> None:
    with pytest.raises(EmptyDocument):
        chunk(text, ChunkOptions())


@every
def test_sizes_are_looked_at_before_the_document(chunk: Chunker) -> None:
    with pytest.raises(InvalidChunkSize):
        chunk("", ChunkOptions(size=0))


def test_errors_say_who_can_do_something_about_them() -> None:
    assert issubclass(InvalidChunkSize, InvalidRequest)
    assert issubclass(InvalidOverlap, InvalidRequest)
    assert issubclass(OverlapTooLarge, InvalidRequest)
    assert issubclass(EmptyDocument, Unreadable)


def test_a_refusal_names_the_field() -> None:
    with pytest.raises(InvalidChunkSize) as refused:
        fixed.chunk("text", ChunkOptions(size=0))
    assert refused.value.detail["errors"] == [
        {"loc": ["chunking", "size"], "type": "value_error", "message": "invalid chunk size"}
    ]
