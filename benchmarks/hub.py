"""The hub's own budgets: import time of each function, layer sizes, and the local host with 1,000 documents.

Run by `make bench-hub`. Figures are of this machine and this moment; nothing is asserted.
"""

import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from knowhub_cli.demo import started

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = 1_000
QUERIES = 300
IMPORTS = 7
BUDGET_MS = {"http": 350, "mcp": 350, "a2a": 350, "sync": 250, "reader": 250}
WORDS = re.findall(
    r"\w+",
    """
    index chunk revision tombstone queue worker lambda bucket table stream answer source citation folder state search
    phrase term weight fusion gate reader chunker heading fence sentence boundary overlap size budget deploy stack
    template alarm retention cursor page partition key lease epoch sweep batch retry delay layer
    """,
)


def main() -> None:
    """Measure and print one table after the other."""
    imports()
    layers()
    local_host()


def imports() -> None:
    """Time the import of each function's module in fresh processes with warm bytecode."""
    print(f"import of functions.<name>.app, median of {IMPORTS} fresh processes")
    print(f"{'function':<10}{'ms':>8}{'budget':>8}")
    with tempfile.TemporaryDirectory() as state:
        for name, budget in BUDGET_MS.items():
            times = [_import_ms(name, state) for _ in range(IMPORTS + 1)][1:]
            print(f"{name:<10}{statistics.median(times):>8.0f}{budget:>8}")


def layers() -> None:
    """Build the layers' dependencies for the deploy target and weigh them with the core."""
    print("\nlayers, unzipped")
    core = _size(ROOT / "layers" / "core" / "python" / "knowhub")
    print(f"{'core':<14}{core / 1e6:>8.1f} MB")
    with tempfile.TemporaryDirectory() as target:
        command = [
            *(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--target", target),
            *("--python-platform", "aarch64-manylinux2014", "--python-version", "3.13", "--only-binary", ":all:"),
            *("-r", str(ROOT / "layers" / "dependencies" / "requirements.txt")),
        ]
        subprocess.run(command, check=True)
        dependencies = _size(Path(target))
    print(f"{'dependencies':<14}{dependencies / 1e6:>8.1f} MB")
    print(f"{'together':<14}{(core + dependencies) / 1e6:>8.1f} MB (budget 45)")


def local_host() -> None:
    """Fill a local hub with documents of about 1 KB, then time search and the first byte of an answer."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        with started(Path(folder), lambda _: None) as credentials:
            up = time.perf_counter() - began
            headers = {"Authorization": f"Bearer {credentials['api_key']}"}
            with httpx.Client(base_url=credentials["url"], headers=headers, timeout=60, trust_env=False) as client:
                print(f"\nlocal host: first answer after {up:.1f} s")
                kb_id = client.post("/api/v1/kb", json={"name": "Bench"}).json()["kb_id"]
                _ingest(client, kb_id)
                queries = [" ".join(random.Random(number).choices(WORDS, k=4)) for number in range(QUERIES)]
                _report("search", [_timed(lambda query=query: _search(client, kb_id, query)) for query in queries])
                _report("first SSE byte", [_first_byte(client, kb_id, query) for query in queries])


def _ingest(client: httpx.Client, kb_id: int) -> None:
    chooser = random.Random(7)
    began = time.perf_counter()
    for number in range(DOCUMENTS):
        text = ". ".join(" ".join(chooser.choices(WORDS, k=12)) for _ in range(12))
        body = {"title": f"Document {number}", "text": text}
        client.post(f"/api/v1/kb/{kb_id}/documents", json=body).raise_for_status()
    sent = time.perf_counter() - began
    while _ready(client, kb_id) < DOCUMENTS:
        time.sleep(0.2)
    ready = time.perf_counter() - began
    print(f"{DOCUMENTS} documents of about 1 KB: {DOCUMENTS / sent:.0f}/s taken in by one client, ", end="")
    print(f"{DOCUMENTS / ready:.0f}/s until the last was searchable")


def _ready(client: httpx.Client, kb_id: int) -> int:
    query: dict[str, Any] = {"status": "ready", "page_size": 1}
    return int(client.get(f"/api/v1/kb/{kb_id}/documents", params=query).json()["total"])


def _search(client: httpx.Client, kb_id: int, query: str) -> None:
    client.post(f"/api/v1/kb/{kb_id}/search", json={"query": query}).raise_for_status()


def _first_byte(client: httpx.Client, kb_id: int, question: str) -> float:
    began = time.perf_counter()
    with client.stream("POST", f"/api/v1/kb/{kb_id}/ask", json={"question": question}) as answer:
        pieces = answer.iter_raw()
        next(pieces)
        elapsed = time.perf_counter() - began
        for _ in pieces:
            pass
    return elapsed * 1000


def _timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def _report(what: str, times: list[float]) -> None:
    cuts = statistics.quantiles(times, n=20)
    print(f"{what:<16} p50 {statistics.median(times):6.1f} ms   p95 {cuts[18]:6.1f} ms   ({len(times)} calls)")


def _import_ms(name: str, state: str) -> float:
    code = "import time; began = time.perf_counter(); import app; print((time.perf_counter() - began) * 1000)"
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "PYTHONPATH": os.pathsep.join((str(ROOT / "functions" / name), str(ROOT / "layers" / "core" / "python"))),
        "KNOWHUB_TABLE": f"sqlite:{state}/catalog.sqlite3",
        "KNOWHUB_BUCKET": f"folder:{state}/blobs",
        "KNOWHUB_DOCUMENT_QUEUE": f"sqlite:{state}/queues.sqlite3#DocumentQueue",
        "KNOWHUB_SYNC_QUEUE": f"sqlite:{state}/queues.sqlite3#SyncQueue",
        "KNOWHUB_CHUNK_INDEX": f"tantivy:{state}/chunks",
        "POWERTOOLS_METRICS_NAMESPACE": "bench",
        "POWERTOOLS_SERVICE_NAME": name,
    }
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout))


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


if __name__ == "__main__":
    main()
