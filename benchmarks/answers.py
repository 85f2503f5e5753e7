"""How well quoted answers cite: on a collection with one right passage a question, through the whole hub.

Run by `make bench-answers ARGS="--data DIR"`, DIR being one collection as BEIR lays it out. A citation is wrong where
its words are not word for word in the source that it names, or where that source is not the chunk that it names.
"""

import argparse
import csv
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.hubs import Rig, rig

ROUNDS = 5_000


def main() -> None:
    """Fill a hub, ask it, and print the shares."""
    options = _options()
    corpus = list(_lines(options.data / "corpus.jsonl"))
    questions = list(_lines(options.data / "queries.jsonl"))
    gold = _gold(options.data / "qrels")
    questions = [one for one in questions if one["_id"] in gold][: options.questions]
    if not corpus or not questions:
        sys.exit(f"{options.data} has no documents or no questions with a right passage")
    with tempfile.TemporaryDirectory() as folder, rig(Path(folder)) as hub:
        key = hub.user("bench")
        kb_id = hub.http("POST", "/kb", {"name": "Answers"}, key=key).json["kb_id"]
        names = _filled(hub, key, kb_id, corpus)
        counts: Counter[str] = Counter()
        for question in questions:
            body = {"question": question["text"]}
            events = hub.http("POST", f"/kb/{kb_id}/ask", body, key=key).events
            counts.update(_judged(events[0][1]["sources"], events[-1][1], gold[question["_id"]], names))
    _print(counts, len(questions), len(corpus), options.data.name)


def _filled(hub: Rig, key: str, kb_id: int, corpus: list[dict[str, Any]]) -> dict[str, str]:
    """Read every document in, and give its own id by the hub's."""
    names = {}
    for one in corpus:
        body = {"title": one.get("title") or one["_id"], "text": one["text"], "external_id": one["_id"]}
        names[hub.http("POST", f"/kb/{kb_id}/documents", body, key=key).json["doc_id"]] = one["_id"]
    hub.drain(ROUNDS)
    return names


def _judged(
    sources: list[dict[str, Any]], done: dict[str, Any], right: set[str], names: Mapping[str, str]
) -> Iterator[str]:
    """Name what holds of one answer."""
    by_number = {source["idx"]: source for source in sources}
    good = {number for number, source in by_number.items() if names[source["doc_id"]] in right}
    cited = [one["n"] for one in done["citations"]]
    yield from ("first source",) if 1 in good else ()
    yield from ("cited as [1]",) if 1 in good and 1 in cited else ()
    yield from ("first sentence",) if cited and cited[0] in good else ()
    yield from ("cited",) if good & set(cited) else ()
    yield from ("no evidence",) if done["finish_reason"] == "no_evidence" else ()
    yield from ("wrong",) if not all(_holds(one, done["answer"], by_number) for one in done["citations"]) else ()


def _holds(citation: dict[str, Any], answer: str, by_number: Mapping[int, dict[str, Any]]) -> bool:
    source = by_number.get(citation["n"], {"text": "", "chunk_id": ""})
    said = answer[citation["start"] : citation["end"]]
    return bool(said) and said in source["text"] and source["chunk_id"] == citation["chunk_id"]


def _print(counts: Counter[str], asked: int, documents: int, name: str) -> None:
    rows = {
        "first source": "the right document is the first source",
        "cited as [1]": "it is cited as [1]",
        "first sentence": "the first sentence is from it",
        "cited": "it is cited",
        "no evidence": "answered with no evidence",
        "wrong": "an answer with a wrong citation (bar: 0)",
    }
    print(f"{name}: {asked} questions, {documents} documents, quoted answers, no embedder")
    for member, words in rows.items():
        print(f"{words:<42}{counts[member]:>6}{counts[member] / asked:>8.1%}")


def _gold(folder: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in sorted(folder.glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                if float(row["score"]) > 0:
                    found.setdefault(row["query-id"], set()).add(row["corpus-id"])
    return found


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the collection's folder")
    parser.add_argument("--questions", type=int, default=200, help="ask the first ones only")
    return parser.parse_args()


if __name__ == "__main__":
    main()
