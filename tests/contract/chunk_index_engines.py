"""The two homes that people run rank alike: the same documents, queries, filters, updates and deletes on both.

What a search tells apart is compared on a few thousand chunks with words as unevenly spread as a language's. On one
freshly written shard both engines score as Lucene does, so that lists are equal but for what single precision can't
order. After updates they count replaced chunks differently until they merge, and the sets are compared.
"""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from knowhub.model.filter import AllOf, AnyOf, Comparison, Filter, Negation
from knowhub.ports.chunk_index import (
    ChunkIndex,
    DenseLeg,
    EveryLeg,
    ExactLeg,
    IndexedChunk,
    IndexScope,
    KeywordLeg,
    Leg,
    LegResult,
)
from knowhub.stores.opensearch.places import Tuning
from knowhub.stores.tantivy.index import TantivyChunkIndex
from tests.contract.chunk_index_homes import indexed
from tests.opensearch.homes import generations

CHUNKS = 1_400
KBS = frozenset({1, 2})
DIMENSION = 16
EQUAL_LISTS = 0.98
NOISE = 1e-4
HALF = 2e-3
"""What vectors in half precision are off."""

ALL = 1_000
"""More than there are in both KBs."""

_WORDS = [f"w{n}" for n in range(3_000)]
_WEIGHTS = [1 / (n + 3) for n in range(len(_WORDS))]


@dataclass(frozen=True)
class Pair:
    """The embedded index and the one on the engine."""

    embedded: ChunkIndex
    engine: ChunkIndex

    def both(self) -> tuple[ChunkIndex, ChunkIndex]:
        return self.embedded, self.engine

    def refresh(self) -> None:
        for one in self.both():
            one.refresh()

    def search(self, legs: Sequence[Leg], scope: IndexScope, limit: int) -> list[tuple[LegResult, LegResult]]:
        mine, theirs = (one.search(legs, scope, limit) for one in self.both())
        return list(zip(mine, theirs, strict=True))


def unit(chance: random.Random) -> tuple[float, ...]:
    values = [chance.gauss(0, 1) for _ in range(DIMENSION)]
    length = math.hypot(*values)
    return tuple(value / length for value in values)


def chunk(chance: random.Random, number: int) -> IndexedChunk:
    words = chance.choices(_WORDS, _WEIGHTS, k=chance.randint(5, 120))
    place = f"d{number // 4}:1:{number % 4 + 1}"
    vector = unit(chance) if chance.random() < 0.9 else None
    values = {
        "title": [f"Title {number % 50}%_*"],
        "metadata.year": [1990 + number % 30] if number % 3 else [],
        "metadata.ratio": [round(chance.uniform(-1e6, 1e6), chance.randint(0, 9))],
        "metadata.tags": chance.sample(["a", "b", "ä", "日本"], 2),
        "metadata.done": [number % 2 == 0],
        "created_at": [f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}T10:00:00+0{number % 9}:00"],
    }
    return replace(indexed(place, words, kb=1 + number % 3, vector=vector), values=values)


def queries(chance: random.Random, count: int) -> list[tuple[str, ...]]:
    return [tuple(dict.fromkeys(chance.choices(_WORDS, _WEIGHTS, k=chance.randint(1, 8)))) for _ in range(count)]


def phrases(chance: random.Random, written: Sequence[IndexedChunk]) -> tuple[tuple[str, ...], ...]:
    found = []
    for one in chance.choices(written, k=3):
        start = chance.randrange(len(one.sequence) - 2)
        found.append(tuple(one.sequence[start : start + chance.randint(1, 3)]))
    return tuple(found)


FILTERS: list[Filter] = [
    Comparison("title", "eq", ("Title 7%_*",)),
    Comparison("title", "like", ("%7\\%%",)),
    Comparison("title", "like", ("Title __*",)),
    Comparison("title", "like", ("%itle%1%*",)),
    Comparison("title", "not like", ("%1%",)),
    Comparison("metadata.year", "ne", (1991,)),
    Comparison("metadata.year", "exists"),
    Comparison("metadata.year", "between", (1995, 2003.5)),
    Comparison("metadata.year", "not in", (1990, 1991, "1992")),
    Comparison("metadata.ratio", "gt", (-3.25,)),
    Comparison("metadata.ratio", "lte", (0,)),
    Comparison("metadata.tags", "in", ("ä", "日本", "missing")),
    Comparison("metadata.done", "eq", (True,)),
    Comparison("metadata.done", "eq", (1,)),
    Comparison("created_at", "lt", ("2024-06-15",)),
    Comparison("created_at", "gte", ("2024-06-15T04:00:00-05:00",)),
    Comparison('metadata.x":{}*', "exists"),
    AllOf((Comparison("metadata.tags", "eq", ("a",)), Negation(Comparison("metadata.year", "lt", (2005,))))),
    AnyOf((Comparison("title", "eq", ("Title 1%_*",)), Comparison("metadata.ratio", "gte", (900_000,)))),
    Negation(AnyOf((Comparison("metadata.year", "exists"), Comparison("metadata.done", "eq", (False,))))),
]


@pytest.fixture(scope="module")
def written() -> list[IndexedChunk]:
    chance = random.Random(11)
    return [chunk(chance, number) for number in range(CHUNKS)]


