"""The commands against a hub: what they send, what they print, and how they end."""

import json
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from knowhub.version import VERSION
from knowhub_cli.files import DIRECT_BYTES
from tests.integration.cli.conftest import Run
from tests.integration.cli.stub_hub import KEY, StubHub, answer, error, event_stream

SOURCES = {"sources": [{"idx": 1, "title": "Travel", "url": "https://example.com/t", "locator": {"line_start": 4}}]}
WRONG = "kh_" + "b" * 43
DONE = {"answer": "Up to 140 € [1]", "citations": [], "finish_reason": "stop"}


def write(name: str, data: bytes | str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def test_ingest_creates_the_kb_sends_the_folder_and_waits(hub: StubHub, knowhub: Run) -> None:
    write("docs/a.md", "# Größe")
    write("docs/b/c.txt", "plain")
    ran = knowhub("ingest", "docs", "--kb", "office")
    assert (ran.code, ran.out) == (0, "2 ready\n")
    assert "created the knowledge base office (id 1)" in ran.err
    assert hub.asked("POST /kb") == [{"name": "office"}]
    assert hub.asked("POST /kb/1/documents")[0] == {
        "title": "a.md",
        "external_id": "docs/a.md",
        "file": {"name": "a.md", "content_type": "text/markdown", "size": 9},
        "text": "# Größe",
    }
    assert all(job["looks"] == 2 for job in hub.jobs.values())


def test_ingest_twice_updates_the_same_documents(hub: StubHub, knowhub: Run) -> None:
    write("docs/a.md", "one")
    knowhub("ingest", "docs", "--kb", "office")
    write("docs/a.md", "two")
    assert knowhub("ingest", "docs", "docs/a.md", "--kb", "office").code == 0
    assert [document["text"] for document in hub.documents] == ["two"]
    assert len(hub.asked("POST /kb/1/documents")) == 2


def test_ingest_says_what_has_not_changed(hub: StubHub, knowhub: Run) -> None:
    write("docs/a.md", "one")
    write("docs/b.md", "one")
    assert knowhub("ingest", "docs", "--kb", "office").out == "2 ready\n"
    write("docs/b.md", "two")
    assert knowhub("ingest", "docs", "--kb", "office").out == "1 ready, 1 unchanged\n"


def test_a_kb_is_found_without_regard_to_case_as_the_hub_compares_names(hub: StubHub, knowhub: Run) -> None:
    hub.add_kb("Handbook")
    write("a.md", "x")
    assert knowhub("ingest", "a.md", "--kb", " handBOOK").code == 0
    assert hub.asked("POST /kb") == []
    hub.add_kb("handbook")
    assert knowhub("ingest", "a.md", "--kb", "handbook").code == 0
    assert [asked[1] for asked in hub.requests if asked[1].endswith("documents")] == [
        "/kb/1/documents",
        "/kb/2/documents",
    ]
    assert "use an id instead: 1, 2" in knowhub("ingest", "a.md", "--kb", "HANDBOOK").err


def test_digits_of_another_script_are_a_name(hub: StubHub, knowhub: Run) -> None:
    write("a.md", "x")
    assert knowhub("ingest", "a.md", "--kb", "\N{ARABIC-INDIC DIGIT ONE}").code == 0
    assert hub.asked("POST /kb") == [{"name": "\N{ARABIC-INDIC DIGIT ONE}"}]


def test_a_large_file_goes_where_a_ticket_says_without_the_key(hub: StubHub, knowhub: Run) -> None:
    write("large.txt", b"x" * (DIRECT_BYTES + 1))
    ran = knowhub("ingest", "large.txt", "--kb", "office")
    assert (ran.code, ran.out) == (0, "1 ready\n")
    assert hub.asked("POST /kb/1/uploads") == [
        {
            "filename": "large.txt",
            "title": "large.txt",
            "size": DIRECT_BYTES + 1,
            "content_type": "text/plain",
            "external_id": "large.txt",
        }
    ]
    ((form, headers),) = hub.delivered
    assert list(form)[:2] == ["key", "content_type"]
    assert form["file"] == {"name": "large.txt", "content_type": "text/plain", "size": DIRECT_BYTES + 1}
    assert "authorization" not in headers


def test_a_refused_upload_is_a_failure_of_its_file_alone(hub: StubHub, knowhub: Run) -> None:
    write("large.txt", b"x" * (DIRECT_BYTES + 1))
    write("small.txt", b"x")
    hub.add_kb("office")
    ticket = {"job_id": "job_1", "url": "http://127.0.0.1:1/up", "fields": {"key": "a"}}
    hub.script("POST /kb/1/uploads", answer(201, ticket))
    ran = knowhub("ingest", "large.txt", "small.txt", "--kb", "office")
    assert (ran.code, ran.out) == (1, "1 ready, 1 failed\n")
    assert "failed  large.txt: the place for the upload can't be reached" in ran.err


def test_ingest_finds_the_kb_behind_the_first_page(hub: StubHub, knowhub: Run) -> None:
    for name in ("a", "b", "office"):
        hub.add_kb(name)
    write("a.md", "x")
    assert knowhub("ingest", "a.md", "--kb", "office").code == 0
    assert hub.asked("POST /kb") == []
    assert hub.documents[0]["kb_id"] == 3


def test_ingest_takes_a_number_as_an_id(hub: StubHub, knowhub: Run) -> None:
    hub.add_kb("office")
    write("a.md", "x")
    assert knowhub("ingest", "a.md", "--kb", "1").code == 0
    ran = knowhub("ingest", "a.md", "--kb", "99")
    assert (ran.code, ran.err.strip()) == (1, "Error: KB_NOT_FOUND: Knowledge base not found (request req_1)")


def test_ingest_refuses_to_choose_between_two_kbs_of_one_name(hub: StubHub, knowhub: Run) -> None:
    hub.add_kb("office")
    hub.add_kb("office")
    write("a.md", "x")
    ran = knowhub("ingest", "a.md", "--kb", "office")
    assert ran.code == 1
    assert "use an id instead: 1, 2" in ran.err


def test_ingest_sends_bytes_as_they_are(hub: StubHub, knowhub: Run) -> None:
    write("scan.pdf", b"%PDF-1.7\n\xff\xfe")
    assert knowhub("ingest", "scan.pdf", "--kb", "office").code == 0
    assert hub.asked("POST /kb/1/documents") == [
        {
            "title": "scan.pdf",
            "external_id": "scan.pdf",
            "file": {"name": "scan.pdf", "content_type": "application/pdf", "size": 11},
            "text": "%PDF-1.7\n\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}",
        }
    ]


def test_ingest_names_each_failure_and_each_skipped_file(hub: StubHub, knowhub: Run) -> None:
    write("docs/bad.md", "POISON")
    write("docs/good.md", "fine")
    write("docs/.hidden", "x")
    hub.add_kb("office")
    ran = knowhub("ingest", "docs", "gone.md", "--kb", "office")
    assert ran.code == 1
    assert ran.out == "1 ready, 2 failed, 1 skipped\n"
    assert "failed  docs/bad.md: it can't be read\n" in ran.err
    assert "failed  gone.md: does not exist\n" in ran.err
    assert "skipped  docs/.hidden: is hidden\n" in ran.err


def test_ingest_goes_on_after_a_refused_file(hub: StubHub, knowhub: Run) -> None:
    write("docs/a.md", "x")
    write("docs/b.md", "y")
    hub.add_kb("office")
    hub.script("POST /kb/1/documents", error(413, "PAYLOAD_TOO_LARGE", "Too large"))
    ran = knowhub("ingest", "docs", "--kb", "office")
    assert (ran.code, ran.out) == (1, "1 ready, 1 failed\n")
    assert "failed  docs/a.md: PAYLOAD_TOO_LARGE: Too large (request req_1)" in ran.err


def test_ingest_says_what_is_not_ready_in_time(hub: StubHub, knowhub: Run) -> None:
    hub.stuck = True
    write("a.md", "x")
    ran = knowhub("ingest", "a.md", "--kb", "office", "--timeout", "0")
    assert (ran.code, ran.out) == (1, "1 waiting\n")
    assert "waiting  a.md: not read yet; see job job_1" in ran.err


def test_ingest_need_not_wait(hub: StubHub, knowhub: Run) -> None:
    write("a.md", "x")
    ran = knowhub("ingest", "a.md", "--kb", "office", "--no-wait")
    assert (ran.code, ran.out) == (0, "1 sent\n")
    assert hub.jobs["job_1"]["looks"] == 0


def test_ingest_says_that_a_hub_without_imports_takes_no_url(hub: StubHub, knowhub: Run) -> None:
    hub.add_kb("office")
    ran = knowhub("ingest", "https://example.com/a", "--kb", "office")
    assert ran.code == 1
    assert "failed  https://example.com/a: this version of the hub serves no URL sources" in ran.err


def test_ingest_imports_a_url_where_the_hub_can(hub: StubHub, knowhub: Run) -> None:
    hub.add_kb("office")
    hub.jobs["job_9"] = {"job_id": "job_9", "looks": 0, "state": "completed", "failed": 0}
    hub.script("POST /kb/1/imports", answer(202, {"job_id": "job_9"}))
    ran = knowhub("ingest", "https://example.com/a", "--kb", "office")
    assert (ran.code, ran.out) == (0, "1 ready\n")
    assert hub.asked("POST /kb/1/imports") == [{"source": {"type": "url", "urls": ["https://example.com/a"]}}]


def test_what_an_import_lost_is_named_and_makes_it_fail(hub: StubHub, knowhub: Run) -> None:
    hub.add_kb("office")
    losses = [{"code": "HTTP_404", "where": "https://example.com/a", "detail": "not there"}]
    ended = {"looks": 0, "state": "completed", "failed": 3, "losses": losses, "loss_count": 3}
    hub.jobs["job_9"] = {"job_id": "job_9", **ended}
    hub.script("POST /kb/1/imports", answer(202, {"job_id": "job_9"}))
    ran = knowhub("ingest", "https://example.com/a", "--kb", "office")
    assert (ran.code, ran.out) == (1, "1 failed\n")
    assert ran.err.splitlines()[:3] == [
        "loss  https://example.com/a: HTTP_404 https://example.com/a: not there",
        "loss  https://example.com/a: and 2 more",
        "failed  https://example.com/a: 3 could not be read",
    ]


def test_a_file_of_which_something_was_lost_is_ready_and_the_loss_is_named(hub: StubHub, knowhub: Run) -> None:
    hub.add_kb("office")
    write("scan.pdf", b"%PDF")
    losses = [{"code": "PAGE_WITHOUT_TEXT", "where": "page 3", "detail": "an image"}]
    hub.jobs["job_9"] = {"job_id": "job_9", "looks": 0, "state": "completed", "failed": 0, "losses": losses}
    hub.script("POST /kb/1/documents", answer(202, {"doc_id": "d_1", "job_id": "job_9", "status": "pending"}))
    ran = knowhub("ingest", "scan.pdf", "--kb", "office")
    assert (ran.code, ran.out, ran.err) == (0, "1 ready\n", "loss  scan.pdf: PAGE_WITHOUT_TEXT page 3: an image\n")


def test_ingest_reports_as_one_json_document(hub: StubHub, knowhub: Run) -> None:
    write("docs/a.md", "x")
    write("docs/.hidden", "x")
    ran = knowhub("ingest", "docs", "--kb", "office", "--json")
    report = json.loads(ran.out)
    assert report["counts"] == {"ready": 1, "skipped": 1}
    assert [(each["path"], each["state"], each["doc_id"]) for each in report["documents"]] == [
        ("docs/.hidden", "skipped", None),
        ("docs/a.md", "ready", hub.documents[0]["doc_id"]),
    ]


def test_search_prints_hits_best_first(hub: StubHub, knowhub: Run) -> None:
    kb_id = hub.add_kb("office")
    hub.add_document(kb_id, "Travel", text="hotel\ncosts \x1b[31m[bold]")
    hub.add_document(kb_id, "More", text="another hotel")
    ran = knowhub("search", "hotel", "--kb", "office", "--top-k", "2", "--mode", "keyword")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "1. Travel  lines 1-2  1.00",
        "   hotel costs \N{REPLACEMENT CHARACTER}[31m[bold]",
        "2. More  lines 1-2  0.50",
        "   another hotel",
    ]
    assert hub.asked("POST /search") == [{"query": "hotel", "top_k": 2, "mode": "keyword", "kb_ids": [1]}]


