"""Chunkers and readers beside those of other libraries, on the same files, each in a process of its own.

Run by `make bench-reading`. The other libraries have an environment of their own, `.tools/bench-reading`; one that is
missing there is a line that says so. Figures are of this machine and this moment; nothing is asserted.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.reading_parts import files, markdown_corpus, real_texts
from benchmarks.reading_parts.counts import Counts, count
from benchmarks.reading_parts.shapes import CUT_AT, GIVEN
from benchmarks.reading_parts.turns import Measured, take_turns
from benchmarks.reading_parts.words import CHINESE, ENGLISH, Writer

LIBRARIES = {
    "knowhub": "knowhub",
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
PASSES = 5
MEGABYTE = 1_000_000
FASTEST_NEEDED = 15.0
MOST_TINY = 0.05
APART = ("pdf", "docx", "xlsx", "pptx", "eml")
LEGEND = """\
MB are 10^6 bytes of UTF-8. Each chunker or reader is one process with one thread. They take turns, one whole pass over
all files each, after a warm-up; `median` and `best` are of their passes, and every comparison is of medians. Chunkers
are measured in seconds of the processor, readers in seconds of the clock.
#           gives each chunk its headings; `+` cuts at headings and gives none
cap         whether its chunks are meant to keep to the size
ours/it     how many times as fast the hub is, in the same run: its markdown chunker, its reader
fences cut  fences that fit and that no chunk holds whole
unbalanced  chunks with a fence that is opened and not closed, or closed and not opened, of any length
headless    chunks with rows of a table without its header row
tiny        share of chunks under 100 characters
lost        non-space characters that no chunk has
over        chunks over the size"""


def main() -> None:
    """Measure and print one table after the other."""
    options = _options()
    print(f"{LEGEND}\nsize        {options.size} characters\npasses      {options.passes}")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), options)
        for name, found in _corpora(options.corpus, Path(folder)):
            chunkers(bench, name, found)
        json_chunkers(bench, Path(folder) / "values.json")
        readers(bench, Path(folder) / "files")


class Bench:
    """Starts the measurements of this run."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        """Ask every library what it has; `only` keeps the hub and the chunkers with these letters in their title."""
        self._folder = folder
        self.size: int = options.size
        self._only: str = options.only.lower()
        self._passes: int = options.passes
        asked = [{"library": library, "package": name, "act": "names"} for library, name in LIBRARIES.items()]
        answers = take_turns(folder, asked, 0)
        for answer in answers:
            if answer.error:
                print(f"{answer.library}: {answer.error}")
        self.offers = {library: answer.answer for library, answer in zip(LIBRARIES, answers, strict=True)}

    def chunkers(self, paths: Sequence[Path], *, of_json: bool = False) -> list[Measured]:
        """Measure every chunker on these files, the hub's first."""
        requests = [
            {"library": library, "package": LIBRARIES[library], "act": "chunk", "name": name, "size": self.size}
            for library, offer in self.offers.items()
            for name in offer.get("chunkers", ())
            if ("json" in name.lower()) == of_json and self._wanted(library, name)
        ]
        inputs = {"files": list(map(str, paths))}
        return take_turns(self._folder, [request | inputs for request in requests], self._passes)

    def readers(self, extension: str, paths: Sequence[Path]) -> list[Measured]:
        """Measure the hub's reader, in its process for readers too where it has one for this, and then the others."""
        inputs = {"act": "read", "name": extension, "files": list(map(str, paths))}
        requests = [
            {"library": library, "package": LIBRARIES[library], "apart": apart, **inputs}
            for library, offer in self.offers.items()
            for apart in ((False, True) if library == "knowhub" and extension in APART else (False,))
            if extension in offer.get("readers", ())
        ]
        return take_turns(self._folder, requests, self._passes)

    def _wanted(self, library: str, name: str) -> bool:
        return library == "knowhub" or self._only in f"{LIBRARIES[library]} {name}".lower()


def chunkers(bench: Bench, name: str, paths: Sequence[Path]) -> None:
    """Print speed and harm of every chunker on one corpus."""
    texts = [path.read_bytes().decode("utf-8") for path in paths]
    size = sum(path.stat().st_size for path in paths) / MEGABYTE
    print(f"\n{name} {len(paths)} files, {size:.2f} MB of Markdown")
    columns = ("chunks", "fences cut", "unbalanced", "headless", "tiny", "lost", "over")
    print(f"{'':<55}{'cap':>4}{'median':>8}{'best':>8}{'ours/it':>9}" + "".join(f"{each:>11}" for each in columns))
    measured = bench.chunkers(paths)
    ours = measured[0]
    for one in measured:
        if one.error:
            print(f"{one.title:<55} {one.error}")
            continue
        harm = count(texts, one.answer["chunks"], one.answer["own"], bench.size)
        cap = "yes" if one.answer["capped"] else "no"
        print(f"{one.title:<55}{cap:>4}{_speeds(size, ours, one)}{_harm(harm)}")
        if one is ours:
            own_harm = harm
    if not ours.error:
        _bars(measured, size, own_harm)


