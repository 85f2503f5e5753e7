"""The vector files: bits, rows, leftovers of kills and power cuts, compaction."""

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from knowhub.errors import InvalidRequest, SearchUnavailable
from knowhub.ports.chunk_index import DenseLeg, IndexScope, KeywordLeg
from knowhub.stores.tantivy.index import TantivyChunkIndex
from knowhub.stores.tantivy.vector_files import VectorRows, map_rows, read_manifest
from knowhub.stores.tantivy.vector_scan import WideRows, scan
from tests.contract.chunk_index_homes import found, indexed, scored


@pytest.fixture
def index(tmp_path: Path) -> Iterator[TantivyChunkIndex]:
    opened = TantivyChunkIndex(tmp_path / "index")
    yield opened
    opened.close()


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    return tmp_path / "index" / "vectors"


def rows_in(folder: Path) -> int:
    manifest = read_manifest(folder)
    assert manifest is not None
    mapped = map_rows(folder, manifest)
    assert mapped is not None
    return len(mapped.rows)


def write(index: TantivyChunkIndex, first: int, last: int, *, revision: int = 1) -> None:
    index.write([indexed(f"d{n}:{revision}:1", "x", vector=(1.0, n / 100)) for n in range(first, last + 1)])
    index.refresh()


def rows_of(halves: NDArray[np.int16], generation: int = 1) -> VectorRows:
    numbers = np.arange(1, len(halves) + 1)
    return VectorRows(generation, numbers, numbers, halves, np.empty((0, halves.shape[1]), np.float32))


def random_halves(count: int, dimension: int = 40) -> NDArray[np.int16]:
    chance = np.random.default_rng(5)
    return chance.standard_normal((count, dimension)).astype(np.float16).view(np.int16)


def test_widening_on_the_bits_is_exact_for_every_finite_half() -> None:
    bits = np.arange(2**16, dtype=np.uint16).view(np.int16).reshape(-1, 1)
    bits = bits[np.isfinite(bits.view(np.float16))[:, 0]]
    expected = bits.view(np.float16)[:, 0].astype(np.float32)
    none = np.empty((0, 1), np.float32)
    assert np.array_equal(scan(none, bits, np.arange(len(bits)), np.ones(1, np.float32)), expected)
    assert np.array_equal(WideRows().of(rows_of(bits))[:, 0], expected)


@pytest.mark.parametrize("count", [0, 1, 255, 256, 257, 1_700, 2_000])
@pytest.mark.parametrize("widened", [0, 1, 700, 2_000])
def test_a_scan_of_scattered_rows_is_that_of_all_of_them(count: int, widened: int) -> None:
    halves = random_halves(2_000)
    chance = np.random.default_rng(6)
    query = chance.standard_normal(40).astype(np.float32)
    everything = halves.view(np.float16).astype(np.float32) @ query
    wide = WideRows(widened * 40 * 4).of(rows_of(halves))
    assert len(wide) == widened
    positions = np.sort(chance.choice(2_000, count, replace=False))
    assert np.allclose(scan(wide, halves, positions, query), everything[positions], atol=1e-4)


def test_wide_rows_grow_with_their_generation_and_begin_anew_with_the_next() -> None:
    halves = random_halves(5_000)
    exact = halves.view(np.float16).astype(np.float32)
    wide = WideRows(4_000 * 40 * 4)
    early = wide.of(rows_of(halves[:100]))
    for count in (100, 1_100, 3_000, 5_000, 50):
        kept = wide.of(rows_of(halves[:count]))
        assert len(kept) == min(count, 4_000)
        assert np.array_equal(kept, exact[: len(kept)])
    assert np.array_equal(early, exact[:100])
    assert np.array_equal(wide.of(rows_of(halves[2_000:2_500], generation=2)), exact[2_000:2_500])
    other = random_halves(30, dimension=8)
    assert np.array_equal(wide.of(rows_of(other, generation=3)), other.view(np.float16).astype(np.float32))


def test_searches_agree_before_and_after_rows_are_widened(index: TantivyChunkIndex) -> None:
    write(index, 1, 40)
    asked = DenseLeg((0.3, 0.7))
    first = scored(index, asked)
    assert all(scored(index, asked) == first for _ in range(3))
    write(index, 41, 60)
    index.compact()
    assert {place: scored(index, asked)[place] for place in first} == first


def test_vectors_survive_being_closed_and_their_length_is_remembered(index: TantivyChunkIndex) -> None:
    write(index, 1, 3)
    index.close()
    with pytest.raises(InvalidRequest, match="2 dimensions, not 3"):
        index.write([indexed("e:1:1", vector=(1.0, 0.0, 0.0))])
    assert found(index, DenseLeg((1.0, 0.0))) == ["d1:1:1", "d2:1:1", "d3:1:1"]


