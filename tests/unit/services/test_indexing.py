"""The chunk index over its generations: what is written where, with which vectors, and nothing embedded twice."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from knowhub.catalog.vectors import VectorRows
from knowhub.errors import Unavailable
from knowhub.model.chunk import Chunk, Locator
from knowhub.ports.chunk_index import DenseLeg, EveryLeg, IndexedChunk, IndexScope, LegResult
from knowhub.retrieval.analysis import ANALYSER_VERSION
from knowhub.services.chunk_entries import indexed
from knowhub.services.embeddings import Embeddings, embedding_text
from knowhub.services.indexing import Indexing
from knowhub.stores.sqlite.table import SqliteTable
from tests.embedding import WordEmbedder
from tests.generations import MemoryGenerations
from tests.hubs import HandClock


@pytest.fixture
def rows(tmp_path: Path) -> Iterator[VectorRows]:
    table = SqliteTable(tmp_path / "catalog.sqlite3")
    yield VectorRows(table)
    table.close()


def chunk(index: int = 1, text: str = "the walrus sleeps", *, doc_id: str = "d", kb_id: int = 1) -> Chunk:
    place = Locator(0, len(text), 1, 1)
    return Chunk(f"{doc_id}:1:{index}", doc_id, kb_id, 1, index, "Title", text, place, header_path="Sea", name="sea.md")


def entry(one: Chunk) -> IndexedChunk:
    return indexed(one, {})


def indexing(rows: VectorRows, embedder: WordEmbedder, generations: MemoryGenerations | None = None) -> Indexing:
    return Indexing(generations or MemoryGenerations(), embedder, Embeddings(embedder, rows, HandClock()))


def nearest(generations: MemoryGenerations, number: int, embedder: WordEmbedder) -> list[str]:
    vector = embedder.embed_query("walrus")
    assert vector is not None
    (found,) = generations.index(number).search([DenseLeg(tuple(vector))], IndexScope(frozenset({1, 2})), 10)
    return [one.chunk_id for one in found.candidates]


def test_a_chunk_is_embedded_with_its_file_its_number_and_its_section() -> None:
    assert embedding_text(chunk(3)) == "file: sea.md | chunk: 3 | section: Sea\nthe walrus sleeps"


def test_the_first_generation_is_made_for_the_hub_s_embedder(rows: VectorRows) -> None:
    generations = MemoryGenerations()
    index = indexing(rows, WordEmbedder(), generations)
    index.write([])
    serving, made = index.serving(), generations.serving()
    assert made is not None
    assert (made.embedder, made.dimension, made.analyser) == ("words:1", 16, ANALYSER_VERSION)
    assert serving.embedder is not None


def test_a_search_before_the_first_chunk_finds_nothing_and_makes_nothing(rows: VectorRows) -> None:
    generations = MemoryGenerations()
    serving = indexing(rows, WordEmbedder(), generations).serving()
    assert serving.index.search([EveryLeg()], IndexScope(frozenset({1})), 5) == [LegResult()]
    assert (serving.index.fetch(["d:1:1"]), serving.index.count(frozenset({1}))) == ({}, 0)
    assert generations.serving() is None


def test_only_new_texts_are_embedded(rows: VectorRows) -> None:
    embedder = WordEmbedder()
    index = indexing(rows, embedder)
    index.write([entry(chunk(1)), entry(chunk(2, "the seal swims"))])
    assert len(embedder.documents) == 2
    index.write([entry(chunk(1, "a new beginning")), entry(chunk(2)), entry(chunk(3, "the seal swims"))])
    assert len(embedder.documents) == 3  # what has only moved on keeps its vector


def test_the_same_text_in_two_documents_of_a_batch_is_embedded_once(rows: VectorRows) -> None:
    embedder = WordEmbedder()
    indexing(rows, embedder).write([entry(chunk()), entry(chunk(doc_id="e"))])
    assert len(embedder.documents) == 1


def test_another_knowledge_base_learns_nothing_from_what_is_kept(rows: VectorRows) -> None:
    embedder = WordEmbedder()
    index = indexing(rows, embedder)
    index.write([entry(chunk())])
    index.write([entry(chunk(kb_id=2))])
    assert len(embedder.documents) == 2


def test_a_forgotten_text_is_embedded_again_and_one_that_others_have_is_not(rows: VectorRows) -> None:
    embedder = WordEmbedder()
    embeddings = Embeddings(embedder, rows, HandClock())
    one, two = chunk(1), chunk(2, "the seal swims")
    embeddings.of(1, [one, two])
    embeddings.forget(1, [one, two], but=[replace(two, chunk_id="e:1:9", index=9)])
    embeddings.of(1, [one, two])
    assert len(embedder.documents) == 3
    embeddings.forget_kb(1)
    embeddings.of(1, [one, two])
    assert len(embedder.documents) == 5


def test_what_is_kept_is_what_was_made_up_to_half_precision(rows: VectorRows) -> None:
    embeddings = Embeddings(WordEmbedder(), rows, HandClock())
    (made,) = embeddings.of(1, [chunk()])
    (kept,) = embeddings.of(1, [chunk()])
    assert made is not None
    assert kept == pytest.approx(made, abs=1e-3)


def test_a_text_without_direction_is_indexed_without_a_vector(rows: VectorRows) -> None:
    generations = MemoryGenerations()
    embedder = WordEmbedder()
    index = indexing(rows, embedder, generations)
    index.write([entry(replace(chunk(1, "12"), header_path=None, name=""))])
    index.refresh()
    assert generations.index(1).count(frozenset({1})) == 1


def test_an_embedder_that_is_away_leaves_nothing_half_written(rows: VectorRows) -> None:
    generations = MemoryGenerations()
    index = indexing(rows, WordEmbedder(down=True), generations)
    with pytest.raises(Unavailable):
        index.write([entry(chunk())])
    index.refresh()
    assert generations.index(1).count(frozenset({1})) == 0


def test_vectors_of_two_models_are_never_mixed(rows: VectorRows) -> None:
    generations = MemoryGenerations()
    old, new = WordEmbedder(), WordEmbedder(identity="words:2")
    indexing(rows, old, generations).write([entry(chunk())])
    index = indexing(rows, new, generations)
    index.write([entry(chunk(doc_id="e"))])
    assert index.serving().embedder is None
    assert index.outdated()
    assert new.documents == []
    index.refresh()
    assert nearest(generations, 1, old) == ["d:1:1"]


def test_while_a_generation_is_built_everything_goes_to_both(rows: VectorRows) -> None:
    generations = MemoryGenerations()
    old, new = WordEmbedder(), WordEmbedder(identity="words:2")
    indexing(rows, old, generations).write([entry(chunk())])
    index = indexing(rows, new, generations)
    assert index.living() == {1}
    index.create_next()
    assert index.living() == {1, 2}
    index.write([entry(chunk(doc_id="e"))])
    index.delete_document("d")
    index.refresh()
    assert generations.index(1).count(frozenset({1})) == generations.index(2).count(frozenset({1})) == 1
    assert nearest(generations, 2, new) == ["e:1:1"]
    generations.serve(2)
    assert index.serving().embedder is new
    assert not index.outdated()


def test_without_an_embedder_there_is_no_dense_leg() -> None:
    index = Indexing(MemoryGenerations())
    index.write([entry(chunk())])
    assert index.serving().embedder is None
    assert not index.outdated()
