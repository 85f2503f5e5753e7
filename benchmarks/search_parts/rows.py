"""The rows that every engine gets, in files, so that each process reads the same ones.

<folder>/rows.jsonl      {"id", "kb", "doc", "topic", "title", "text"} a line
<folder>/vectors.npy     a vector of length 1 a row, single precision
<folder>/queries.jsonl   {"text", "topic"} a line
<folder>/query_vectors.npy
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

AT_ONCE = 1000


@dataclass(frozen=True)
class Row:
    """A chunk: what it says, and what it is filtered by."""

    id: str
    kb: int
    doc: str
    topic: str
    title: str
    text: str


@dataclass(frozen=True)
class Query:
    """What is looked for, and the topic that it is narrowed to where a filter is asked for."""

    text: str
    topic: str


def write(folder: Path, rows: Sequence[Row], vectors: Any, queries: Sequence[Query], query_vectors: Any) -> None:
    """Write all four files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in (("rows", rows), ("queries", queries)):
        with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(line), ensure_ascii=False) + "\n" for line in lines)
    np.save(folder / "vectors.npy", np.asarray(vectors, np.float32))
    np.save(folder / "query_vectors.npy", np.asarray(query_vectors, np.float32))


def batches(folder: Path, count: int) -> Iterator[tuple[list[Row], Any]]:
    """Read the first rows with their vectors, `AT_ONCE` at a time."""
    vectors = np.load(folder / "vectors.npy", mmap_mode="r")
    with (folder / "rows.jsonl").open(encoding="utf-8") as file:
        remaining = islice(file, count)
        at = 0
        while lines := list(islice(remaining, AT_ONCE)):
            yield [Row(**json.loads(line)) for line in lines], np.asarray(vectors[at : at + len(lines)])
            at += len(lines)


def queries(folder: Path) -> tuple[list[Query], Any]:
    """Read the queries and their vectors."""
    lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [Query(**json.loads(line)) for line in lines], np.load(folder / "query_vectors.npy")