def test_search_without_a_kb_leaves_the_scope_to_the_hub(hub: StubHub, knowhub: Run) -> None:
    ran = knowhub("search", "hotel")
    assert (ran.code, ran.out, ran.err) == (0, "", "nothing found\n")
    assert "kb_ids" not in hub.asked("POST /search")[0]


def test_search_gives_the_hubs_answer_as_json(hub: StubHub, knowhub: Run) -> None:
    hub.add_document(hub.add_kb("office"), "Travel", text="hotel")
    assert json.loads(knowhub("search", "hotel", "--json").out)["hits"][0]["title"] == "Travel"


def test_a_kb_that_is_not_there_is_named(knowhub: Run) -> None:
    ran = knowhub("search", "hotel", "--kb", "nowhere")
    assert ran.code == 1
    assert "no knowledge base named 'nowhere'" in ran.err


def test_ask_prints_the_answer_and_then_its_sources(hub: StubHub, knowhub: Run) -> None:
    hub.add_kb("office")
    pieces = [("delta", {"text": text}) for text in ("Up to ", "140 € ", "[1]")]
    hub.script("POST /kb/1/ask", event_stream(("sources", SOURCES), *pieces, ("done", DONE)))
    ran = knowhub("ask", "How much?", "--kb", "office")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "Up to 140 € [1]\n\n[1] Travel  lines 4  https://example.com/t\n"
    assert hub.asked("POST /kb/1/ask") == [{"question": "How much?", "stream": True}]


