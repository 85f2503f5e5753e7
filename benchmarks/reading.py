"""Chunkers and readers beside those of other libraries, on the same files, each in a process of its own.

Run by `make bench-reading`. The other libraries have an environment of their own, `.tools/bench-reading`; one that is
missing there is a line that says so. Figures are of this machine and this moment; nothing is asserted.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.reading_parts import files, markdown_corpus
from benchmarks.reading_parts.counts import Counts, count
from benchmarks.reading_parts.shapes import CUT_AT, GIVEN
from benchmarks.reading_parts.words import CHINESE, ENGLISH, Writer

ROOT = Path(__file__).resolve().parent.parent
OTHERS = ROOT / ".tools" / "bench-reading" / "bin" / "python"
LIBRARIES = {
    "chonkie": "chonkie",
    "langchain": "langchain-text-splitters",
    "llama_index": "llama-index-core",
    "semantic": "semantic-text-splitter",
    "pypdf": "pypdf",
    "docx": "python-docx",
    "openpyxl": "openpyxl",
}
CORPUS_BYTES = 3_000_000
JSON_RECORDS = 2000
SIZE = 1024
LONGEST_SECONDS = 300
MEGABYTE = 1_000_000
APART = ("pdf", "docx", "xlsx", "pptx", "eml")
LEGEND = """\
MB are 10^6 bytes of UTF-8. Best of 3 runs after a warm-up, one process and one thread each.
#           gives each chunk its headings; `+` cuts at headings and gives none
ours/it     how many times as fast the hub is, in the same run: its markdown chunker, its reader
fences cut  fences that fit and that no chunk holds whole
unbalanced  chunks with a fence that is opened and not closed, or closed and not opened, of any length
headless    chunks with rows of a table without its header row
tiny        share of chunks under 100 characters
lost        non-space characters that no chunk has
over        chunks over the size
bars        markdown: 15 MB/s or more and ahead of all that give headings; no fence cut, none headless, tiny under 5 %,
            nothing lost"""


@dataclass(frozen=True)
class Measured:
    """One chunker's or reader's answer, or why there is none."""

    library: str
    name: str
    answer: dict[str, Any]

    @property
    def title(self) -> str:
        """Name it with its library, behind the mark of what it does with headings."""
        return f"{self.answer.get('headings') or ' '} {self.library} {self.name}"

    @property
    def error(self) -> str | None:
        """Say why there is no figure."""
        return self.answer.get("error")


def main() -> None:
    """Measure and print one table after the other."""
    options = _options()
    print(f"{LEGEND}\nsize        {options.size} characters")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), options.size, options.only, options.rounds)
        _report_missing(bench)
        for name, found in _corpora(options.corpus, Path(folder)).items():
            chunkers(bench, name, found)
        json_chunkers(bench, Path(folder) / "values.json")
        readers(bench, Path(folder) / "files")


class Bench:
    """Starts the measurements of this run."""

    def __init__(self, folder: Path, size: int, only: str, rounds: int) -> None:
        """Ask every library what it has; `only` keeps the hub and the chunkers with these letters in their title."""
        self._folder = folder
        self.size = size
        self._only = only.lower()
        self._rounds = rounds
        self.offers = {library: self._measure(library, {"act": "names"}) for library in ("knowhub", *LIBRARIES)}

    def chunkers(self, paths: Sequence[Path], *, of_json: bool = False) -> list[Measured]:
        """Measure every chunker on these files, the hub's first; of several rounds over all of them the best counts."""
        best = list(self._round(paths, of_json=of_json))
        for _ in range(self._rounds - 1):
            best = [min(pair, key=_seconds) for pair in zip(best, self._round(paths, of_json=of_json), strict=True)]
        return best

    def _round(self, paths: Sequence[Path], *, of_json: bool) -> Iterator[Measured]:
        for library, offer in self.offers.items():
            for name in offer.get("chunkers", ()):
                if ("json" in name.lower()) == of_json and self._wanted(library, name):
                    request = {"act": "chunk", "name": name, "size": self.size, "files": list(map(str, paths))}
                    yield Measured(_package(library), name, self._measure(library, request))

    def reader(self, library: str, extension: str, paths: Sequence[Path], *, apart: bool = False) -> Measured:
        """Measure one reader on these files; of several rounds the best counts."""
        request = {"act": "read", "name": extension, "files": list(map(str, paths)), "apart": apart}
        tries = [Measured(_package(library), extension, self._measure(library, request)) for _ in range(self._rounds)]
        return min(tries, key=_seconds)

    def _wanted(self, library: str, name: str) -> bool:
        return library == "knowhub" or self._only in f"{_package(library)} {name}".lower()

    def _measure(self, library: str, request: dict[str, Any]) -> dict[str, Any]:
        python = Path(sys.executable) if library == "knowhub" else OTHERS
        if not python.is_file():
            return {"error": "not installed: `make .tools/bench-reading/.stamp` says why"}
        question, answer = self._folder / "question.json", self._folder / "answer.json"
        question.write_text(json.dumps({"library": library, **request}), encoding="utf-8")
        command = [str(python), "-m", "benchmarks.reading_parts.measure", str(question), str(answer)]
        # Nothing that the libraries could look for outside is looked for.
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", "LANGSMITH_TRACING": "false", "PYTHONHASHSEED": "0"}
        environment |= {"OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}
        try:
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=LONGEST_SECONDS
            )
        except subprocess.TimeoutExpired:
            return {"error": f"not done after {LONGEST_SECONDS} s"}
        if done.returncode:
            return {"error": (done.stderr.strip().splitlines() or ["it died"])[-1]}
        found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
        return found


