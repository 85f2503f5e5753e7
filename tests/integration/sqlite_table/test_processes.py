"""Goal: several processes use one table file at once, and one that is killed takes nothing with it."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import knowhub
from knowhub.ports.table import Key, Query, Update
from knowhub.stores.sqlite.table import SqliteTable

WRITER = Path(__file__).with_name("writer.py")
COUNTER = Key("counters", "shared")

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "table.db"


@pytest.fixture
def start(path: Path) -> Iterator[Start]:
    """Give a function that starts a writer; what still runs at the end is killed."""
    started: list[subprocess.Popen[str]] = []
    environment = {**os.environ, "PYTHONPATH": str(Path(knowhub.__path__[0]).parent)}

    def begin(mode: str, name: str, count: int = 0) -> "subprocess.Popen[str]":
        command = [sys.executable, "-W", "error", str(WRITER), mode, str(path), str(count), name]
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def test_increments_of_many_processes_add_up_and_none_of_them_sees_an_error(path: Path, start: Start) -> None:
    writers = {name: start("count", name, 150) for name in ("a", "b", "c", "d")}
    for writer in writers.values():
        _, errors = writer.communicate()
        assert (writer.returncode, errors) == (0, "")
    with closing(SqliteTable(path)) as table:
        assert table.get(COUNTER) == {"pk": "counters", "sk": "shared", "alone": 600, "together": 600}
        own = table.get_many([Key("counters", name) for name in writers])
        assert [row["together"] for row in own.values()] == [150] * 4


def test_increments_of_many_threads_add_up(path: Path) -> None:
    with closing(SqliteTable(path)) as table, ThreadPoolExecutor(8) as threads:
        for done in [threads.submit(table.write, Update(COUNTER, increments={"n": 1})) for _ in range(120)]:
            done.result()
        assert table.get(COUNTER) == {"pk": "counters", "sk": "shared", "n": 120}


def test_a_patient_writer_gets_its_turns_beside_busy_ones(path: Path, start: Start) -> None:
    for name in ("x", "y"):
        hog = start("hog", name)
        assert hog.stdout
        assert hog.stdout.readline() == "ready\n"
    with closing(SqliteTable(path)) as table:
        for turn in range(100):
            row = table.write(Update(COUNTER, increments={"n": 1}))
            assert (row or {})["n"] == turn + 1


@pytest.mark.parametrize("written", [1, 7, 250])
def test_what_a_killed_writer_had_acknowledged_is_there_and_nothing_is_half_there(
    path: Path, start: Start, written: int
) -> None:
    writers = [start("acknowledge", name) for name in ("a", "b")]
    acknowledged = []
    for writer in writers:
        assert writer.stdout
        lines = [writer.stdout.readline() for _ in range(written)]
        writer.kill()
        # What it told between the last line read and the kill counts as well; a line cut short does not.
        rest = [line for line in writer.communicate()[0].splitlines(keepends=True) if line.endswith("\n")]
        acknowledged.append([line.strip() for line in lines + rest])
    with closing(SqliteTable(path)) as table:
        for name, told in zip(("a", "b"), acknowledged, strict=True):
            left = _sort_keys(table, Query(f"left-{name}", limit=1000))
            assert len(told) >= written
            assert set(told) <= set(left)
            assert left == _sort_keys(table, Query(f"right-{name}", limit=1000))
            assert left == _sort_keys(table, Query(f"list-{name}", index="list", limit=1000))
            assert (table.get(Key("total", name)) or {})["pairs"] == len(left)


def test_a_table_may_be_used_on_both_sides_of_a_fork(path: Path, start: Start) -> None:
    _, errors = (process := start("fork", "f")).communicate()
    assert (process.returncode, errors) == (0, "")
    with closing(SqliteTable(path)) as table:
        assert (table.get(Key("forks", "f")) or {})["n"] == 4


def _sort_keys(table: SqliteTable, query: Query) -> list[object]:
    page = table.query(query)
    found = [row["sk"] for row in page.items]
    return found + (_sort_keys(table, replace(query, cursor=page.cursor)) if page.cursor else [])
