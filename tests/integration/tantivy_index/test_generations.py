"""Generations of the embedded index on disk: several processes, kills, lost and damaged files."""

import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from knowhub.errors import SearchUnavailable
from knowhub.ports.chunk_index import EveryLeg, IndexScope
from knowhub.stores.tantivy.generations import TantivyGenerations
from knowhub.stores.tantivy.index import TantivyChunkIndex
from tests.contract.chunk_index_homes import found, indexed

ROOT = Path(__file__).resolve().parents[3]
KILLS = 6
EVERYWHERE = IndexScope(frozenset({1}))


@contextmanager
def opened(folder: Path) -> Iterator[TantivyGenerations]:
    generations = TantivyGenerations(folder)
    try:
        yield generations
    finally:
        generations.close()


def fill(generations: TantivyGenerations, number: int) -> None:
    index = generations.index(number)
    index.write([indexed("d:1:1", "x")])
    index.refresh()


def folders(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir() if entry.is_dir())


def test_of_two_that_saw_none_the_slower_gets_the_first_one_too(tmp_path: Path) -> None:
    with opened(tmp_path) as one, opened(tmp_path) as other:
        assert one.serving() is None
        assert other.serving() is None
        assert one.create("a", 2, 1) == other.create("a", 2, 1)
        assert one.building() is None
        assert other.create("b", 2, 1).number == 2


def test_many_threads_make_one_first_generation(tmp_path: Path) -> None:
    together = threading.Barrier(6)
    numbers: list[int] = []

    def make() -> None:
        with opened(tmp_path) as generations:
            assert generations.serving() is None
            together.wait(30)
            numbers.append(generations.create("", 0, 1).number)

    threads = [threading.Thread(target=make) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert numbers == [1] * 6


def test_a_dropped_generation_does_not_come_back_empty(tmp_path: Path) -> None:
    with opened(tmp_path) as one, opened(tmp_path) as late:
        one.create("", 0, 1)
        fill(one, 1)
        one.create("", 0, 1)
        one.serve(2)
        held = late.index(1)
        one.drop(1)
        for index in (held, late.index(1), one.index(1)):
            with pytest.raises(SearchUnavailable):
                index.search([EveryLeg()], EVERYWHERE, 5)
            with pytest.raises(SearchUnavailable):
                index.write([indexed("d:1:1", "x")])
        assert folders(tmp_path) == ["2"]


def test_one_that_was_never_made_is_not_there(tmp_path: Path) -> None:
    with opened(tmp_path) as generations:
        generations.create("", 0, 1)
        with pytest.raises(SearchUnavailable):
            generations.index(7).count(frozenset({1}))
        with pytest.raises(SearchUnavailable):
            generations.serve(7)
        generations.drop(7)
        assert folders(tmp_path) == ["1"]


def test_a_serving_generation_whose_folder_is_gone_is_not_an_empty_one(tmp_path: Path) -> None:
    with opened(tmp_path) as generations:
        generations.create("", 0, 1)
    shutil.rmtree(tmp_path / "1")
    with opened(tmp_path) as generations:
        with pytest.raises(SearchUnavailable, match="built again"):
            generations.index(1).search([EveryLeg()], EVERYWHERE, 5)
        assert generations.create("", 0, 1).number == 2
        fill(generations, 2)
        generations.serve(2)
        assert found(generations.index(2), EveryLeg()) == ["d:1:1"]


def test_another_process_that_searches_meanwhile_is_told_so(tmp_path: Path) -> None:
    with opened(tmp_path) as one, opened(tmp_path) as other:
        one.create("", 0, 1)
        fill(one, 1)
        one.create("", 0, 1)
        one.serve(2)
        index = other.index(1)
        assert found(index, EveryLeg()) == ["d:1:1"]
        ended: list[BaseException] = []

        def search_on() -> None:
            try:
                while True:
                    assert found(index, EveryLeg()) == ["d:1:1"]
            except BaseException as error:  # noqa: BLE001 - whatever it is, the test looks at it
                ended.append(error)

        searching = threading.Thread(target=search_on)
        searching.start()
        one.drop(1)
        searching.join(30)
        assert [type(error) for error in ended] == [SearchUnavailable]


def test_an_index_of_the_earlier_layout_is_left_alone_and_is_no_generation(tmp_path: Path) -> None:
    flat = TantivyChunkIndex(tmp_path)
    flat.write([indexed("d:1:1", "x")])
    flat.refresh()
    flat.close()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with opened(tmp_path) as generations:
        assert generations.serving() is None
        assert generations.create("", 0, 1).number == 1
        generations.create("", 0, 1)
        generations.drop(2)
    assert all(path.read_bytes() == content for path, content in before.items())


def test_what_a_drop_that_was_cut_short_has_left_is_cleared_away(tmp_path: Path) -> None:
    with opened(tmp_path) as generations:
        generations.create("", 0, 1)
        generations.create("", 0, 1)
        kept = tmp_path.with_name("kept")
        shutil.copytree(tmp_path / "2", kept)
        generations.drop(2)
        shutil.move(kept, tmp_path / "2")
        assert generations.create("", 0, 1).number == 3
        assert folders(tmp_path) == ["1", "3"]


def test_a_number_whose_folder_is_there_is_not_given_again(tmp_path: Path) -> None:
    with opened(tmp_path) as generations:
        generations.create("", 0, 1)
        fill(generations, 1)
    (tmp_path / "generations.json").unlink()
    with opened(tmp_path) as generations:
        assert generations.serving() is None
        assert generations.create("", 0, 1).number == 2
        assert found(generations.index(2), EveryLeg()) == []
        assert folders(tmp_path) == ["1", "2"]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"last": 1}', b'{"made": [{"number": 1}]}', b"\xff"])
def test_a_damaged_file_is_named_and_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "generations.json").write_bytes(content)
    with opened(tmp_path) as generations:
        calls: list[Callable[[], object]] = [
            generations.serving,
            generations.retired,
            lambda: generations.create("", 0, 1),
            lambda: generations.serve(1),
            lambda: generations.drop(1),
        ]
        for call in calls:
            with pytest.raises(SearchUnavailable, match="damaged"):
                call()
    assert (tmp_path / "generations.json").read_bytes() == content


def test_a_place_that_can_not_be_written_is_an_engine_that_is_away(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with opened(tmp_path / "file") as generations:
        calls: list[Callable[[], object]] = [
            generations.serving,
            lambda: generations.create("", 0, 1),
            lambda: generations.serve(1),
            lambda: generations.drop(1),
        ]
        for call in calls:
            with pytest.raises(SearchUnavailable):
                call()


def test_a_kill_at_any_point_leaves_generations_that_are_whole(tmp_path: Path) -> None:
    chance = random.Random(5)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "layers/core/python"), str(ROOT)])}
    command = [sys.executable, "-m", "tests.integration.tantivy_index.generation_process", str(tmp_path)]
    last = 0
    for _ in range(KILLS):
        with subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(chance.randint(1, 4)):
                last = int(process.stdout.readline())
            time.sleep(chance.random() / 20)
            process.kill()
            told = [int(line) for line in process.stdout if line.endswith("\n")]
        last = max([last, *told])
        with opened(tmp_path) as generations:
            serving = generations.serving()
            assert serving is not None
            assert serving.number >= last
            assert found(generations.index(serving.number), EveryLeg()) == ["d:1:1"]
            others = [*generations.retired(), *filter(None, [generations.building()])]
            for one in others:
                generations.index(one.number).count(frozenset({1}))
                generations.drop(one.number)
            generations.drop(generations.create("", 0, 1).number)
            assert folders(tmp_path) == [str(serving.number)]
