"""The hub's search beside other engines: the same rows, the same queries, in turns, each in a process of its own.

Run by `make bench-search`. LanceDB and Chroma have environments of their own, `.tools/bench-lancedb` and
`.tools/bench-chroma`; SQLite is Python's. Figures are of this machine and this moment; nothing is asserted.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.search_parts import corpus, judged
from benchmarks.search_parts.shapes import TOP

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("keyword", "exact", "vector", "hybrid")
BLOCK = 10
"""Queries that an engine answers before the next one has its turn."""

LEGEND = f"""\
Rows are chunks of 1 KB in 20 knowledge bases, made up by Zipf's law, one in eight Chinese. Vectors (512 numbers) are
random directions around 200 topics: no model made them. Ten hits are asked for, with their texts; times are in ms.
rows/s      analysis, writing and indexing until everything is durable and can be found; no embedding
filter      one row in twenty passes it
exact top   share of the {TOP} nearest rows that a vector search found (knowhub and LanceDB scan, Chroma has a graph)
cpu         what all threads of the engine's process used (not that of an OpenSearch), which other work changes less
legs, fetching, kernel   the hub's time in its engine's legs and in reading chunks, and the cpu time of all the rest
bars        knowhub embedded at 100,000 rows: keyword p50 <= 5 ms, hybrid p50 <= 35 ms, >= 5,000 rows/s"""


@dataclass
class Taken:
    """An engine's times at one size by kind and filter, with its notes, and what it found without a filter."""

    ms: dict[tuple[str, bool], list[float]] = field(default_factory=dict)
    cpu: dict[tuple[str, bool], list[float]] = field(default_factory=dict)
    notes: dict[tuple[str, bool], dict[str, list[float]]] = field(default_factory=dict)
    found: dict[str, list[list[str]]] = field(default_factory=dict)
    resident: int = 0


