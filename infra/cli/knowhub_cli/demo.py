"""`knowhub demo`: the whole way once on a throw-away hub, over every protocol, with a check at each step."""

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

QUESTIONS = ("How long is the tombstone of a deleted document kept?", "删除文档之后会发生什么？")
KB = "Handbook"
_START_SECONDS = 60.0
_STOP_SECONDS = 20.0


class DemoFailed(Exception):
    """A step did not show what it should."""


@dataclass(frozen=True, slots=True)
class Reached:
    """What one protocol found for a question: the sources' chunk ids in order, and the answer."""

    protocol: str
    chunk_ids: tuple[str, ...]
    answer: str


def run(root: Path, say: Callable[[str], None]) -> None:
    """Start a hub on a free port, ingest `docs/`, ask, compare, delete, compare again, stop; raises `DemoFailed`."""
    with tempfile.TemporaryDirectory(prefix="knowhub-demo-") as folder, started(Path(folder), say) as credentials:
        headers = {"Authorization": f"Bearer {credentials['api_key']}"}
        with httpx.Client(base_url=credentials["url"], headers=headers, timeout=60, trust_env=False) as client:
            _ingest(root, credentials, say)
            kb_id = _kb_id(client)
            for question in QUESTIONS:
                _show_question(client, kb_id, question, say)
            _delete_and_show(client, kb_id, QUESTIONS[-1], say)
    say("Stopped. Everything was as it should be.")


@contextmanager
def started(folder: Path, say: Callable[[str], None]) -> Iterator[dict[str, str]]:
    """Run a hub on a free port with its state in a folder, and stop it at the end; gives its credentials."""
    state = folder / "state"
    command = [sys.executable, "-m", "knowhub_cli", "up", "--port", "0", "--state", str(state), "--no-samples"]
    log = folder / "up.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)  # noqa: S603 - our own command
        try:
            credentials = _wait_until_ready(process, state, log)
            say(f"A hub is up at {credentials['url']}, in a temporary folder")
            yield credentials
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    if process.returncode != 0:
        raise DemoFailed(f"the hub ended with status {process.returncode}")


def _wait_until_ready(process: "subprocess.Popen[bytes]", state: Path, log: Path) -> dict[str, str]:
    deadline = time.monotonic() + _START_SECONDS
    path = state / "credentials.json"
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        if path.exists():
            credentials: dict[str, str] = json.loads(path.read_text())
            if _answers(credentials["url"]):
                return credentials
        time.sleep(0.1)
    raise DemoFailed(f"the hub did not start:\n{log.read_text(errors='replace')[-2000:]}")


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/api/v1/health", timeout=5, trust_env=False).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


def _ingest(root: Path, credentials: dict[str, str], say: Callable[[str], None]) -> None:
    say("\n$ knowhub ingest docs --kb Handbook")
    reach = ["--url", credentials["url"], "--key", credentials["api_key"]]
    command = [sys.executable, "-m", "knowhub_cli", *reach, "ingest", str(root / "docs"), "--kb", KB]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    say(done.stdout.strip())
    if done.returncode != 0:
        raise DemoFailed(f"ingest ended with status {done.returncode}: {done.stderr.strip()}")


def _kb_id(client: httpx.Client) -> int:
    items = _json(client.get("/api/v1/kb"))["items"]
    return int(next(kb["kb_id"] for kb in items if kb["name"] == KB))


def _show_question(client: httpx.Client, kb_id: int, question: str, say: Callable[[str], None]) -> None:
    say(f"\n? {question}")
    reached = [ask(client, kb_id, question) for ask in (ask_http, ask_mcp, ask_a2a)]
    say(f"  {reached[0].answer}")
    for one in reached:
        say(f"  {one.protocol:<5} {len(one.chunk_ids)} sources, first {one.chunk_ids[0] if one.chunk_ids else '-'}")
    if not reached[0].chunk_ids or len({(one.chunk_ids, one.answer) for one in reached}) != 1:
        raise DemoFailed("the protocols do not agree")
    found = [search_http(client, kb_id, question), search_mcp(client, kb_id, question)]
    if found[0] != found[1] or found[0] != reached[0].chunk_ids:
        raise DemoFailed("search over HTTP and MCP do not agree")
    say("  the same sources, in the same order, over HTTP, MCP and A2A")


def _delete_and_show(client: httpx.Client, kb_id: int, question: str, say: Callable[[str], None]) -> None:
    doc_id = ask_http(client, kb_id, question).chunk_ids[0].partition(":")[0]
    say(f"\n$ DELETE /api/v1/documents/{doc_id}")
    client.delete(f"/api/v1/documents/{doc_id}").raise_for_status()
    if client.get(f"/api/v1/documents/{doc_id}").status_code != httpx.codes.NOT_FOUND:
        raise DemoFailed("the deleted document is still shown")
    for ask in (ask_http, ask_mcp, ask_a2a):
        one = ask(client, kb_id, question)
        left = [chunk_id for chunk_id in one.chunk_ids if chunk_id.startswith(f"{doc_id}:")]
        say(f"  {one.protocol:<5} {len(left)} sources of the deleted document")
        if left:
            raise DemoFailed("the deleted document is still found")


def ask_http(client: httpx.Client, kb_id: int, question: str) -> Reached:
    """Ask over HTTP and read the events."""
    answer = client.post(f"/api/v1/kb/{kb_id}/ask", json={"question": question})
    answer.raise_for_status()
    events = dict(_event(block) for block in answer.text.split("\n\n") if block.startswith("event: "))
    sources = tuple(source["chunk_id"] for source in events["sources"]["sources"])
    return Reached("HTTP", sources, events["done"]["answer"])


def ask_mcp(client: httpx.Client, kb_id: int, question: str) -> Reached:
    """Ask through the MCP tool."""
    found = _tool(client, "ask_kb", {"kb_id": kb_id, "question": question})
    return Reached("MCP", tuple(source["chunk_id"] for source in found["sources"]), found["answer"])


def ask_a2a(client: httpx.Client, kb_id: int, question: str) -> Reached:
    """Ask as another agent does."""
    params = {
        "skill": "answer",
        "kb_id": kb_id,
        "message": {"role": "user", "parts": [{"kind": "text", "text": question}]},
    }
    call = {"jsonrpc": "2.0", "id": 1, "method": "tasks/send", "params": params}
    task = _json(client.post("/a2a/tasks", json=call))["result"]
    sources = tuple(source["chunk_id"] for source in task["metadata"]["sources"])
    return Reached("A2A", sources, task["artifacts"][0]["parts"][0]["text"])


def search_http(client: httpx.Client, kb_id: int, query: str) -> tuple[str, ...]:
    """Search over HTTP."""
    found = _json(client.post(f"/api/v1/kb/{kb_id}/search", json={"query": query}))
    return tuple(hit["chunk_id"] for hit in found["hits"])


def search_mcp(client: httpx.Client, kb_id: int, query: str) -> tuple[str, ...]:
    """Search through the MCP tool."""
    found = _tool(client, "search_kb", {"kb_id": kb_id, "query": query})
    return tuple(hit["chunk_id"] for hit in found["hits"])


def _tool(client: httpx.Client, name: str, arguments: dict[str, Any]) -> Any:
    params = {"name": name, "arguments": arguments}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return _json(client.post("/mcp", json=call))["result"]["structuredContent"]


def _json(answer: httpx.Response) -> Any:
    answer.raise_for_status()
    return answer.json()


def _event(block: str) -> tuple[str, Any]:
    name, _, data = block.partition("\ndata: ")
    return name.removeprefix("event: "), json.loads(data)
