"""One measurement in a process of its own: `python -m benchmarks.reading_parts.measure REQUEST ANSWER`.

The request is a JSON file that names a library's module, what of it to measure, and the inputs; so is the answer. The
best of several runs counts, after one that warms up; collecting garbage is left as the library has it.
"""

import importlib
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.reading_parts.shapes import Chunker, Readers

RUNS = 3
_WARM = 4
"""Inputs of the run that warms up."""


def main() -> None:
    """Answer the request; a library that can't be imported is an answer as well."""
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    try:
        library: Any = importlib.import_module(f"benchmarks.reading_parts.with_{request['library']}")
    except ImportError as error:
        answer: dict[str, Any] = {"error": f"can't be imported: {error}"}
    else:
        answer = _ACTS[request["act"]](library, request)
    Path(sys.argv[2]).write_text(json.dumps(answer), encoding="utf-8")


def _names(library: Any, _: dict[str, Any]) -> dict[str, Any]:
    return {"chunkers": list(library.CHUNKERS), "readers": list(library.READERS)}


def _chunk(library: Any, request: dict[str, Any]) -> dict[str, Any]:
    chunker = library.CHUNKERS[request["name"]](request["size"])
    texts = [Path(path).read_bytes().decode("utf-8") for path in request["files"]]
    seconds, chunked = _best([partial(_cut, chunker, text) for text in texts])
    shown = [[chunker.shown(chunk) for chunk in chunks] for chunks in chunked]
    own = [[chunker.own(chunk) for chunk in chunks] for chunks in chunked] if chunker.own else shown
    return {"seconds": seconds, "chunks": shown, "own": own, "headings": chunker.headings}


def _cut(chunker: Chunker, text: str) -> list[Any]:
    return list(chunker.cut(text))


def _read(library: Any, request: dict[str, Any]) -> dict[str, Any]:
    readers: Readers = library.apart() if request.get("apart") else library.READERS
    read = readers[request["name"]]
    files = [(Path(path).read_bytes(), Path(path)) for path in request["files"]]
    seconds, texts = _best([partial(read, data, path) for data, path in files])
    return {"seconds": seconds, "characters": sum(len("".join(text.split())) for text in texts)}


def _best(acts: list[Callable[[], Any]]) -> tuple[float, list[Any]]:
    for act in acts[:_WARM]:
        act()
    times = []
    results: list[Any] = []
    for _ in range(RUNS):
        results = []
        began = time.perf_counter()
        for act in acts:
            results.append(act())
        times.append(time.perf_counter() - began)
    return min(times), results


_ACTS: dict[str, Callable[[Any, dict[str, Any]], dict[str, Any]]] = {"names": _names, "chunk": _chunk, "read": _read}

if __name__ == "__main__":
    main()
