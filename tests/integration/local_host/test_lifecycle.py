"""One host a state folder, plain words when it can't start, and nothing left when it ends, however it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest

from knowhub_cli.local import failures
from tests.integration.local_host.hosting import PATIENCE, PROJECT, SOURCE, Running, is_alive, until

REPOSITORY = Path(__file__).parents[3]

PROGRAM = """
import sys
from pathlib import Path
from knowhub_cli.local.running import run
from tests.integration.local_host.hosting import options
root, state, scratch = map(Path, sys.argv[1:4])
chosen = options(scratch, print, grace_seconds=int(sys.argv[4]))
run(root, state, 0, options=chosen, on_ready=lambda host: print("ready", host.url, flush=True))
print("ended", flush=True)
"""


@contextmanager
def host_process(tmp_path: Path, grace_seconds: int = 1) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Run a host as a process of its own; gives it and its URL once it serves."""
    (tmp_path / "scratch").mkdir()
    path = os.pathsep.join(map(str, (SOURCE, REPOSITORY / "infra" / "cli", REPOSITORY)))
    arguments = [str(each) for each in (PROJECT, tmp_path / "state", tmp_path / "scratch", grace_seconds)]
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([path, os.environ.get("PYTHONPATH", "")])},
    ) as process:
        try:
            assert process.stdout is not None
            word, url = process.stdout.readline().split()
            assert word == "ready"
            yield process, url
        finally:
            process.kill()


def get(url: str, path: str) -> httpx.Response:
    return httpx.get(f"{url}{path}", timeout=PATIENCE, trust_env=False)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_host_its_workers_and_what_they_have_started(tmp_path: Path, number: int) -> None:
    with host_process(tmp_path) as (process, url):
        pids = get(url, "/api/child").json()
        assert all(map(is_alive, pids))
        process.send_signal(number)
        assert process.wait(PATIENCE) == 0
        until(lambda: not any(map(is_alive, pids)))
        assert process.stdout is not None
        assert process.stdout.read().splitlines()[-1] == "ended"


def test_a_host_that_is_killed_leaves_no_process(tmp_path: Path) -> None:
    with host_process(tmp_path) as (process, url):
        pids = get(url, "/api/child").json()
        process.kill()
        process.wait(PATIENCE)
        until(lambda: not any(map(is_alive, pids)))


def test_a_killed_watch_is_replaced_before_anything_happens(tmp_path: Path) -> None:
    with host_process(tmp_path) as (process, url):
        pids = get(url, "/api/child").json()
        (watch,) = watches(process.pid)
        os.kill(watch, signal.SIGKILL)
        until(lambda: [each for each in watches(process.pid) if each != watch])
        process.kill()
        process.wait(PATIENCE)
        until(lambda: not any(map(is_alive, pids)))