def test_ask_gives_one_event_a_line_as_json(hub: StubHub, knowhub: Run) -> None:
    hub.script("POST /ask", event_stream(("sources", SOURCES), ("delta", {"text": "知"}), ("done", DONE)))
    ran = knowhub("ask", "How much?", "--json")
    assert [json.loads(line)["event"] for line in ran.out.splitlines()] == ["sources", "delta", "done"]
    assert json.loads(ran.out.splitlines()[1]) == {"event": "delta", "text": "知"}


def test_ask_says_when_nothing_answers_and_shows_no_source_for_it(hub: StubHub, knowhub: Run) -> None:
    done = {"answer": "Nothing.", "finish_reason": "no_evidence"}
    hub.script("POST /ask", event_stream(("sources", SOURCES), ("delta", {"text": "Nothing."}), ("done", done)))
    ran = knowhub("ask", "Why?")
    assert (ran.code, ran.out, ran.err) == (0, "Nothing.\n", "no passage answers this\n")


def test_ask_ends_with_the_error_of_the_stream(hub: StubHub, knowhub: Run) -> None:
    failure = {"error": {"code": "SEARCH_UNAVAILABLE", "message": "Later", "request_id": "req_2"}}
    hub.script("POST /ask", event_stream(("delta", {"text": "Up"}), ("error", failure)))
    ran = knowhub("ask", "Why?")
    assert (ran.code, ran.out) == (1, "Up\n")
    assert "SEARCH_UNAVAILABLE: Later (request req_2)" in ran.err


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        (event_stream(("delta", {"text": "Up"})), "broke off"),
        (event_stream(("delta", "no object")), "no JSON object"),
    ],
)
def test_ask_does_not_take_half_an_answer_for_a_whole_one(
    hub: StubHub, knowhub: Run, stream: object, message: str
) -> None:
    hub.script("POST /ask", stream)  # type: ignore[arg-type]  # the parameters are answers
    ran = knowhub("ask", "Why?")
    assert ran.code == 1
    assert message in ran.err


