"""Collections in the layout of BEIR: what is read, and what is refused with a line that names the place."""

import json
from pathlib import Path

import pytest

from knowhub_cli.evaluation.dataset import Article, BadDataset, load

CORPUS = [{"_id": "d1", "title": "Seals", "text": "They dive."}, {"_id": "d2", "text": "海豹会游泳。"}]
QUERIES = [{"_id": "q2", "text": "游泳"}, {"_id": "q1", "text": "dive"}, {"_id": "q3", "text": "nothing"}]
HEAD = "query-id\tcorpus-id\tscore\n"


def written(folder: Path, *, corpus: object = CORPUS, queries: object = QUERIES, **qrels: str) -> Path:
    for name, entries in (("corpus", corpus), ("queries", queries)):
        text = entries if isinstance(entries, str) else "".join(f"{json.dumps(entry)}\n" for entry in entries)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    (folder / "qrels").mkdir()
    for name, text in (qrels or {"test": f"{HEAD}q1\td1\t1\nq2\td2\t2\nq2\td1\t0\n"}).items():
        (folder / "qrels" / f"{name}.tsv").write_text(text, encoding="utf-8")
    return folder


def refusal(folder: Path, split: str | None = None) -> str:
    with pytest.raises(BadDataset) as caught:
        load(folder, split)
    return str(caught.value).replace(str(folder), "DIR")


def test_a_collection_is_read_with_titles_that_may_be_missing(tmp_path: Path) -> None:
    dataset = load(written(tmp_path))
    assert dataset.name == tmp_path.name
    assert dataset.documents == {"d1": Article("Seals", "They dive."), "d2": Article("", "海豹会游泳。")}
    assert dataset.judgements == {"q1": {"d1": 1}, "q2": {"d2": 2, "d1": 0}}


def test_queries_without_a_relevant_document_are_left_out_and_the_others_keep_their_order(tmp_path: Path) -> None:
    dataset = load(written(tmp_path, test="q1\td1\t1\nq2\td2\t1\nq3\td2\t0\n"))
    assert list(dataset.queries.items()) == [("q2", "游泳"), ("q1", "dive")]
    assert list(dataset.limited(1).queries) == ["q2"]
    assert dataset.limited(None) == dataset


def test_the_head_may_be_missing_and_blank_lines_and_windows_line_ends_are_no_trouble(tmp_path: Path) -> None:
    assert load(written(tmp_path, test="q1\td1\t1\r\n\n")).judgements == {"q1": {"d1": 1}}


def test_every_file_of_judgements_counts_unless_one_is_named(tmp_path: Path) -> None:
    written(tmp_path, dev="q1\td1\t1\n", test="q2\td2\t1\n")
    assert set(load(tmp_path).judgements) == {"q1", "q2"}
    assert set(load(tmp_path, "dev").judgements) == {"q1"}
    assert refusal(tmp_path, "train") == "DIR/qrels has no train.tsv; there are dev, test"


@pytest.mark.parametrize(
    ("qrels", "expected"),
    [
        (f"{HEAD}q1\td9\t1\n", "DIR/qrels/test.tsv:2: there is no document 'd9' in corpus.jsonl"),
        (f"{HEAD}q9\td1\t1\n", "DIR/qrels/test.tsv:2: there is no query 'q9' in queries.jsonl"),
        ("q1\td1\t1\nq1\td1\t2\n", "DIR/qrels/test.tsv:2: document 'd1' has another grade for query 'q1' elsewhere"),
        ("q1\td1\t1\nq2\td2\thigh\n", "DIR/qrels/test.tsv:2: the grade 'high' is no whole number"),
        (
            "q1 0 d1 1\n",
            "DIR/qrels/test.tsv:1: a judgement has three columns with tabs between: query, document, grade",
        ),
        (HEAD, "DIR/qrels names no relevant document for any query"),
        ("q1\td1\t0\n", "DIR/qrels names no relevant document for any query"),
    ],
)
def test_judgements_that_do_not_fit_are_refused(tmp_path: Path, qrels: str, expected: str) -> None:
    assert refusal(written(tmp_path, test=qrels)) == expected


@pytest.mark.parametrize(
    ("corpus", "expected"),
    [
        ("", "DIR/corpus.jsonl is empty"),
        ("{\n", "DIR/corpus.jsonl:1: this line is no JSON"),
        ("[1]\n", "DIR/corpus.jsonl:1: this line is no JSON object"),
        ([{"_id": "d1"}], "DIR/corpus.jsonl:1: the entry has no text as its 'text'"),
        ([{"_id": 1, "text": "x"}], "DIR/corpus.jsonl:1: the entry has no text as its '_id'"),
        ([{"_id": "d1", "title": 4, "text": "x"}], "DIR/corpus.jsonl:1: the entry has no text as its 'title'"),
        ([*CORPUS, CORPUS[0]], "DIR/corpus.jsonl:3: the id 'd1' is there twice"),
    ],
)
def test_a_corpus_that_can_not_be_read_is_refused(tmp_path: Path, corpus: object, expected: str) -> None:
    assert refusal(written(tmp_path, corpus=corpus)) == expected


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    assert refusal(tmp_path / "nowhere") == "DIR is no folder"
    assert refusal(tmp_path) == "DIR/corpus.jsonl is missing"
    written(tmp_path)
    (tmp_path / "qrels" / "test.tsv").unlink()
    assert refusal(tmp_path) == "DIR/qrels has no .tsv file with judgements"
    (tmp_path / "queries.jsonl").unlink()
    assert refusal(tmp_path) == "DIR/queries.jsonl is missing"


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "queries.jsonl").write_bytes(b"\xff\xfe{")
    assert refusal(tmp_path) == "DIR/queries.jsonl is not UTF-8"
