"""Workers: crashes, bad starts, time-outs, and as many of them as the waiting requests need."""

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from knowhub_cli.local.invocation import BufferedReply, Reply
from knowhub_cli.local.pools import PoolTimes
from tests.integration.local_host.hosting import PROJECT, Running, is_alive, until


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "state", tmp_path / "scratch"


def test_a_worker_that_dies_is_502_and_another_takes_its_place(place: tuple[Path, Path]) -> None:
    with Running(*place) as host:
        assert host.client.get("/api/die").status_code == 502
        assert host.client.get("/api/x").status_code == 200
        assert any("a worker died" in line for line in host.lines)


def pid_of_the_only_worker(host: Running) -> int:
    (worker,) = host.host.pools["WebFunction"]._workers
    assert worker._process is not None
    return worker._process.pid


def test_a_request_that_a_dying_worker_has_not_read_is_answered_by_another(place: tuple[Path, Path]) -> None:
    with Running(*place) as host, ThreadPoolExecutor(1) as callers:
        pid = pid_of_the_only_worker(host)
        os.kill(pid, signal.SIGSTOP)
        call = callers.submit(host.client.get, "/api/x")
        until(lambda: any(worker._invocation for worker in host.host.pools["WebFunction"]._workers))
        os.kill(pid, signal.SIGKILL)
        assert call.result().status_code == 200
        assert any("a worker died" in line for line in host.lines)


def test_a_request_in_the_instant_of_a_workers_death_is_answered_by_another(place: tuple[Path, Path]) -> None:
    event = json.dumps({"path": "/api/x"}).encode()
    with Running(*place) as host:

        async def invoke() -> Reply:
            pid = pid_of_the_only_worker(host)
            os.kill(pid, signal.SIGKILL)
            # The loop is held up here: it can't have heard of the death when the event is handed over.
            until(lambda: not is_alive(pid))
            return await host.host.pools["WebFunction"].invoke(event)

        reply = host.call(invoke())
        assert isinstance(reply, BufferedReply)
        assert json.loads(reply.body)["statusCode"] == 200


def test_a_worker_over_its_time_is_killed_and_replaced(place: tuple[Path, Path]) -> None:
    with Running(*place, changes={"parameters": {"WebSeconds": "1"}}) as host:
        response = host.client.get("/api/hang")
        pid = int((place[1] / "hanging").read_text(encoding="utf-8"))
        assert response.status_code == 502
        assert any("WebFunction took over 1 s" in line for line in host.lines)
        until(lambda: not is_alive(pid))
        assert host.client.get("/api/x").status_code == 200


def test_a_route_over_its_integration_time_is_504_while_the_function_goes_on(place: tuple[Path, Path]) -> None:
    with Running(*place) as host:
        assert host.client.get("/short").status_code == 504
        pid = int((place[1] / "hanging").read_text(encoding="utf-8"))
        assert is_alive(pid)
        host.release("release-hanging")
        assert host.client.get("/api/x").status_code == 200


def test_more_workers_start_when_requests_wait_up_to_the_limit(place: tuple[Path, Path]) -> None:
    with Running(*place) as host, ThreadPoolExecutor(5) as callers:
        calls = [callers.submit(host.client.get, f"/api/meet/{number}") for number in range(5)]
        met = until(lambda: len(found) >= 3 and found if (found := list(place[1].glob("met-*"))) else None)
        assert host.host.pools["WebFunction"].size == 3
        assert len(met) == 3
        host.release("all-met")
        pids = {call.result().json() for call in calls}
        assert len(pids) == 3
        assert all(call.result().status_code == 200 for call in calls)


def test_spare_workers_are_stopped_after_a_while_and_the_first_stays(place: tuple[Path, Path]) -> None:
    times = PoolTimes(idle=0.2, first_pause=0.01, longest_pause=0.1)
    with Running(*place, changes={"times": times}) as host, ThreadPoolExecutor(2) as callers:
        calls = [callers.submit(host.client.get, f"/api/meet/{number}") for number in range(2)]
        until(lambda: len(list(place[1].glob("met-*"))) == 2)
        host.release("all-met")
        pids = {call.result().json() for call in calls}
        until(lambda: host.host.pools["WebFunction"].size == 1)
        until(lambda: sum(is_alive(pid) for pid in pids) == 1)
        assert host.lines == []


def write_broken_project(folder: Path) -> Path:
    code = PROJECT / "functions" / "broken"
    folder.mkdir()
    (folder / "template.yaml").write_text(
        f"""
Resources:
  BrokenFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: {code}
      Handler: app.handler
      Events: {{ Get: {{ Type: Api, Properties: {{ Path: /, Method: GET }} }} }}
""",
        encoding="utf-8",
    )
    return folder


def test_a_function_that_does_not_start_is_named_answered_with_502_and_tried_again(
    tmp_path: Path, place: tuple[Path, Path]
) -> None:
    with Running(*place, root=write_broken_project(tmp_path / "project")) as host:
        assert "RuntimeError: a part is missing" in host.host.broken["BrokenFunction"]
        assert any("BrokenFunction does not start: RuntimeError: a part is missing" in line for line in host.lines)
        assert host.client.get("/").status_code == 502
        host.release("repaired")
        until(lambda: host.client.get("/").status_code == 200)
        assert host.host.broken == {}


def test_a_start_that_takes_too_long_is_given_up(tmp_path: Path, place: tuple[Path, Path]) -> None:
    root = write_broken_project(tmp_path / "project")
    with Running(*place, root=root, changes={"command": ("sleep", "1000"), "init_seconds": 0.1}) as host:
        assert "not ready within 0.1 s" in host.host.broken["BrokenFunction"]


def test_a_start_that_dies_without_a_word_names_the_status_and_the_log(
    tmp_path: Path, place: tuple[Path, Path]
) -> None:
    root = write_broken_project(tmp_path / "project")
    with Running(*place, root=root, changes={"command": ("sh", "-c", "echo why; exit 7")}) as host:
        assert "status 7" in host.host.broken["BrokenFunction"]
        assert "BrokenFunction.log" in host.host.broken["BrokenFunction"]
        until(lambda: "why" in host.log("BrokenFunction"))
