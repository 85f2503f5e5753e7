"""The whole hub as a person runs it: the real template, real processes, real sockets."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0
Found = TypeVar("Found")
COMMAND = (sys.executable, "-m", "knowhub_cli")
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join((str(ROOT / "layers" / "core" / "python"), str(ROOT / "infra" / "cli"))),
}


class Hub:
    """A running hub, its client, and the process that it is."""

    def __init__(self, process: "subprocess.Popen[bytes]", client: httpx.Client, credentials: dict[str, str]) -> None:
        self.process = process
        self.client = client
        self.credentials = credentials

    def json(self, method: str, path: str, **options: Any) -> Any:
        """Call the API and give the answer's body; anything but success fails the test."""
        answer = self.client.request(method, f"/api/v1{path}", **options)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def kill_everything(self) -> None:
        """Kill the host and every process that it started, at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def running(state: Path, *options: str) -> Iterator[Hub]:
    """Run `knowhub up` in a process group of its own; an end by SIGTERM must be clean."""
    log_path = state.with_suffix(".log")
    before = (state / "credentials.json").stat().st_mtime_ns if (state / "credentials.json").exists() else 0
    with log_path.open("ab") as log:
        process = subprocess.Popen(
            [*COMMAND, "up", "--port", "0", "--state", str(state), "--no-samples", *options],
            stdout=log,
            stderr=log,
            env=ENVIRONMENT,
            cwd=ROOT,
            start_new_session=True,
        )
        try:
            credentials = wait_for(lambda: _credentials(state, before, process))
            headers = {"Authorization": f"Bearer {credentials['api_key']}"}
            with httpx.Client(base_url=credentials["url"], headers=headers, timeout=60, trust_env=False) as client:
                yield Hub(process, client, credentials)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(30)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _credentials(state: Path, before: int, process: "subprocess.Popen[bytes]") -> dict[str, str] | None:
    assert process.poll() is None, state.with_suffix(".log").read_text()
    path = state / "credentials.json"
    # The port is free to change with each start, and the file with it.
    if not path.exists() or path.stat().st_mtime_ns == before:
        return None
    credentials: dict[str, str] = json.loads(path.read_text())
    return credentials


def wait_for(look: Callable[[], Found | None]) -> Found:
    """Look until something is found; a test that waits for longer than anybody would has failed."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = look()
        if found is not None:
            return found
        time.sleep(0.05)
    raise AssertionError("nothing came of it")


def add(hub: Hub, kb: int, number: int) -> str:
    body = {"title": f"Note {number}", "text": f"walrus number{number} " * 200, "external_id": str(number)}
    return str(hub.json("POST", f"/kb/{kb}/documents", json=body)["doc_id"])


def all_ready(hub: Hub, kb: int, expected: int) -> bool | None:
    listed = hub.json("GET", f"/kb/{kb}/documents", params={"status": "ready", "page_size": 1})
    return True if listed["total"] == expected else None


def reader_processes(hub: Hub) -> list[int]:
    """Find the reader's workers among the host's process group."""
    listed = subprocess.run(["ps", "-eo", "pid,pgid,args"], capture_output=True, text=True, check=True).stdout
    found = [line.split(None, 2) for line in listed.splitlines()[1:]]
    group = [int(pid) for pid, pgid, _ in found if int(pgid) == hub.process.pid]
    return [pid for pid in group if "ReaderFunction" in Path(f"/proc/{pid}/environ").read_text(errors="replace")]


def test_every_acknowledged_document_survives_a_kill_of_every_process(tmp_path: Path) -> None:
    with running(tmp_path / "state") as hub:
        kb = hub.json("POST", "/kb", json={"name": "Notes"})["kb_id"]
        acknowledged: list[str] = []

        def send(number: int) -> None:
            with suppress(httpx.TransportError):
                acknowledged.append(add(hub, kb, number))

        with ThreadPoolExecutor(4) as senders:
            for number in range(60):
                senders.submit(send, number)
            wait_for(lambda: len(acknowledged) >= 20 or None)
            hub.kill_everything()
    assert 20 <= len(acknowledged) < 60
    with running(tmp_path / "state") as hub:
        wait_for(lambda: all(_status(hub, doc_id) == "ready" for doc_id in acknowledged) or None)
        hits = hub.json("POST", f"/kb/{kb}/search", json={"query": "walrus", "top_k": 50})["hits"]
        assert len({hit["chunk_id"] for hit in hits}) == len(hits)