def _speeds(size: float, ours: Measured, one: Measured) -> str:
    ratio = f"{one.median / ours.median:.2f}" if not ours.error else "-"
    return f"{size / one.median:>8.1f}{size / one.best:>8.1f}{ratio:>9}"


def _harm(sums: Counts) -> str:
    figures = (sums.chunks, sums.fences_cut, sums.unbalanced, sums.headless)
    head = "".join(f"{figure:>11}" for figure in figures)
    return f"{head}{100 * sums.tiny_share:>9.1f} %{sums.lost:>11}{sums.over:>11}"


def _bars(measured: Sequence[Measured], size: float, harm: Counts) -> None:
    """Say which of the goals the first chunker reached on this corpus."""
    ours, others = measured[0], [one for one in measured if not one.error and one.library != measured[0].library]
    speed = size / ours.median
    kept = not (harm.fences_cut or harm.headless or harm.lost) and harm.tiny_share < MOST_TINY
    print(f"{harm.fences} fences that fit, {harm.tables} tables.", end=" ")
    print(f"{FASTEST_NEEDED:.0f} MB/s: {_yes(speed >= FASTEST_NEEDED)}; structure kept, tiny under 5 %: {_yes(kept)}")
    for mark, what in ((GIVEN, "give headings"), (CUT_AT, "cut at headings")):
        marked = [one for one in others if one.answer["headings"] == mark]
        if marked:
            best = min(marked, key=lambda one: one.median)
            ahead = _yes(ours.median < best.median)
            print(f"ahead of all that {what}: {ahead} ({best.library} {best.name} {size / best.median:.1f} MB/s)")


def _yes(reached: bool) -> str:  # noqa: FBT001 - it only spells its argument
    return "yes" if reached else "NO"


def json_chunkers(bench: Bench, path: Path) -> None:
    """Print the speed of the chunkers of JSON on one file."""
    writer = Writer(ENGLISH, 1)
    values = {
        writer.name(): {"text": writer.paragraph(), "list": [writer.phrase(1, 3) for _ in range(6)], "at": number}
        for number in range(JSON_RECORDS)
    }
    path.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8")
    size = path.stat().st_size / MEGABYTE
    print(f"\nJSON: one file, {size:.2f} MB")
    print(f"{'':<55}{'median':>8}{'best':>8}{'ours/it':>9}{'chunks':>11}{'over':>11}")
    measured = bench.chunkers([path], of_json=True)
    for one in measured:
        if one.error:
            print(f"{one.title:<55} {one.error}")
            continue
        chunks = one.answer["chunks"][0]
        over = sum(len(chunk.encode()) > bench.size for chunk in chunks)
        print(f"{one.title:<55}{_speeds(size, measured[0], one)}{len(chunks):>11}{over:>11}")


def readers(bench: Bench, folder: Path) -> None:
    """Print files per second of every reader, ours within this process and in the one that the hub runs it in."""
    files.write(folder)
    print(
        f"\nreaders, files/s by median ({files.FILES} files of each kind; `apart` is in the hub's process for readers)"
    )
    print(f"{'kind':<22}{'KB/file':>9}{'hub':>9}{'apart':>9}   others")
    for kind, (extension, _) in files.KINDS.items():
        paths = sorted((folder / kind).iterdir())
        ours, *rest = bench.readers(extension, paths)
        apart = [one for one in rest if one.library == ours.library]
        kilobytes = sum(path.stat().st_size for path in paths) / len(paths) / 1000
        row = f"{kind:<22}{kilobytes:>9.1f}{_rate(ours):>9}{_rate(apart[0]) if apart else '-':>9}   "
        print(row + "; ".join(_compared(ours, other) for other in rest if other not in apart))


def _rate(one: Measured) -> str:
    return "failed" if one.error else f"{files.FILES / one.median:.1f}"


def _compared(ours: Measured, other: Measured) -> str:
    if ours.error or other.error:
        return f"{other.library}: {other.error or ours.error}"
    kept = ours.answer["characters"] / max(1, other.answer["characters"])
    ratio = other.median / ours.median
    return f"{other.library} {_rate(other)} (ours/it {ratio:.2f}; non-space characters, ours/its {kept:.3f})"


def _corpora(given: Path | None, folder: Path) -> Iterator[tuple[str, list[Path]]]:
    """Give Markdown that people wrote, where it can be had, and Markdown that is made here."""
    if given is not None:
        yield f"{given}:", sorted(path for path in given.rglob("*.md") if path.read_text("utf-8").strip())
        return
    yield from real_texts.corpora()
    for language in (ENGLISH, CHINESE):
        markdown_corpus.write(folder / language.name, language, CORPUS_BYTES)
        yield f"{language.name.capitalize()}, made:", sorted((folder / language.name).glob("*.md"))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, help="chunk the .md files of this folder instead of the usual ones")
    parser.add_argument("--size", type=int, default=SIZE, help="most characters in a chunk")
    parser.add_argument("--passes", type=int, default=PASSES, help="times that each goes over all files")
    parser.add_argument("--only", default="", help="of the other libraries only what has these letters in its name")
    return parser.parse_args()


if __name__ == "__main__":
    main()
