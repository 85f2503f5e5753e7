"""`knowhub eval` over a collection of twenty pages about an island, in English and Chinese."""

import json
import tempfile
from pathlib import Path

import pytest

from knowhub_cli.evaluation.dataset import Article, load
from knowhub_cli.evaluation.library import Library, language_of
from knowhub_cli.evaluation.places import EMBEDDED, passing_index
from knowhub_cli.evaluation.runs import FIGURES, evaluate
from tests.embedding import WordEmbedder
from tests.integration.cli.conftest import Run

ISLAND = Path(__file__).with_name("island")
MEMBERS = ["mode", "ndcg@10", "recall@100", "mrr@10", "hit@1", "queries"]


@pytest.fixture(autouse=True)
def _no_stores_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_json_has_exactly_the_figures_of_each_mode(knowhub: Run, tmp_path: Path) -> None:
    ran = knowhub("eval", "--dataset", str(ISLAND), "--modes", "keyword,hybrid", "--embedder", "none", "--json")
    assert ran.code == 0
    answer = json.loads(ran.out)
    assert list(answer) == ["dataset", "modes"]
    assert answer["dataset"] == "island"
    assert [list(mode) for mode in answer["modes"]] == [MEMBERS, MEMBERS]
    assert [(mode["mode"], mode["queries"]) for mode in answer["modes"]] == [("keyword", 7), ("hybrid", 7)]
    assert all(0.8 < mode[name] <= 1 for mode in answer["modes"] for name in FIGURES)
    assert list(tmp_path.glob("knowhub-eval-*")) == []


def test_a_pipe_gets_a_row_a_mode_and_the_remarks_go_beside_it(knowhub: Run) -> None:
    ran = knowhub("eval", "--dataset", str(ISLAND), "--embedder", "none")
    rows = [line.split("\t") for line in ran.out.splitlines()]
    assert [row[0] for row in rows] == ["keyword", "exact", "hybrid"]
    assert {len(row) for row in rows} == {6}
    assert "19 documents in 19 chunks, language: en" in ran.err
    assert "1 documents without text are not indexed, such as blank" in ran.err


def test_a_run_is_compared_with_a_saved_one_query_by_query(knowhub: Run, tmp_path: Path) -> None:
    saved = str(tmp_path / "run.json")
    arguments = ("eval", "--dataset", str(ISLAND), "--modes", "exact", "--embedder", "none")
    assert knowhub(*arguments, "--save", saved).code == 0
    kept = json.loads(Path(saved).read_text(encoding="utf-8"))
    kept["modes"]["exact"]["q-e17"]["ndcg@10"] = 0.25
    Path(saved).write_text(json.dumps(kept), encoding="utf-8")
    ran = knowhub(*arguments, "--compare", saved)
    assert "exact: ndcg@10 +0.1071 (1 better, 0 worse, 6 unchanged; sign test p = 1.000)" in ran.out
    assert "  +0.7500  0.2500 -> 1.0000  q-e17" in ran.out
    answer = json.loads(knowhub(*arguments, "--compare", saved, "--json").out)
    assert answer["comparison"] == [
        {
            "mode": "exact", "mean": 0.1071, "better": 1, "worse": 0, "unchanged": 6, "p": 1.0,
            "queries": [{"query": "q-e17", "before": 0.25, "after": 1.0}],
        }
    ]  # fmt: skip


def test_the_first_queries_alone_are_asked_where_that_is_wanted(knowhub: Run) -> None:
    arguments = ("eval", "--dataset", str(ISLAND), "--modes", "keyword", "--embedder", "none", "--json")
    answer = json.loads(knowhub(*arguments, "--limit-queries", "2").out)
    assert answer["modes"][0]["queries"] == 2


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["--dataset", "nowhere"], 1, "nowhere is no folder"),
        (["--dataset", "."], 1, "corpus.jsonl is missing"),
        (["--dataset", str(ISLAND), "--split", "dev"], 1, "has no dev.tsv; there are test"),
        (["--dataset", str(ISLAND), "--modes", "keyword,fuzzy"], 2, "there is no mode 'fuzzy'"),
        (["--dataset", str(ISLAND), "--modes", "dense"], 2, "dense needs vectors"),
        (["--dataset", str(ISLAND), "--modes", "keyword", "--store", "here"], 2, "'here' is neither embedded nor"),
        (["--dataset", str(ISLAND), "--modes", "keyword", "--compare", "no.json"], 1, "no.json: No such file"),
        ([], 2, "Missing option '--dataset'"),
    ],
)
def test_what_can_not_be_done_is_said_in_a_line(knowhub: Run, arguments: list[str], code: int, expected: str) -> None:
    ran = knowhub("eval", "--embedder", "none", *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert expected in ran.err
    assert "Traceback" not in ran.err


def test_every_mode_is_measured_with_the_kernel_that_serves() -> None:
    dataset, embedder = load(ISLAND), WordEmbedder()
    with passing_index(EMBEDDED, embedder) as index:
        library = Library(index, embedder, language_of(dataset.documents))
        assert list(library.fill(dataset.documents)) == [20]
        asked: list[None] = []
        run = evaluate(library, dataset, ["keyword", "dense", "hybrid"], lambda: asked.append(None))
    assert len(asked) == len(dataset.queries) == 7
    assert list(run.modes) == ["keyword", "dense", "hybrid"]
    assert run.modes["keyword"]["q-e17"] == dict.fromkeys(FIGURES, 1.0)
    assert len(embedder.documents) == 19
    assert embedder.documents[0].startswith("file: Ferry timetable | chunk: 1 | section: \nThe ferry leaves")
    assert set(embedder.queries) == set(dataset.queries.values())


def test_a_document_is_ranked_once_by_its_best_passage() -> None:
    pages = {"long": Article("Seals", "\n\n".join(f"Seal number {n}. " + "Water " * 150 for n in range(8)))}
    pages |= {"short": Article("Whales", "A whale and a seal.")}
    with passing_index(EMBEDDED, None) as index:
        library = Library(index, None, "en")
        list(library.fill(pages))
        assert library.shelf.chunks > 4
        assert sorted(library.ranking("seal", "keyword", 30)[0]) == ["long", "short"]


def test_a_long_list_may_be_asked_for_where_texts_repeat() -> None:
    pages = {f"p{number}": Article(f"Page {number}", f"A seal, and {number % 200} more.") for number in range(1100)}
    with passing_index(EMBEDDED, None) as index:
        library = Library(index, None, "en")
        list(library.fill(pages))
        assert len(library.ranking("seal", "keyword", 300)[0]) == 200


def test_the_language_is_that_of_most_documents_that_give_it_away() -> None:
    assert language_of(load(ISLAND).documents) == "en"
    assert language_of({"a": Article("", "海豹会游泳。"), "b": Article("", "42")}) == "zh"
    assert language_of({"a": Article("", "42")}) == ""


def test_no_progress_bar_is_drawn_where_there_is_no_terminal(knowhub: Run) -> None:
    ran = knowhub("eval", "--dataset", str(ISLAND), "--modes", "exact", "--embedder", "none", "--json")
    assert ran.err.count("\n") == 2
