"""The blob folder among processes, some of which are killed."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from knowhub.stores.folder.blobs import FolderBlobs

WORKER = Path(__file__).with_name("worker.py")
SOURCES = Path(__file__).parents[3] / "layers" / "core" / "python"
SIZES = {"a": 3_000_000, "b": 2_000_000}

Start = Callable[[str, str], "subprocess.Popen[str]"]


class SystemClock:
    def now(self) -> float:
        return time.time()


def opened(root: Path) -> FolderBlobs:
    return FolderBlobs(root, public_url="http://127.0.0.1:8010", clock=SystemClock())


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[subprocess.Popen[str]] = []

    def spawn(job: str, argument: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, str(WORKER), job, str(tmp_path), argument],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(SOURCES)},
        )
        running.append(process)
        return process

    yield spawn
    for process in running:
        process.kill()
        process.communicate()


def line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def is_whole(data: bytes) -> bool:
    return any(data == letter.encode() * size for letter, size in SIZES.items())


def test_a_put_that_is_killed_leaves_the_old_bytes_or_the_new(start: Start, tmp_path: Path) -> None:
    chance = random.Random(7)
    interrupted = 0
    for _ in range(8):
        writer = start("replace", "for ever")
        assert line(writer) == "a"
        time.sleep(chance.uniform(0, 0.03))
        writer.kill()
        writer.communicate()
        interrupted += len(list((tmp_path / "unfinished").iterdir()))
        blobs = opened(tmp_path)
        data, info = blobs.get("raw/one"), blobs.stat("raw/one")
        assert info is not None
        assert is_whole(data)
        assert (info.size, info.content_type) == (len(data), f"text/{chr(data[0])}")
        assert list((tmp_path / "unfinished").iterdir()) == []
        assert blobs.list("").keys == ("raw/one",)
    assert interrupted > 0


def test_a_reader_never_sees_a_mixture_of_two_writers(start: Start, tmp_path: Path) -> None:
    writers = [start("replace", "25") for _ in range(2)]
    for writer in writers:
        assert line(writer) == "a"
    blobs = opened(tmp_path)
    reads = 0
    while any(writer.poll() is None for writer in writers):
        assert is_whole(blobs.get("raw/one"))
        reads += 1
    assert [writer.wait() for writer in writers] == [0, 0]
    assert is_whole(blobs.get("raw/one"))
    assert reads > 0
    assert list((tmp_path / "unfinished").iterdir()) == []


def test_writers_and_removers_of_one_folder_do_not_disturb_each_other(start: Start, tmp_path: Path) -> None:
    workers = [start("churn", f"shared/deep/folder/{name}") for name in "xyz"]
    assert [worker.wait() for worker in workers] == [0, 0, 0]
    assert list((tmp_path / "blobs").iterdir()) == []


def test_processes_that_start_together_agree_on_the_secret(start: Start, tmp_path: Path) -> None:
    signers = [start("sign", "uploads/1") for _ in range(3)]
    for signer in signers:
        assert line(signer) == "ready"
    for signer in signers:
        assert signer.stdin is not None
        signer.stdin.write("go\n")
        signer.stdin.flush()
    assert all(len(line(signer)) == 64 for signer in signers)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["blobs", "unfinished", "upload-secret"]