def _status(hub: Hub, doc_id: str) -> str:
    return str(hub.json("GET", f"/documents/{doc_id}")["status"])


def test_a_reader_that_dies_leaves_each_document_once_visible(tmp_path: Path) -> None:
    with running(tmp_path / "state") as hub:
        kb = hub.json("POST", "/kb", json={"name": "Notes"})["kb_id"]
        for number in range(30):
            add(hub, kb, number)
            if number % 10 == 5:
                for pid in reader_processes(hub):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: all_ready(hub, kb, 30))
        for number in range(30):
            query = {"query": f'"number{number}"', "top_k": 50, "mode": "exact"}
            hits = hub.json("POST", f"/kb/{kb}/search", json=query)["hits"]
            doc_ids = {hit["doc_id"] for hit in hits}
            assert len(doc_ids) == 1
            chunks = hub.json("GET", f"/documents/{doc_ids.pop()}/chunks?page_size=200")["items"]
            # A search shows a text once, however often a document repeats it.
            assert sorted(_said(hit) for hit in hits) == sorted({_said(chunk) for chunk in chunks})


def test_a_stopped_hub_leaves_no_process_and_its_next_start_finds_the_data(tmp_path: Path) -> None:
    with running(tmp_path / "state") as hub:
        kb = hub.json("POST", "/kb", json={"name": "Notes"})["kb_id"]
        add(hub, kb, 1)
        wait_for(lambda: all_ready(hub, kb, 1))
        first = hub.credentials
        hub.process.send_signal(signal.SIGINT)
        assert hub.process.wait(30) in {0, 130}
        with pytest.raises(ProcessLookupError):
            os.killpg(hub.process.pid, 0)
    with running(tmp_path / "state") as hub:
        assert {**hub.credentials, "url": None} == {**first, "url": None}
        assert hub.json("POST", f"/kb/{kb}/search", json={"query": "walrus"})["hits"]


def test_the_first_start_keeps_its_credentials_for_the_owner_only_and_prints_what_to_try(tmp_path: Path) -> None:
    with running(tmp_path / "state") as hub:
        path = tmp_path / "state" / "credentials.json"
        assert path.stat().st_mode & 0o777 == 0o600
        assert set(hub.credentials) == {"url", "username", "password", "api_key"}
        printed = wait_for(lambda: _printed(tmp_path / "state", "agent card"))
        for line in (hub.credentials["api_key"], f"{hub.credentials['url']}/mcp", "curl"):
            assert line in printed


def _said(shown: Any) -> str:
    return "".join(shown["text"].casefold().split())


def _printed(state: Path, last: str) -> str | None:
    text = state.with_suffix(".log").read_text()
    return text if last in text else None


def test_an_answer_streams_over_the_real_host(tmp_path: Path) -> None:
    with running(tmp_path / "state") as hub:
        kb = hub.json("POST", "/kb", json={"name": "Notes"})["kb_id"]
        add(hub, kb, 1)
        wait_for(lambda: all_ready(hub, kb, 1))
        with hub.client.stream("POST", f"/api/v1/kb/{kb}/ask", json={"question": "walrus?"}) as answer:
            assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
            assert "content-encoding" not in answer.headers
            lines = [line for line in answer.iter_lines() if line.startswith("event: ")]
        assert (lines[0], lines[-1]) == ("event: sources", "event: done")


def test_the_demo_goes_the_whole_way(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "demo"],
        capture_output=True,
        text=True,
        env={**ENVIRONMENT, "TMPDIR": str(tmp_path)},
        cwd=ROOT,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("the same sources, in the same order, over HTTP, MCP and A2A") == 2
    assert list(tmp_path.iterdir()) == []