def watches(host: int) -> list[int]:
    """Find the living processes that kill what a dead host leaves."""
    listed = subprocess.run(["ps", "-ewwo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    found = [line.split(None, 2) for line in listed.splitlines()[1:]]
    return [int(pid) for pid, parent, command in found if int(parent) == host and command.endswith("reaper.py")]


def test_a_worker_that_is_busy_does_not_outlive_a_killed_host(tmp_path: Path) -> None:
    with host_process(tmp_path) as (process, url):
        with pytest.raises(httpx.ReadTimeout):
            httpx.get(f"{url}/api/hang", timeout=1, trust_env=False)
        note = tmp_path / "scratch" / "hanging"
        pid = int(until(lambda: note.exists() and note.read_text(encoding="utf-8")))
        process.kill()
        process.wait(PATIENCE)
        until(lambda: not is_alive(pid))


def refuses(url: str) -> bool:
    try:
        get(url, "/api/x")
    except httpx.TransportError:
        return True
    return False


def test_a_second_signal_ends_a_host_that_waits_for_a_request(tmp_path: Path) -> None:
    with host_process(tmp_path, grace_seconds=3600) as (process, url):
        with pytest.raises(httpx.ReadTimeout):
            httpx.get(f"{url}/api/hang", timeout=1, trust_env=False)
        process.send_signal(signal.SIGINT)
        until(lambda: refuses(url))
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0


def test_a_request_under_way_is_answered_before_the_host_ends(tmp_path: Path) -> None:
    host = Running(tmp_path / "state", tmp_path / "scratch", changes={"grace_seconds": 30})
    with host, httpx.Client(base_url=host.host.url, timeout=PATIENCE, trust_env=False) as client:
        with client.stream("POST", "/api/stream/steps") as response:
            parts = response.iter_raw()
            assert next(parts) == b"one\n"
            stopping = host.begin_stop()
            host.release("second")
            host.release("third")
            assert b"".join(parts) == b"two\nthree\n"
        stopping.result(PATIENCE)
        with pytest.raises(httpx.ConnectError):
            client.get("/api/x")


def test_a_second_host_on_the_same_state_says_who_holds_it(tmp_path: Path) -> None:
    with (
        Running(tmp_path / "state", tmp_path / "scratch"),
        pytest.raises(failures.StateInUse, match=f"process {os.getpid()}"),
        Running(tmp_path / "state", tmp_path / "scratch"),
    ):
        pass


def test_the_state_can_be_served_again_after_the_end(tmp_path: Path) -> None:
    for _ in range(2):
        with Running(tmp_path / "state", tmp_path / "scratch") as host:
            assert host.client.get("/api/x").status_code == 200


def test_a_port_in_use_is_said_plainly(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        port = other.getsockname()[1]
        with (
            pytest.raises(failures.PortInUse, match=f"Port {port} is in use"),
            Running(tmp_path / "state", tmp_path / "scratch", port=port),
        ):
            pass


@pytest.mark.parametrize(
    ("description", "failure", "words"),
    [
        (b'{"schema": 0}', failures.StateSchema, "an older knowhub"),
        (b'{"schema": 99}', failures.StateSchema, "a newer knowhub"),
        (b'{"schema": true}', failures.StateCorrupt, "names no schema"),
        (b"[]", failures.StateCorrupt, "names no schema"),
        (b'{"schema"', failures.StateCorrupt, "damaged"),
        (b"\xff\xfe", failures.StateCorrupt, "damaged"),
    ],
)
def test_a_state_that_is_not_ours_is_refused_and_left_alone(
    tmp_path: Path, description: bytes, failure: type[Exception], words: str
) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (state / "state.json").write_bytes(description)
    with pytest.raises(failure, match=words) as refused, Running(state, tmp_path / "scratch"):
        pass
    assert "\n" not in str(refused.value)
    assert (state / "state.json").read_bytes() == description


def test_a_state_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("mine", encoding="utf-8")
    with (
        pytest.raises(failures.StateUnusable, match="is a file"),
        Running(tmp_path / "state", tmp_path / "scratch"),
    ):
        pass


def test_a_folder_with_somebodys_files_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (state / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(failures.StateCorrupt, match="holds other files"), Running(state, tmp_path / "scratch"):
        pass
    assert [path.name for path in state.iterdir()] == ["thesis.txt"]


def test_a_state_below_a_file_can_not_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(failures.StateUnusable, match="can't be written to"),
        Running(tmp_path / "file" / "state", tmp_path / "scratch"),
    ):
        pass


def test_a_damaged_queue_file_is_named(tmp_path: Path) -> None:
    with Running(tmp_path / "state", tmp_path / "scratch"):
        pass
    for path in (tmp_path / "state").glob("queues.sqlite3*"):
        path.write_bytes(b"no database" * 1000)
    with (
        pytest.raises(failures.StateCorrupt, match=r"queues\.sqlite3"),
        Running(tmp_path / "state", tmp_path / "scratch"),
    ):
        pass


def test_a_damaged_chunk_index_is_said_at_the_start_and_the_rest_is_served(tmp_path: Path) -> None:
    with Running(tmp_path / "state", tmp_path / "scratch") as host:
        assert host.lines == []
    chunks = tmp_path / "state" / "chunks"
    chunks.mkdir(exist_ok=True)
    (chunks / "generations.json").write_text("garbage", encoding="utf-8")
    with Running(tmp_path / "state", tmp_path / "scratch") as host:
        (line,) = host.lines
        assert line.startswith(f"{chunks}: The chunk index is damaged")
        assert host.client.get("/api/x").status_code == 200


def test_a_missing_template_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(failures.TemplateError, match=r"template\.yaml can't be read"),
        Running(tmp_path / "state", tmp_path / "scratch", root=tmp_path),
    ):
        pass


def test_the_state_is_the_persons_own(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with Running(state, tmp_path / "scratch"):
        assert state.stat().st_mode & 0o077 == 0
        assert json.loads((state / "state.json").read_bytes()) == {"schema": 1}
