"""A folder that is wrong or fails under the index's feet: said plainly, and nothing acknowledged is lost."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from knowhub.errors import KnowhubError, SearchUnavailable
from knowhub.ports.chunk_index import DenseLeg, KeywordLeg
from knowhub.stores.tantivy.index import TantivyChunkIndex
from tests.contract.chunk_index_homes import found, indexed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with two chunks, and let go of it."""
    index = TantivyChunkIndex(tmp_path / "index")
    index.write([indexed("a:1:1", "x y", vector=(1.0, 0.0)), indexed("b:1:1", "x", vector=(0.0, 1.0))])
    index.refresh()
    index.close()
    return tmp_path / "index"


@pytest.fixture
def index(folder: Path) -> Iterator[TantivyChunkIndex]:
    opened = TantivyChunkIndex(folder, lock_seconds=0.05)
    yield opened
    opened.close()


def test_another_format_is_named_and_left_alone(folder: Path, index: TantivyChunkIndex) -> None:
    (folder / "format.json").write_text(json.dumps({"format": 0}))
    before = sorted((path.name, path.stat().st_size) for path in folder.rglob("*"))
    for call in (lambda: index.count(frozenset({1})), lambda: index.write([indexed("c:1:1")]), index.compact):
        with pytest.raises(SearchUnavailable, match="has format 0, this program reads format 2"):
            call()
    assert sorted((path.name, path.stat().st_size) for path in folder.rglob("*")) == before


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 1}'])
def test_an_unreadable_format_file_is_damage(folder: Path, index: TantivyChunkIndex, content: str) -> None:
    (folder / "format.json").write_text(content)
    with pytest.raises(SearchUnavailable, match="damaged"):
        index.count(frozenset({1}))


def test_vanished_text_files_do_not_become_an_empty_index(folder: Path, index: TantivyChunkIndex) -> None:
    shutil.rmtree(folder / "text")
    with pytest.raises(SearchUnavailable, match="damaged"):
        index.count(frozenset({1}))


@pytest.mark.parametrize("kind", ["store", "term", "idx", "pos", "fast", "fieldnorm", "json"])
@pytest.mark.parametrize("harm", ["cut", "overwritten", "gone"])
def test_damaged_text_files_are_a_typed_error(folder: Path, index: TantivyChunkIndex, kind: str, harm: str) -> None:
    for path in (folder / "text").glob(f"*.{kind}"):
        size = path.stat().st_size
        if harm == "gone":
            path.unlink()
        else:
            path.write_bytes(b"" if harm == "cut" else b"\xff" * size)
    with pytest.raises(KnowhubError, match="chunk index"):
        found(index, KeywordLeg(("x",)))


@pytest.mark.parametrize("name", ["1.keys", "1.halves"])
def test_vanished_vector_files_are_damage(folder: Path, index: TantivyChunkIndex, name: str) -> None:
    (folder / "vectors" / name).unlink()
    with pytest.raises(SearchUnavailable, match="damaged"):
        found(index, DenseLeg((1.0, 0.0)))
    assert found(index, KeywordLeg(("y",))) == ["a:1:1"]


def test_a_creation_that_was_cut_short_is_taken_up(folder: Path, index: TantivyChunkIndex) -> None:
    (folder / "format.json").unlink()
    assert index.count(frozenset({1})) == 2


def test_a_folder_that_can_not_be_made_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    index = TantivyChunkIndex(tmp_path / "file" / "index")
    with pytest.raises(SearchUnavailable):
        index.count(frozenset({1}))


def test_writes_before_an_engine_failure_are_not_lost(folder: Path, index: TantivyChunkIndex) -> None:
    index.write([indexed("c:1:1", "x", vector=(0.6, 0.8))])
    index.delete_document("a")
    away = folder.with_name("away")
    (folder / "text").rename(away)
    with pytest.raises(SearchUnavailable):
        index.refresh()
    with pytest.raises(SearchUnavailable):
        index.write([indexed("d:1:1", "x")])
    away.rename(folder / "text")
    index.write([indexed("e:1:1", "x")])
    index.refresh()
    assert set(found(index, KeywordLeg(("x",)))) >= {"b:1:1", "c:1:1", "e:1:1"}
    assert "a:1:1" not in found(index, KeywordLeg(("x",)))
    assert found(index, DenseLeg((0.6, 0.8)), limit=1) == ["c:1:1"]


def test_an_engine_failure_does_not_hand_the_folder_to_another_writer(folder: Path, index: TantivyChunkIndex) -> None:
    index.write([indexed("c:1:1", "x")])
    away = folder.with_name("away")
    (folder / "text").rename(away)
    with pytest.raises(SearchUnavailable):
        index.refresh()
    away.rename(folder / "text")
    other = TantivyChunkIndex(folder, lock_seconds=0.0)
    with pytest.raises(SearchUnavailable, match="Another process"):
        other.write([indexed("d:1:1", "x")])
    index.refresh()
    assert set(found(other, KeywordLeg(("x",)))) == {"a:1:1", "b:1:1", "c:1:1"}
    other.close()


def test_what_was_not_refreshed_is_dropped_by_close(folder: Path, index: TantivyChunkIndex) -> None:
    index.write([indexed("c:1:1", "x", vector=(0.6, 0.8))])
    index.close()
    assert found(index, KeywordLeg(("x",))) == ["b:1:1", "a:1:1"]
    index.write([indexed("d:1:1", "x", vector=(0.8, 0.6))])
    index.refresh()
    assert found(index, DenseLeg((0.8, 0.6)), limit=1) == ["d:1:1"]
    assert folder.exists()


def test_more_than_is_kept_for_a_replay_is_committed_early(index: TantivyChunkIndex) -> None:
    text = "long " * 200_000
    for number in range(1, 41):
        index.write([indexed(f"big:1:{number}", "x", text=text)])
    index.refresh()
    assert index.count(frozenset({1})) == 42
