"""A collection with judged queries, in the layout of BEIR.

<folder>/corpus.jsonl    {"_id", "title"?, "text"} a line
<folder>/queries.jsonl   {"_id", "text"} a line
<folder>/qrels/*.tsv     query id, document id, grade; a first line without a number is a head
"""

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any


class BadDataset(Exception):
    """The folder is no collection; the message names the file, the line and the fault."""


@dataclass(frozen=True, slots=True)
class Article:
    """A document of a collection; the title may be empty."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """Documents and queries by their ids, and for each query that has a relevant document its grades by document."""

    name: str
    documents: Mapping[str, Article]
    queries: Mapping[str, str]
    judgements: Mapping[str, Mapping[str, int]]

    def limited(self, count: int | None) -> "Dataset":
        """Keep the first queries only; None keeps all."""
        return replace(self, queries=dict(islice(self.queries.items(), count)))


def load(folder: Path, split: str | None = None) -> Dataset:
    """Read a collection; `split` takes the judgements of `qrels/SPLIT.tsv` alone, else those of every file count.

    Queries without a relevant document are left out. Raises `BadDataset` for anything that does not fit together.
    """
    if not folder.is_dir():
        raise BadDataset(f"{folder} is no folder")
    documents = {
        entry.name: Article(_text(entry.members, "title", entry.place, ""), entry.text)
        for entry in _entries(folder / "corpus.jsonl")
    }
    queries = {entry.name: entry.text for entry in _entries(folder / "queries.jsonl")}
    judged = _grades(_judgement_files(folder / "qrels", split), queries, documents)
    if not judged:
        raise BadDataset(f"{folder / 'qrels'} names no relevant document for any query")
    asked = {name: text for name, text in queries.items() if name in judged}
    return Dataset(folder.resolve().name, documents, asked, judged)


def _grades(
    paths: Iterable[Path], queries: Container[str], documents: Container[str]
) -> Mapping[str, Mapping[str, int]]:
    """Read the grades of the queries that have a relevant document."""
    grades: dict[str, dict[str, int]] = {}
    for path in paths:
        for place, query, document, grade in _judgements(path):
            if query not in queries:
                raise BadDataset(f"{place}: there is no query {query!r} in queries.jsonl")
            if document not in documents:
                raise BadDataset(f"{place}: there is no document {document!r} in corpus.jsonl")
            if grades.setdefault(query, {}).setdefault(document, grade) != grade:
                raise BadDataset(f"{place}: document {document!r} has another grade for query {query!r} elsewhere")
    return {query: found for query, found in grades.items() if max(found.values()) > 0}


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of a JSON Lines file, and where it stands."""

    name: str
    text: str
    members: Mapping[str, Any]
    place: str


def _entries(path: Path) -> Iterator[_Entry]:
    seen: set[str] = set()
    for place, line in _lines(path):
        try:
            members = json.loads(line)
        except ValueError:
            raise BadDataset(f"{place}: this line is no JSON") from None
        if not isinstance(members, dict):
            raise BadDataset(f"{place}: this line is no JSON object")
        entry = _Entry(_text(members, "_id", place), _text(members, "text", place), members, place)
        if entry.name in seen:
            raise BadDataset(f"{place}: the id {entry.name!r} is there twice")
        seen.add(entry.name)
        yield entry
    if not seen:
        raise BadDataset(f"{path} is empty")


def _text(members: Mapping[str, Any], name: str, place: str, default: str | None = None) -> str:
    value = members.get(name, default)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise BadDataset(f"{place}: the entry has no text as its {name!r}")
    return value


def _judgement_files(folder: Path, split: str | None) -> list[Path]:
    found = sorted(folder.glob("*.tsv"))
    if not found:
        raise BadDataset(f"{folder} has no .tsv file with judgements")
    if split is None:
        return found
    chosen = [path for path in found if path.stem == split]
    if not chosen:
        raise BadDataset(f"{folder} has no {split}.tsv; there are {', '.join(path.stem for path in found)}")
    return chosen


def _judgements(path: Path) -> Iterator[tuple[str, str, str, int]]:
    """Give the place, the query, the document and the grade of each line."""
    for number, (place, line) in enumerate(_lines(path)):
        parts = line.split("\t")
        if len(parts) != 3:  # noqa: PLR2004 - the layout has three columns
            raise BadDataset(f"{place}: a judgement has three columns with tabs between: query, document, grade")
        try:
            grade = int(parts[2])
        except ValueError:
            if number == 0:
                continue
            raise BadDataset(f"{place}: the grade {parts[2]!r} is no whole number") from None
        yield place, parts[0], parts[1], grade


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """Give each line that is not blank with its place."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except FileNotFoundError:
        raise BadDataset(f"{path} is missing") from None
    except UnicodeDecodeError:
        raise BadDataset(f"{path} is not UTF-8") from None
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield f"{path}:{number}", line.rstrip("\r")