class Rival:
    """One engine's process."""

    def __init__(self, name: str, python: Path, arguments: Sequence[str]) -> None:
        """Start it and learn how it can be asked; `error` says why there is none."""
        self.name = name
        self.kinds: tuple[str, ...] = ()
        self.error: str | None = None
        self._process: subprocess.Popen[str] | None = None
        if not python.is_file():
            self.error = f"not installed: `make {python.parent.parent.relative_to(ROOT)}/.stamp` says why"
            return
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
        self._process = subprocess.Popen(
            [str(python), "-m", "benchmarks.search_parts.worker", *arguments],
            cwd=ROOT, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._learn(self._read())

    def tell(self, **request: Any) -> dict[str, Any]:
        """Have a request answered; an error is an answer as well, and the engine's last."""
        if self._process is None or self._process.stdin is None or self.error:
            return {"error": self.error or "it is not running"}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._read()
        self.error = answer.get("error")
        return answer

    def close(self) -> None:
        """End it by ending its input."""
        if self._process is None or self._process.stdin is None:
            return
        self._process.stdin.close()
        self._process.wait(60)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _learn(self, answer: Mapping[str, Any]) -> None:
        self.kinds, self.error = tuple(answer.get("kinds", ())), answer.get("error")

    def _read(self) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process and self._process.stdout else ""
        answer: dict[str, Any] = json.loads(line) if line else {"error": "it died"}
        return answer


def main() -> None:
    """Measure at both sizes, then judge the rankings where there is a collection."""
    options = _options()
    print(LEGEND)
    with tempfile.TemporaryDirectory(prefix="knowhub-bench-") as folder, _rivals(options) as rivals:
        corpus.make(Path(folder, "rows"), options.chunks, options.queries)
        grown = {
            count: measured(rivals, Path(folder), count, options.queries)
            for count in (options.chunks // 10, options.chunks)
        }
        growth(rivals, grown)
        if options.data is not None:
            judge(rivals, Path(folder), options.data, options.vectors)


def measured(rivals: Sequence[Rival], folder: Path, count: int, asked: int) -> dict[str, Taken]:
    """Build every engine's store, then ask them in turns; print both tables."""
    print(f"\n{count} rows\n{'':<24}{'rows/s':>9}{'a cpu s':>9}{'MB':>8}")
    for rival in rivals:
        answer = rival.tell(
            act="build", rows=str(folder / "rows"), count=count, store=str(folder / f"{rival.name} {count}")
        )
        shown = answer.get("error") or _built(count, answer)
        print(f"{rival.name:<24}{shown}", flush=True)
    taken = {rival.name: Taken() for rival in rivals}
    for rival, kind, filtered, numbers in _turns(rivals, asked):
        _ask(rival, taken[rival.name], kind, numbers, filtered=filtered)
    for rival in rivals:
        times(rival, taken[rival.name], _nearest(folder / "rows", count))
    return taken


def times(rival: Rival, taken: Taken, nearest: Sequence[Sequence[str]]) -> None:
    """Print an engine's times."""
    print(f"{rival.name}: {rival.error or f'{taken.resident / 1e6:.0f} MB resident'}")
    for (kind, filtered), ms in sorted(taken.ms.items(), key=lambda one: (KINDS.index(one[0][0]), one[0][1])):
        line = f"  {kind:<9}{'filter' if filtered else '':<8}p50 {statistics.median(ms):>7.1f}  p95 {_p95(ms):>7.1f}"
        line += f"  cpu {statistics.median(taken.cpu[kind, filtered]):>7.1f}"
        notes = taken.notes[kind, filtered]
        line += "".join(f"  {name} {statistics.median(figures):.1f}" for name, figures in notes.items())
        if kind == "vector" and not filtered:
            shares = [len({*found} & {*exact}) / TOP for found, exact in zip(taken.found[kind], nearest, strict=True)]
            line += f"  exact top {statistics.fmean(shares):.3f}"
        print(line)


def growth(rivals: Sequence[Rival], grown: Mapping[int, Mapping[str, Taken]]) -> None:
    """Print how many times as long a search takes in ten times as many rows."""
    small, large = (grown[count] for count in sorted(grown))
    print(f"\nmedian cpu time at {max(grown)} rows over that at {min(grown)}")
    for rival in rivals:
        ratios = [
            f"{kind}{' filter' if filtered else ''} {statistics.median(cpu) / statistics.median(before):.1f}"
            for (kind, filtered), cpu in large[rival.name].cpu.items()
            if (before := small[rival.name].cpu.get((kind, filtered)))
        ]
        print(f"{rival.name:<24}{', '.join(ratios)}")


def judge(rivals: Sequence[Rival], folder: Path, data: Path, vectors: Path) -> None:
    """Print nDCG@10 of every engine on one collection: the hub's chunks and vectors for all of them."""
    collection = judged.write(folder / "judged", data, vectors)
    print(f"\nnDCG@10 on {collection.name}: {collection.rows} chunks, of which a document's best counts")
    for rival in rivals:
        rival.tell(
            act="build", rows=str(folder / "judged"), count=collection.rows, store=str(folder / f"{rival.name} judged")
        )
        figures = []
        for kind in rival.kinds:
            answer = rival.tell(act="ask", kind=kind, numbers=list(range(len(collection.grades))), top=30)
            figures.append(f"{kind} {collection.ndcg(answer['ids']):.4f}" if "ids" in answer else f"{kind} failed")
        print(f"{rival.name:<24}{rival.error or ', '.join(figures)}", flush=True)


def _built(count: int, answer: Mapping[str, Any]) -> str:
    size = f"{answer['bytes'] / 1e6:>8.0f}" if answer["bytes"] else f"{'-':>8}"
    return f"{count / answer['seconds']:>9.0f}{count / answer['cpu']:>9.0f}{size}"


def _turns(rivals: Sequence[Rival], asked: int) -> Iterator[tuple[Rival, str, bool, list[int]]]:
    """Let the engines take turns, block by block; a first block of each kind only warms up."""
    for start in range(0, asked, BLOCK):
        for kind in KINDS:
            for filtered in (False, True):
                for rival in rivals:
                    if kind in rival.kinds and rival.error is None:
                        yield rival, kind, filtered, list(range(start, min(start + BLOCK, asked)))


def _ask(rival: Rival, taken: Taken, kind: str, numbers: list[int], *, filtered: bool) -> None:
    if (kind, filtered) not in taken.ms:
        rival.tell(act="ask", kind=kind, numbers=numbers, filtered=filtered)
    answer = rival.tell(act="ask", kind=kind, numbers=numbers, filtered=filtered)
    if "error" in answer:
        return
    taken.ms.setdefault((kind, filtered), []).extend(answer["ms"])
    taken.cpu.setdefault((kind, filtered), []).extend(answer["cpu"])
    notes = taken.notes.setdefault((kind, filtered), {})
    for name, figures in answer["notes"].items():
        # Those of the block that warmed up come first.
        notes.setdefault(name, []).extend(figures[-len(numbers) :])
    if not filtered:
        taken.found.setdefault(kind, []).extend(answer["ids"])
    taken.resident = answer["rss"]


def _nearest(rows: Path, count: int) -> list[list[str]]:
    """Scan for what is really nearest to each query."""
    vectors = np.load(rows / "vectors.npy", mmap_mode="r")[:count]
    with (rows / "rows.jsonl").open(encoding="utf-8") as file:
        ids = [json.loads(line)["id"] for line, _ in zip(file, range(count), strict=False)]
    return [[ids[at] for at in np.argsort(-(vectors @ query))[:TOP]] for query in np.load(rows / "query_vectors.npy")]


def _p95(ms: Sequence[float]) -> float:
    return statistics.quantiles(ms, n=20)[18]


@contextmanager
def _rivals(options: argparse.Namespace) -> Iterator[list[Rival]]:
    """Start the engines that are wanted, with a node of OpenSearch where one is asked for."""
    here = Path(sys.executable)
    wanted = [("knowhub", here, ["knowhub"])]
    with ExitStack() as opened:
        url = options.opensearch
        if url == "node":
            # Its parts are gathered with Maven once, which nobody needs who does not ask for it.
            from tests.opensearch.node import node  # noqa: PLC0415 - see above

            url = opened.enter_context(node()).url
        if url:
            wanted.append(("knowhub on OpenSearch", here, ["knowhub", url]))
        wanted.append(("SQLite FTS5", here, ["fts5"]))
        for name, module in (("LanceDB", "lancedb"), ("Chroma", "chroma")):
            wanted.append((name, ROOT / ".tools" / f"bench-{module}" / "bin" / "python", [module]))
        chosen = [one for one in wanted if options.only.lower() in one[0].lower()]
        rivals = [Rival(*one) for one in chosen]
        try:
            yield rivals
        finally:
            for rival in rivals:
                rival.close()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000, help="rows; a tenth of them is measured too")
    parser.add_argument("--queries", type=int, default=100, help="queries of each kind, with and without a filter")
    parser.add_argument("--only", default="", help="only engines with these letters in their name")
    parser.add_argument("--opensearch", default="", help="an engine's URL, or `node` to start one for this run")
    parser.add_argument("--data", type=Path, help="a collection as BEIR lays it out, to judge the rankings with")
    parser.add_argument(
        "--vectors",
        type=Path,
        default=Path(tempfile.gettempdir(), "knowhub-bench-vectors"),
        help="where embeddings of the collection are kept for the next run",
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
