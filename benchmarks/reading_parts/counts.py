"""What a chunker did to the structure of its texts, told from texts and chunks alone, the same way for everybody.

Lines and fences are compared without white space, so that a chunker may strip or indent them.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

TINY = 100
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})([^`\n]*)$")
_DELIMITER = re.compile(r"[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?$")


@dataclass
class Counts:
    """The sums over all texts; `fences` and `tables` are how many there were to break."""

    chunks: int = 0
    tiny: int = 0
    over: int = 0
    lost: int = 0
    fences: int = 0
    fences_cut: int = 0
    unbalanced: int = 0
    tables: int = 0
    headless: int = 0

    @property
    def tiny_share(self) -> float:
        """Share of chunks under `TINY` characters."""
        return self.tiny / max(1, self.chunks)


def count(texts: Sequence[str], chunked: Sequence[Sequence[str]], own: Sequence[Sequence[str]], size: int) -> Counts:
    """Sum up; `own` are the chunks without what the chunker itself says that it added or repeated."""
    sums = Counts()
    for text, chunks, bare in zip(texts, chunked, own, strict=True):
        sums.chunks += len(chunks)
        sums.tiny += sum(len(chunk) < TINY for chunk in chunks)
        sums.over += sum(len(chunk) > size for chunk in chunks)
        sums.lost += sum((_solid_characters([text]) - _solid_characters(bare)).values())
        fences = [fence for fence in _fences(text) if len(fence) <= size]
        sums.fences += len(fences)
        sums.fences_cut += _cut(fences, chunks)
        sums.unbalanced += sum(map(_is_unbalanced, chunks))
        tables = list(_tables(text))
        sums.tables += len(tables)
        sums.headless += _headless(tables, chunks)
    return sums


def _solid(text: str) -> str:
    return "".join(text.split())


def _solid_characters(texts: Sequence[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for text in texts:
        found.update(_solid(text))
    return found


def _fences(text: str) -> Iterator[str]:
    """Give each fence with its marker lines."""
    lines = text.split("\n")
    first, opened = -1, ""
    for number, line in enumerate(lines):
        match = _FENCE.match(line)
        if match is None:
            continue
        if first < 0:
            first, opened = number, match.group(1)
        elif match.group(1).startswith(opened) and not match.group(2).strip():
            yield "\n".join(lines[first : number + 1])
            first = -1


def _cut(fences: Sequence[str], chunks: Sequence[str]) -> int:
    """Count the fences that no chunk holds whole; of equal ones as many must be found as there are."""
    solid = [_solid(chunk) for chunk in chunks]
    holders: dict[str, set[int]] = {}
    for number, chunk in enumerate(chunks):
        for line in chunk.split("\n"):
            holders.setdefault(_solid(line), set()).add(number)
    missing = 0
    for fence, needed in Counter(fences).items():
        lines = [_solid(line) for line in fence.split("\n") if line.strip()]
        within = min((holders.get(line, set()) for line in lines), key=len)
        found = sum(solid[number].count(_solid(fence)) for number in within)
        missing += max(0, needed - found)
    return missing


def _is_unbalanced(chunk: str) -> bool:
    """Whether a fence is open at the end, or opened again with an info string before it was closed."""
    opened = ""
    for line in chunk.split("\n"):
        match = _FENCE.match(line)
        if match is None:
            continue
        if not opened:
            opened = match.group(1)
        elif match.group(1).startswith(opened):
            if match.group(2).strip():
                return True
            opened = ""
    return bool(opened)


def _tables(text: str) -> Iterator[tuple[str, list[str]]]:
    """Give each table's header line and its rows, without white space; those within fences are none."""
    outside = text
    for fence in _fences(text):
        outside = outside.replace(fence, "", 1)
    lines = outside.split("\n")
    number = 1
    while number < len(lines):
        if not (_DELIMITER.match(lines[number]) and "|" in lines[number - 1]):
            number += 1
            continue
        header, rows = _solid(lines[number - 1]), []
        number += 1
        while number < len(lines) and "|" in lines[number]:
            rows.append(_solid(lines[number]))
            number += 1
        yield header, rows


def _headless(tables: Sequence[tuple[str, list[str]]], chunks: Sequence[str]) -> int:
    """Count the chunks with a row of a table whose header line does not stand before it in the chunk."""
    headers: dict[str, set[str]] = {}
    for header, rows in tables:
        for row in rows:
            headers.setdefault(row, set()).add(header)
    found = 0
    for chunk in chunks:
        seen: set[str] = set()
        for line in chunk.split("\n"):
            bare = _solid(line)
            seen.add(bare)
            if bare in headers and seen.isdisjoint(headers[bare]):
                found += 1
                break
    return found