@pytest.mark.parametrize(("name", "cut"), [("1.keys", 1), ("1.keys", 16), ("1.halves", 1), ("1.halves", 4)])
def test_rows_that_a_kill_left_incomplete_are_cut_off(
    index: TantivyChunkIndex, vectors: Path, name: str, cut: int
) -> None:
    write(index, 1, 3)
    index.write([indexed("lost:1:1", "x", vector=(0.0, 1.0))])
    index.close()
    path = vectors / name
    path.write_bytes(path.read_bytes()[:-cut])
    assert found(index, DenseLeg((1.0, 0.0))) == ["d1:1:1", "d2:1:1", "d3:1:1"]
    write(index, 4, 6)
    assert found(index, DenseLeg((1.0, 0.0))) == [f"d{n}:1:1" for n in range(1, 7)]
    assert rows_in(vectors) == 6


def test_zeros_that_a_power_cut_left_are_cut_off(index: TantivyChunkIndex, vectors: Path) -> None:
    write(index, 1, 3)
    index.close()
    for name, size in (("1.keys", 16), ("1.halves", 4)):
        with (vectors / name).open("ab") as file:
            file.write(bytes(5 * size))
    assert found(index, DenseLeg((1.0, 0.0))) == ["d1:1:1", "d2:1:1", "d3:1:1"]
    write(index, 4, 6)
    assert found(index, DenseLeg((1.0, 0.0))) == [f"d{n}:1:1" for n in range(1, 7)]
    assert rows_in(vectors) == 6


def test_compaction_keeps_the_living_and_every_score(index: TantivyChunkIndex, vectors: Path) -> None:
    write(index, 1, 60)
    write(index, 20, 40)
    for number in range(1, 60, 3):
        index.delete_document(f"d{number}")
    index.refresh()
    before = scored(index, DenseLeg((0.3, 0.7)))
    assert rows_in(vectors) == 81
    index.compact()
    assert rows_in(vectors) == 40
    assert scored(index, DenseLeg((0.3, 0.7))) == before
    write(index, 100, 102)
    assert scored(index, DenseLeg((0.3, 0.7))).keys() == before.keys() | {"d100:1:1", "d101:1:1", "d102:1:1"}


def test_row_numbers_are_not_given_twice_after_a_compaction(index: TantivyChunkIndex, vectors: Path) -> None:
    write(index, 1, 10)
    for number in range(1, 11):
        index.delete_document(f"d{number}")
    index.compact()
    assert rows_in(vectors) == 0
    assert found(index, DenseLeg((1.0, 0.0))) == []
    index.close()
    write(index, 1, 2, revision=2)
    manifest = read_manifest(vectors)
    assert manifest is not None
    assert manifest.first_row == 11
    mapped = map_rows(vectors, manifest)
    assert mapped is not None
    assert mapped.rows.tolist() == [11, 12]


def test_a_refresh_compacts_once_most_rows_are_dead(index: TantivyChunkIndex, vectors: Path) -> None:
    for revision in range(1, 6):
        write(index, 1, 400, revision=revision)
        for number in range(1, 401):
            index.delete_revision(f"d{number}", revision - 1 or 9)
    index.refresh()
    assert rows_in(vectors) == 400
    assert len(found(index, DenseLeg((1.0, 0.0)), limit=1_000)) == 400


def test_a_reader_follows_compactions_and_growth(index: TantivyChunkIndex, tmp_path: Path) -> None:
    reader = TantivyChunkIndex(tmp_path / "index")
    chance = random.Random(6)
    living: set[str] = set()
    for number in range(1, 30):
        write(index, number, number)
        living.add(f"d{number}:1:1")
        if number % 4 == 0:
            gone = chance.choice(sorted(living))
            index.delete_document(gone.split(":")[0])
            living.discard(gone)
            index.compact() if number % 8 == 0 else index.refresh()
        assert set(found(reader, DenseLeg((1.0, 0.5)))) == living
    reader.close()


def test_leftovers_of_a_compaction_that_was_killed_do_no_harm(index: TantivyChunkIndex, vectors: Path) -> None:
    write(index, 1, 5)
    index.close()
    for name in ("2.keys", "2.halves", "7.keys"):
        (vectors / name).write_bytes(b"half written")
    assert len(found(index, DenseLeg((1.0, 0.0)))) == 5
    write(index, 6, 6)
    index.compact()
    assert sorted(path.name for path in vectors.iterdir()) == ["2.halves", "2.keys", "manifest.json"]
    assert len(found(index, DenseLeg((1.0, 0.0)))) == 6


def test_a_compaction_that_fails_does_not_fail_the_refresh(
    index: TantivyChunkIndex, vectors: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(index, 1, 1_200)
    (vectors / "2.keys").mkdir()
    index.delete_kb(1)
    index.write([indexed("a:1:1", "x", vector=(1.0, 0.0))])
    index.refresh()
    assert "could not compact" in caplog.text
    assert found(index, DenseLeg((1.0, 0.0))) == ["a:1:1"]
    with pytest.raises(SearchUnavailable):
        index.compact()
    (vectors / "2.keys").rmdir()
    index.refresh()
    index.compact()
    assert rows_in(vectors) == 1


def test_all_legs_see_one_state(index: TantivyChunkIndex) -> None:
    write(index, 1, 50)
    results = index.search([KeywordLeg(("x",)), DenseLeg((1.0, 0.0))], IndexScope(frozenset({1})), 100)
    assert {c.chunk_id for c in results[0].candidates} == {c.chunk_id for c in results[1].candidates}