@pytest.fixture(scope="module")
def pair(written: list[IndexedChunk], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Give both, freshly written."""
    with opened(tmp_path_factory.mktemp("embedded"), written) as made:
        yield made


class opened:  # noqa: N801 - reads as the function that it is
    """Write the chunks to a new embedded index and to a new one on the engine."""

    def __init__(self, folder: Path, written: Sequence[IndexedChunk], tuning: Tuning | None = None) -> None:
        self.embedded = TantivyChunkIndex(folder / "index")
        self.generations = generations(tuning)
        self.written = written

    def __enter__(self) -> Pair:
        made, _ = self.generations.__enter__()
        pair = Pair(self.embedded, made.index(made.create("random:1", DIMENSION, 1).number))
        for one in pair.both():
            one.write(self.written)
        pair.refresh()
        return pair

    def __exit__(self, *failure: object) -> None:
        self.embedded.close()
        self.generations.__exit__(None, None, None)


def ids(result: LegResult) -> list[str]:
    return [candidate.chunk_id for candidate in result.candidates]


def same_scores(mine: LegResult, theirs: LegResult) -> bool:
    """Tell whether the scores agree up to one factor."""
    if not mine.candidates:
        return not theirs.candidates
    factor = theirs.candidates[0].score / mine.candidates[0].score
    pairs = zip(mine.candidates, theirs.candidates, strict=True)
    return all(math.isclose(a.score * factor, b.score, rel_tol=NOISE, abs_tol=NOISE) for a, b in pairs)


def text_legs(seed: int, written: Sequence[IndexedChunk], count: int) -> list[Leg]:
    chance = random.Random(seed)
    exact = [ExactLeg(phrases(chance, written)) for _ in range(count // 2)]
    exact += [ExactLeg(phrases(chance, written)[:1], phrases(chance, written)[:1]) for _ in range(count // 2)]
    return [*(KeywordLeg(terms) for terms in queries(chance, count)), *exact]


def test_lists_and_scores_of_a_freshly_written_shard_are_equal(pair: Pair, written: list[IndexedChunk]) -> None:
    legs = text_legs(5, written, 100)
    compared = pair.search(legs, IndexScope(KBS), 10)
    equal = sum(ids(mine) == ids(theirs) for mine, theirs in compared)
    assert equal >= EQUAL_LISTS * len(legs)
    assert sum(bool(mine.candidates) for mine, _ in compared) > 0.9 * len(legs)
    assert [leg for leg, both in zip(legs, compared, strict=True) if not same_scores(*both)] == []


@pytest.mark.parametrize("asked", FILTERS, ids=[str(n) for n in range(len(FILTERS))])
def test_a_filter_lets_the_same_by_on_every_leg(pair: Pair, written: list[IndexedChunk], asked: Filter) -> None:
    legs: list[Leg] = [EveryLeg(), KeywordLeg(("w0", "w1")), ExactLeg((("w0",),)), DenseLeg(unit(random.Random(1)))]
    for mine, theirs in pair.search(legs, IndexScope(KBS, filter=asked), ALL):
        assert set(ids(mine)) == set(ids(theirs))
    (every,) = pair.embedded.search([EveryLeg()], IndexScope(KBS, filter=asked), ALL)
    within = frozenset(f"d{n}" for n in range(0, CHUNKS // 4, 3))
    ((mine, theirs),) = pair.search([EveryLeg()], IndexScope(KBS, within, asked), ALL)
    assert ids(mine) == ids(theirs) == [one for one in ids(every) if one.split(":")[0] in within]


def test_filters_tell_something_apart(pair: Pair) -> None:
    sizes = [len(ids(pair.embedded.search([EveryLeg()], IndexScope(KBS, filter=asked), ALL)[0])) for asked in FILTERS]
    assert sum(0 < size < ALL for size in sizes) >= len(FILTERS) - 5


def test_cosines_are_equal_to_half_precision(pair: Pair) -> None:
    chance = random.Random(6)
    legs = [DenseLeg(unit(chance)) for _ in range(25)]
    for mine, theirs in pair.search(legs, IndexScope(KBS), 10):
        assert [one.score for one in mine.candidates] == pytest.approx(
            [one.score for one in theirs.candidates], abs=HALF
        )
        assert len(set(ids(mine)) & set(ids(theirs))) >= 9


def test_the_graph_of_a_scope_that_is_too_large_finds_nearly_all_of_the_nearest(
    written: list[IndexedChunk], tmp_path: Path
) -> None:
    chance = random.Random(7)
    legs = [DenseLeg(unit(chance)) for _ in range(40)]
    with opened(tmp_path, written, Tuning(exact=50)) as pair:
        for scope in (IndexScope(KBS), IndexScope(KBS, filter=Comparison("metadata.done", "eq", (True,)))):
            compared = pair.search(legs, scope, 10)
            shared = sum(len(set(ids(mine)) & set(ids(theirs))) for mine, theirs in compared)
            assert shared >= 0.97 * 10 * len(legs)
            assert all(len(ids(theirs)) == 10 for _, theirs in compared)


def test_after_updates_and_deletes_the_sets_are_equal(written: list[IndexedChunk], tmp_path: Path) -> None:
    chance = random.Random(8)
    with opened(tmp_path, written) as pair:
        for _ in range(2):
            again = [chunk(chance, chance.randrange(CHUNKS)) for _ in range(200)]
            gone = [f"d{chance.randrange(CHUNKS // 4)}" for _ in range(8)]
            for one in pair.both():
                one.write(again)
                for doc_id in gone[:4]:
                    one.delete_document(doc_id)
                one.write(again[:50])
                for doc_id in gone[4:]:
                    one.delete_revision(doc_id, 1)
            pair.refresh()
            legs: list[Leg] = [EveryLeg(), *text_legs(9, written, 20)]
            for mine, theirs in pair.search(legs, IndexScope(KBS), ALL):
                assert set(ids(mine)) == set(ids(theirs))
            assert pair.embedded.count(KBS) == pair.engine.count(KBS)
        for one in pair.both():
            one.delete_kb(1)
        pair.refresh()
        assert pair.embedded.count(KBS) == pair.engine.count(KBS) > 0