def test_status_counts_documents_and_shows_failures(hub: StubHub, knowhub: Run) -> None:
    for name in ("office", "garden", "attic"):
        hub.add_kb(name)
    hub.add_document(1, "good")
    hub.add_document(1, "bad", status="failed", error="encrypted")
    hub.add_document(2, "new", status="pending")
    ran = knowhub("status")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == f"{hub.url}  version 9.9.9"
    assert [line.split("\t") for line in lines[1:4]] == [
        ["1", "office", "private", "0", "0", "1", "0", "1"],
        ["2", "garden", "private", "0", "0", "0", "1", "0"],
        ["3", "attic", "private", "0", "0", "0", "0", "0"],
    ]
    assert lines[4:] == ["failed  office: bad (d_2): encrypted"]


def test_status_looks_for_losses_where_that_takes_a_few_calls(hub: StubHub, knowhub: Run) -> None:
    loss = {"code": "PAGE_WITHOUT_TEXT", "where": "page 3", "detail": "an image"}
    hub.add_document(hub.add_kb("office", document_count=1000), "scan", losses=[loss])
    hub.add_document(hub.add_kb("archive", document_count=1001), "old", losses=[loss])
    ran = knowhub("status")
    assert ran.out.splitlines()[3:] == ["loss    office: scan (d_1): PAGE_WITHOUT_TEXT page 3: an image"]
    assert ran.err == "archive: losses are not looked for among so many documents; see --kb\n"


