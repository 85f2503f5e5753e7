"""Several processes on one index folder: refreshes are seen, one writes at a time, kills are survived."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from knowhub.errors import SearchUnavailable
from knowhub.ports.chunk_index import DenseLeg, KeywordLeg
from knowhub.stores.tantivy.index import TantivyChunkIndex
from tests.contract.chunk_index_homes import found, indexed
from tests.integration.tantivy_index.writing_process import CHUNKS, direction

ROOT = Path(__file__).resolve().parents[3]
KILLS = 5


@contextmanager
def opened(folder: Path, *, lock_seconds: float = 10.0) -> Iterator[TantivyChunkIndex]:
    index = TantivyChunkIndex(folder, lock_seconds=lock_seconds)
    try:
        yield index
    finally:
        index.close()


@contextmanager
def writing(folder: Path, first: int) -> Iterator[IO[str]]:
    """Start the writing process, give its acknowledgements, and kill it in the end."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "layers/core/python"), str(ROOT)])}
    command = [sys.executable, "-m", "tests.integration.tantivy_index.writing_process", str(folder), str(first)]
    with subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout
        finally:
            process.kill()


def live_documents(last: int) -> list[int]:
    """Tell which documents are there once this one has been acknowledged."""
    return [number for number in range(1, last + 1) if not ((number + 1) % 3 == 0 and number + 1 <= last)]


def test_a_reader_sees_what_another_process_has_refreshed(tmp_path: Path) -> None:
    with opened(tmp_path) as reader, writing(tmp_path, 1) as acknowledged:
        for line in acknowledged:
            number = int(line)
            assert len(found(reader, KeywordLeg((f"only{number}",)))) == CHUNKS
            nearest = found(reader, DenseLeg(direction(number)), limit=CHUNKS)
            assert {place.split(":")[0] for place in nearest} == {f"d{number}"}
            if number == 12:
                break


def test_a_second_writer_is_told_to_try_again_and_may_read(tmp_path: Path) -> None:
    with opened(tmp_path, lock_seconds=0.05) as second, writing(tmp_path, 1) as acknowledged:
        acknowledged.readline()
        with pytest.raises(SearchUnavailable, match="Another process is writing") as refused:
            second.write([indexed("e:1:1", "x")])
        assert refused.value.retryable
        with pytest.raises(SearchUnavailable, match="Another process is writing"):
            second.write([indexed("e:1:1", "x", vector=direction(0))])
        with pytest.raises(SearchUnavailable, match="Another process is writing"):
            second.delete_kb(1)
        second.refresh()
        assert len(found(second, KeywordLeg(("only1",)))) == CHUNKS


def test_a_process_that_may_not_write_does_not_compact(tmp_path: Path) -> None:
    with opened(tmp_path) as first, opened(tmp_path, lock_seconds=0.0) as second:
        first.write([indexed(f"a:1:{n}", "x", vector=(1.0, 0.0)) for n in range(1, 1_101)])
        first.refresh()
        first.write([indexed(f"b:1:{n}", "y", vector=(1.0, 0.0)) for n in range(1, 11)])
        first.delete_document("a")
        first.write([indexed("c:1:1", "y", vector=(1.0, 0.0))])
        with pytest.raises(SearchUnavailable):
            second.write([indexed("d:1:1", "y", vector=(1.0, 0.0))])
        second.refresh()
        with pytest.raises(SearchUnavailable):
            second.compact()
        first.refresh()
        assert len(found(second, DenseLeg((1.0, 0.0)))) == 11


def test_a_closed_writer_makes_room_for_another(tmp_path: Path) -> None:
    with opened(tmp_path) as first, opened(tmp_path, lock_seconds=0.05) as second:
        first.write([indexed("a:1:1", "x", vector=(1.0, 0.0))])
        first.refresh()
        first.close()
        second.write([indexed("b:1:1", "x", vector=(0.0, 1.0))])
        second.refresh()
        assert found(first, KeywordLeg(("x",))) == ["a:1:1", "b:1:1"]
        assert found(first, DenseLeg((1.0, 0.0))) == ["a:1:1", "b:1:1"]


def test_a_kill_at_any_point_keeps_what_was_refreshed_and_damages_nothing(tmp_path: Path) -> None:
    chance = random.Random(11)
    done = 0
    for _ in range(KILLS):
        with writing(tmp_path, done + 1) as acknowledged:
            for _ in range(chance.randint(1, 9)):
                done = int(acknowledged.readline())
            # Left running for some hundreds of instructions to some refreshes: the kill falls anywhere.
            for _ in range(chance.randint(0, 200_000)):
                pass
        done = _check(tmp_path, done)


def _check(folder: Path, acknowledged: int) -> int:
    """Check everything that was acknowledged; give the number of the last document, which may be a later one."""
    with opened(folder) as index:
        last = acknowledged
        while found(index, KeywordLeg((f"only{last + 1}",))):
            last += 1
        live = live_documents(last)
        assert index.count(frozenset({1})) == CHUNKS * len(live)
        places = {f"d{number}:1:{n}" for number in live for n in range(1, CHUNKS + 1)}
        assert set(found(index, KeywordLeg(("all",)), limit=1_000)) == places
        assert set(found(index, DenseLeg(direction(0)), limit=1_000)) == places
        assert index.fetch(sorted(places)).keys() == places
        for number in live[-3:]:
            nearest = found(index, DenseLeg(direction(number)), limit=CHUNKS)
            assert {place.split(":")[0] for place in nearest} == {f"d{number}"}
    return last
