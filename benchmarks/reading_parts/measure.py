"""One chunker or reader in a process of its own: `python -m benchmarks.reading_parts.measure REQUEST ANSWER`.

The request is a JSON file that names a library's module, what of it to measure, and the inputs. After a warm-up the
process says `ready`; for every line `pass` on its standard input it goes over all inputs once and says how many seconds
that took; at `end` it writes what it found to the answer, a JSON file. So several of them take turns. Chunkers, which
compute and nothing else, are measured in seconds of the processor, all threads together, so that other work on the
machine counts less; readers in seconds of the clock, since some wait for a process of their own. Collecting garbage is
left as the library has it.
"""

import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from benchmarks.reading_parts.shapes import Chunker, Readers

_WARM = 4
"""Inputs of the pass that warms up."""


class Task(NamedTuple):
    """What one pass does, how its results are told, and what its seconds are taken from."""

    acts: list[Callable[[], Any]]
    told: Callable[[list[Any]], dict[str, Any]]
    clock: Callable[[], float]


def main() -> None:
    """Answer the request; a library that can't be imported is an answer as well."""
    # Whatever a library prints goes elsewhere.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    answer: dict[str, Any]
    try:
        library: Any = importlib.import_module(f"benchmarks.reading_parts.with_{request['library']}")
    except ImportError as error:
        answer = {"error": f"can't be imported: {error}"}
    else:
        answer = (
            _names(library) if request["act"] == "names" else _passes(_TASKS[request["act"]](library, request), out)
        )
    Path(sys.argv[2]).write_text(json.dumps(answer), encoding="utf-8")


def _names(library: Any) -> dict[str, Any]:
    return {"chunkers": list(library.CHUNKERS), "readers": list(library.READERS)}


def _passes(task: Task, out: TextIO) -> dict[str, Any]:
    for act in task.acts[:_WARM]:
        act()
    print("ready", file=out, flush=True)
    results: list[Any] = []
    for line in sys.stdin:
        if line.strip() == "end":
            break
        results = []
        began = task.clock()
        for act in task.acts:
            results.append(act())
        print(task.clock() - began, file=out, flush=True)
    return task.told(results)


def _chunk(library: Any, request: dict[str, Any]) -> Task:
    chunker = library.CHUNKERS[request["name"]](request["size"])
    texts = [Path(path).read_bytes().decode("utf-8") for path in request["files"]]
    return Task([partial(_cut, chunker, text) for text in texts], partial(_chunks_told, chunker), time.process_time)


def _cut(chunker: Chunker, text: str) -> list[Any]:
    return list(chunker.cut(text))


def _chunks_told(chunker: Chunker, chunked: list[Any]) -> dict[str, Any]:
    shown = [[chunker.shown(chunk) for chunk in chunks] for chunks in chunked]
    own = [[chunker.own(chunk) for chunk in chunks] for chunks in chunked] if chunker.own else shown
    return {"chunks": shown, "own": own, "headings": chunker.headings, "capped": chunker.capped}


def _read(library: Any, request: dict[str, Any]) -> Task:
    readers: Readers = library.apart() if request.get("apart") else library.READERS
    read = readers[request["name"]]
    files = [(Path(path).read_bytes(), Path(path)) for path in request["files"]]
    return Task([partial(read, data, path) for data, path in files], _texts_told, time.perf_counter)


def _texts_told(texts: list[str]) -> dict[str, Any]:
    return {"characters": sum(len("".join(text.split())) for text in texts)}


_TASKS: dict[str, Callable[[Any, dict[str, Any]], Task]] = {"chunk": _chunk, "read": _read}

if __name__ == "__main__":
    main()