def test_status_of_one_kb_shows_losses(hub: StubHub, knowhub: Run) -> None:
    loss = {"code": "PAGE_WITHOUT_TEXT", "where": "page 3", "detail": "an image"}
    hub.add_document(hub.add_kb("office"), "scan", losses=[loss])
    ran = knowhub("status", "--kb", "office")
    assert ran.out.splitlines()[-1] == "loss    office: scan (d_1): PAGE_WITHOUT_TEXT page 3: an image"
    report = json.loads(knowhub("status", "--kb", "office", "--json").out)
    assert report["knowledge_bases"][0]["troubled"][0]["losses"] == [loss]


def test_status_shows_what_the_hub_lacks(hub: StubHub, knowhub: Run) -> None:
    dependencies = {"table": "ok", "chunk_index": {"state": "unavailable"}}
    hub.script("GET /health/ready", answer(503, {"status": "unready", "dependencies": dependencies}))
    ran = knowhub("status")
    assert ran.code == 1
    assert "chunk_index: unavailable" in ran.out
    assert "The hub is not ready." in ran.err


def test_status_does_without_a_readiness_route(hub: StubHub, knowhub: Run) -> None:
    hub.script("GET /health/ready", error(404, "ROUTE_NOT_FOUND", "Route not found"))
    assert knowhub("status").code == 0


def test_login_checks_the_key_before_it_keeps_it(hub: StubHub, knowhub: Run, tmp_path: Path) -> None:
    profile = tmp_path / "home" / ".config" / "knowhub" / "profile.json"
    assert knowhub("login", "--url", hub.url, "--key", WRONG).code == 1
    assert not profile.exists()
    ran = knowhub("login", "--url", f"{hub.url}/api/v1/", "--key", KEY)
    assert ran.code == 0
    assert KEY not in ran.out + ran.err
    assert json.loads(profile.read_text()) == {"url": hub.url, "api_key": KEY}
    assert stat.S_IMODE(profile.stat().st_mode) == 0o600


