"""What the generations of a chunk index promise: the port's text as tests, run on each home."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from knowhub.errors import Conflict, SearchUnavailable
from knowhub.ports.chunk_generations import ChunkGenerations, Generation
from knowhub.ports.chunk_index import EveryLeg, IndexScope, KeywordLeg
from knowhub.stores.tantivy.generations import TantivyGenerations
from tests.contract.chunk_index_homes import indexed
from tests.generations import MemoryGenerations
from tests.opensearch.homes import generations as opensearch_generations

Pair = tuple[ChunkGenerations, ChunkGenerations]
"""Generations, and a second view of them, as another process has one."""


@contextmanager
def tantivy_home(folder: Path) -> Iterator[Pair]:
    one, other = TantivyGenerations(folder / "chunks"), TantivyGenerations(folder / "chunks")
    try:
        yield one, other
    finally:
        one.close()
        other.close()


@contextmanager
def memory_home(_: Path) -> Iterator[Pair]:
    memory = MemoryGenerations()
    yield memory, memory


@contextmanager
def opensearch_home(_: Path) -> Iterator[Pair]:
    with opensearch_generations() as pair:
        yield pair


HOMES: dict[str, Callable[[Path], AbstractContextManager[Pair]]] = {
    "tantivy": tantivy_home,
    "opensearch": opensearch_home,
    "memory": memory_home,
}


@pytest.fixture(params=HOMES)
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Pair]:
    with HOMES[request.param](tmp_path) as made:
        yield made


@pytest.fixture
def generations(pair: Pair) -> ChunkGenerations:
    return pair[0]


def found(generations: ChunkGenerations, number: int) -> list[str]:
    (result,) = generations.index(number).search([EveryLeg()], IndexScope(frozenset({1})), 100)
    return [one.chunk_id for one in result.candidates]


def fill(generations: ChunkGenerations, number: int, place: str) -> None:
    index = generations.index(number)
    index.write([indexed(place, "cat")])
    index.refresh()


def test_before_the_first_there_is_none(generations: ChunkGenerations) -> None:
    assert generations.serving() is None
    assert generations.building() is None
    assert generations.retired() == []


def test_the_first_serves_at_once_and_says_what_it_was_made_for(generations: ChunkGenerations) -> None:
    made = generations.create("model:1", 3, 7)
    assert made == Generation(1, "model:1", 3, 7)
    assert generations.serving() == made
    assert generations.building() is None


def test_the_next_is_built_beside_it_and_only_one_at_a_time(generations: ChunkGenerations) -> None:
    first = generations.create("", 0, 1)
    second = generations.create("model:2", 3, 1)
    assert generations.serving() == first
    assert generations.building() == second
    with pytest.raises(Conflict):
        generations.create("model:3", 3, 1)


def test_each_has_chunks_of_its_own(generations: ChunkGenerations) -> None:
    generations.create("", 0, 1)
    generations.create("", 0, 2)
    fill(generations, 1, "d:1:1")
    fill(generations, 2, "e:1:1")
    assert (found(generations, 1), found(generations, 2)) == (["d:1:1"], ["e:1:1"])


def test_serving_moves_at_once_and_may_be_repeated(pair: Pair) -> None:
    generations, other = pair
    first = generations.create("", 0, 1)
    second = generations.create("", 0, 2)
    fill(generations, 2, "e:1:1")
    for _ in range(2):
        generations.serve(2)
        assert other.serving() == second
        assert other.building() is None
        assert other.retired() == [first]
    assert found(other, 2) == ["e:1:1"]


def test_a_dropped_generation_is_gone_and_its_number_is_not_used_again(generations: ChunkGenerations) -> None:
    generations.create("", 0, 1)
    generations.create("", 0, 2)
    fill(generations, 2, "e:1:1")
    generations.drop(2)
    generations.drop(2)
    assert generations.building() is None
    assert generations.create("", 0, 3).number == 3
    assert found(generations, 3) == []


def test_the_one_that_serves_can_not_be_dropped(generations: ChunkGenerations) -> None:
    generations.create("", 0, 1)
    with pytest.raises(Conflict):
        generations.drop(1)
    assert generations.serving() is not None


def test_a_search_that_holds_a_dropped_generation_fails_as_an_engine_that_is_away(pair: Pair) -> None:
    generations, other = pair
    generations.create("", 0, 1)
    generations.create("", 0, 2)
    fill(generations, 1, "d:1:1")
    held = other.index(1)
    assert held.count(frozenset({1})) == 1
    generations.serve(2)
    generations.drop(1)
    try:
        held.search([KeywordLeg(("cat",))], IndexScope(frozenset({1})), 5)
    except SearchUnavailable:
        return


def test_the_same_index_is_given_each_time(generations: ChunkGenerations) -> None:
    generations.create("", 0, 1)
    assert generations.index(1) is generations.index(1)
