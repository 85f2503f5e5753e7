"""One engine in a process of its own: `python -m benchmarks.search_parts.worker MODULE`, a JSON request a line.

Engines take turns query block by query block, so that other work on the machine slows down all of them alike.
"""

import importlib
import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.search_parts.rows import queries
from benchmarks.search_parts.shapes import TOP, Engine


class Worker:
    """Answers requests with one engine."""

    def __init__(self, engine: Engine) -> None:
        """Begin without rows."""
        self._engine = engine
        self._place: Path | None = None
        self._queries: list[Any] = []
        self._vectors: Any = None

    def build(self, rows: str, count: int, store: str) -> dict[str, Any]:
        """Write rows to a new store, and forget the one before."""
        self._engine.close()
        if self._place is not None:
            shutil.rmtree(self._place, ignore_errors=True)
        self._place = Path(store)
        self._place.mkdir(parents=True)
        self._queries, self._vectors = queries(Path(rows))
        began, used = time.perf_counter(), time.process_time()
        self._engine.build(Path(rows), count, self._place)
        seconds, cpu = time.perf_counter() - began, time.process_time() - used
        return {"seconds": seconds, "cpu": cpu, "bytes": _size(self._place)}

    def ask(self, kind: str, numbers: list[int], *, filtered: bool = False, top: int = TOP) -> dict[str, Any]:
        """Answer queries by number, each timed by itself, by the clock and by what all threads of this process used."""
        times, cpu, found = [], [], []
        for number in numbers:
            query, vector = self._queries[number], self._vectors[number]
            began, used = time.perf_counter(), time.process_time()
            ids = self._engine.ask(kind, query, vector, top, filtered=filtered)
            times.append((time.perf_counter() - began) * 1000)
            cpu.append((time.process_time() - used) * 1000)
            found.append(list(ids))
        return {"ms": times, "cpu": cpu, "ids": found, "notes": self._engine.notes(), "rss": _resident()}


def main() -> None:
    """Serve requests until the end of the input."""
    # What libraries print goes elsewhere.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        engine: Engine = importlib.import_module(f"benchmarks.search_parts.with_{sys.argv[1]}").engine(sys.argv[2:])
    except ImportError as error:
        print(json.dumps({"error": f"can't be imported: {error}"}), file=answers, flush=True)
        return
    worker = Worker(engine)
    print(json.dumps({"kinds": list(engine.KINDS)}), file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(worker, request.pop("act"))(**request)
        except Exception as error:  # noqa: BLE001 - a rival's failure is a line in the table
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)
    engine.close()


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _resident() -> int:
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    fields = dict(line.split(":", 1) for line in status.read_text(encoding="utf-8").splitlines())
    return int(fields["VmRSS"].split()[0]) * 1024


if __name__ == "__main__":
    main()