def test_a_profile_serves_the_next_commands(hub: StubHub, knowhub: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert knowhub("login", "--url", hub.url, "--key", KEY).code == 0
    monkeypatch.delenv("KNOWHUB_URL")
    monkeypatch.delenv("KNOWHUB_API_KEY")
    assert knowhub("status").code == 0


def test_a_hub_that_is_away_is_exit_code_3(knowhub: Run) -> None:
    ran = knowhub("search", "x", "--url", "http://127.0.0.1:1", "--key", KEY)
    assert ran.code == 3
    assert ran.err.startswith("Error: The hub at http://127.0.0.1:1 can't be reached")


@pytest.mark.parametrize(
    "arguments",
    [["search"], ["ingest", "a.md"], ["search", "x", "--mode", "psychic"], ["nothing"], ["search", "x", "--url", "?"]],
)
def test_a_wrong_command_line_is_exit_code_2(knowhub: Run, arguments: list[str]) -> None:
    assert knowhub(*arguments).code == 2


def test_the_hub_may_be_named_before_the_command(knowhub: Run) -> None:
    assert knowhub("--key", WRONG, "search", "x").code == 1
    assert knowhub("--key", WRONG, "search", "x", "--key", KEY).code == 0


def test_a_wrong_key_is_exit_code_1(knowhub: Run) -> None:
    ran = knowhub("search", "x", "--key", WRONG)
    assert (ran.code, ran.err) == (1, "Error: UNAUTHENTICATED: Sign in (request req_1)\n")


@pytest.mark.usefixtures("knowhub")
def test_an_interrupt_ends_a_waiting_command_with_130(hub: StubHub, surroundings: dict[str, str]) -> None:
    hub.stuck = True
    write("a.md", "x")
    command = [sys.executable, "-m", "knowhub_cli", "ingest", "a.md", "--kb", "office"]
    with subprocess.Popen(
        command, env=surroundings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while not hub.asked("GET /jobs/job_1"):
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in out + err


@pytest.mark.usefixtures("knowhub")
def test_a_reader_that_stops_reading_ends_the_command_quietly(hub: StubHub, surroundings: dict[str, str]) -> None:
    kb_id = hub.add_kb("office")
    for number in range(50):
        hub.add_document(kb_id, "long", text="hotel " * 2000, external_id=str(number))
    command = f"'{sys.executable}' -m knowhub_cli search hotel --top-k 50 --json | head -c 10"
    environment = {**surroundings, "PATH": "/usr/bin:/bin"}
    run = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, check=False)
    assert (run.stdout, run.stderr) == (b'{"query": ', b"")


@pytest.mark.usefixtures("knowhub")
def test_a_reader_that_stops_reading_gives_the_code_of_a_closed_pipe(
    hub: StubHub, surroundings: dict[str, str]
) -> None:
    kb_id = hub.add_kb("office")
    for number in range(50):
        hub.add_document(kb_id, "long", text="hotel " * 2000, external_id=str(number))
    command = f"'{sys.executable}' -m knowhub_cli search hotel --top-k 50 | head -n 1; exit ${{PIPESTATUS[0]}}"
    environment = {**surroundings, "PATH": "/usr/bin:/bin"}
    run = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (141, b"1. long  lines 1-2  1.00\n", b"")


@pytest.mark.usefixtures("knowhub")
def test_output_that_can_not_be_written_is_said_in_a_line(hub: StubHub, surroundings: dict[str, str]) -> None:
    command = f"'{sys.executable}' -m knowhub_cli status > /dev/full"
    run = subprocess.run(["bash", "-c", command], env=surroundings, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr == "Error: the output can't be written: No space left on device\n"


@pytest.mark.usefixtures("knowhub")
def test_login_takes_the_key_from_a_pipe_without_a_word(hub: StubHub, surroundings: dict[str, str]) -> None:
    command = [sys.executable, "-m", "knowhub_cli", "login", "--url", hub.url]
    run = subprocess.run(
        command, env=surroundings, input=f"{KEY}\n", capture_output=True, text=True, check=False, start_new_session=True
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith(f"signed in at {hub.url}")


@pytest.mark.usefixtures("knowhub")
def test_an_interrupt_while_modules_are_loaded_ends_with_130(surroundings: dict[str, str], tmp_path: Path) -> None:
    module = tmp_path / "first" / "httpx.py"
    module.parent.mkdir()
    module.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    environment = {**surroundings, "PYTHONPATH": f"{module.parent}:{surroundings['PYTHONPATH']}"}
    command = [sys.executable, "-m", "knowhub_cli", "status"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "")


def test_the_version_is_printed(knowhub: Run) -> None:
    assert knowhub("--version").out == f"knowhub {VERSION}\n"


@pytest.mark.parametrize("key", [f"{KEY}\nX-Other: y", f"{KEY[:-1]}\N{LATIN SMALL LETTER E WITH ACUTE}", "secret"])
def test_a_key_that_is_none_is_never_shown(
    knowhub: Run, hub: StubHub, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("KNOWHUB_API_KEY", key)
    for ran in (knowhub("status"), knowhub("status", "--key", key), knowhub("login", "--url", hub.url, "--key", key)):
        assert ran.code == 2
        assert key not in ran.err
        assert KEY[:20] not in ran.err
        assert "has not the form" in ran.err
    assert hub.requests == []


def test_a_line_end_behind_a_key_is_no_part_of_it(knowhub: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNOWHUB_API_KEY", f"{KEY}\r\n")
    assert knowhub("status").code == 0