def chunkers(bench: Bench, name: str, paths: Sequence[Path]) -> None:
    """Print speed and harm of every chunker on one corpus."""
    texts = [path.read_bytes().decode("utf-8") for path in paths]
    size = sum(path.stat().st_size for path in paths) / MEGABYTE
    print(f"\n{name} Markdown: {len(paths)} files, {size:.1f} MB")
    columns = ("MB/s", "ours/it", "chunks", "fences cut", "unbalanced", "headless", "tiny", "lost", "over")
    print(f"{'':<55}{columns[0]:>7}{columns[1]:>9}" + "".join(f"{column:>11}" for column in columns[2:]))
    ours = None
    fastest = {GIVEN: ("none", 0.0), CUT_AT: ("none", 0.0)}
    sums = Counts()
    for one in bench.chunkers(paths):
        if one.error:
            print(f"{one.title:<55} {one.error}")
            continue
        speed = size / one.answer["seconds"]
        ours = ours or speed
        mark = one.answer["headings"]
        if mark and one.library != "knowhub" and speed > fastest[mark][1]:
            fastest[mark] = (one.title, speed)
        sums = count(texts, one.answer["chunks"], one.answer["own"], bench.size)
        print(f"{one.title:<55}{speed:>7.1f}{ours / speed:>9.2f}{_harm(sums)}")
    print(f"{sums.fences} fences that fit, {sums.tables} tables. Fastest of the others:", end=" ")
    print(", ".join(f"{title} {speed:.1f} MB/s" for title, speed in fastest.values()))


def _harm(sums: Counts) -> str:
    figures = (sums.chunks, sums.fences_cut, sums.unbalanced, sums.headless)
    head = "".join(f"{figure:>11}" for figure in figures)
    return f"{head}{100 * sums.tiny_share:>9.1f} %{sums.lost:>11}{sums.over:>11}"


def json_chunkers(bench: Bench, path: Path) -> None:
    """Print the speed of the chunkers of JSON on one file."""
    writer = Writer(ENGLISH, 1)
    values = {
        writer.name(): {"text": writer.paragraph(), "list": [writer.phrase(1, 3) for _ in range(6)], "at": number}
        for number in range(JSON_RECORDS)
    }
    path.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8")
    size = path.stat().st_size / MEGABYTE
    print(f"\nJSON: one file, {size:.2f} MB\n{'':<55}{'MB/s':>7}{'ours/it':>9}{'chunks':>11}{'over':>11}")
    ours = None
    for one in bench.chunkers([path], of_json=True):
        if one.error:
            print(f"{one.title:<55} {one.error}")
            continue
        speed = size / one.answer["seconds"]
        ours = ours or speed
        chunks = one.answer["chunks"][0]
        over = sum(len(chunk.encode()) > bench.size for chunk in chunks)
        print(f"{one.title:<55}{speed:>7.2f}{ours / speed:>9.2f}{len(chunks):>11}{over:>11}")


def readers(bench: Bench, folder: Path) -> None:
    """Print files per second of every reader, ours within this process and in the one that the hub runs it in."""
    files.write(folder)
    print(f"\nreaders, files/s ({files.FILES} files of each format; `apart` is in the hub's process for readers)")
    print(f"{'format':<8}{'KB/file':>9}{'hub':>9}{'apart':>9}   others")
    for extension in bench.offers["knowhub"].get("readers", ()):
        paths = sorted(folder.glob(f"*.{extension}"))
        ours = bench.reader("knowhub", extension, paths)
        others = [
            bench.reader(library, extension, paths)
            for library, offer in bench.offers.items()
            if library != "knowhub" and extension in offer.get("readers", ())
        ]
        beside = bench.reader("knowhub", extension, paths, apart=True) if extension in APART else None
        kilobytes = sum(path.stat().st_size for path in paths) / len(paths) / 1000
        row = f"{extension:<8}{kilobytes:>9.1f}{_rate(ours):>9}{_rate(beside) if beside else '-':>9}   "
        print(row + "; ".join(_compared(ours, other) for other in others))


def _rate(one: Measured) -> str:
    return "failed" if one.error else f"{files.FILES / one.answer['seconds']:.1f}"


def _compared(ours: Measured, other: Measured) -> str:
    if ours.error or other.error:
        return f"{other.library}: {other.error or ours.error}"
    ratio = other.answer["seconds"] / ours.answer["seconds"]
    kept = ours.answer["characters"] / max(1, other.answer["characters"])
    return f"{other.library} {_rate(other)} (ours/it {ratio:.2f}; non-space characters, ours/its {kept:.3f})"


def _report_missing(bench: Bench) -> None:
    for library, offer in bench.offers.items():
        if "error" in offer:
            print(f"{_package(library)}: {offer['error']}")


def _seconds(one: Measured) -> float:
    return float(one.answer.get("seconds", math.inf))


def _package(library: str) -> str:
    return LIBRARIES.get(library, library)


def _corpora(given: Path | None, folder: Path) -> dict[str, list[Path]]:
    if given is not None:
        return {str(given): sorted(path for path in given.rglob("*.md") if path.is_file())}
    found = {}
    for language in (ENGLISH, CHINESE):
        markdown_corpus.write(folder / language.name, language, CORPUS_BYTES)
        found[language.name.capitalize()] = sorted((folder / language.name).glob("*.md"))
    return found


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, help="chunk the .md files of this folder instead of made ones")
    parser.add_argument("--size", type=int, default=SIZE, help="most characters in a chunk")
    parser.add_argument(
        "--rounds", type=int, default=1, help="times that all is measured, on a machine with other work"
    )
    parser.add_argument("--only", default="", help="of the other libraries only what has these letters in its name")
    return parser.parse_args()


if __name__ == "__main__":
    main()
