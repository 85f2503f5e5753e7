"""How an import cuts, and what its files are called: every option reaches the chunks, and every fault is told."""

import itertools
from typing import Any

import pytest

from tests.hubs import Answer, Rig

PROSE = "one two three four. " * 60


def start(hub: Rig, key: str, kb: int, text: str, name: str = "a.txt", **body: Any) -> Answer:
    (hub.folder / "imports" / name).write_text(text)
    source = {"type": "dir", "path": str(hub.folder / "imports"), **body.pop("source", {})}
    return hub.http("POST", f"/kb/{kb}/imports", {"source": source, **body}, key=key)


def cut(hub: Rig, key: str, kb: int, text: str, name: str = "a.txt", **body: Any) -> list[str]:
    answer = start(hub, key, kb, text, name, **body)
    assert answer.status == 202, answer.body
    hub.drain()
    doc_id = hub.http("GET", f"/kb/{kb}/documents", key=key).json["items"][0]["doc_id"]
    chunks = hub.http("GET", f"/documents/{doc_id}/chunks", key=key, query={"page_size": 200}).json["items"]
    return [chunk["text"] for chunk in chunks]


@pytest.mark.parametrize("place", ["beside", "inside"])
def test_a_strategy_of_ones_own_overrides_size_and_overlap_completely(
    hub: Rig, alice: str, kb: int, place: str
) -> None:
    options = {"chunking": {"strategy": "fixed"}, "chunk_size": 100, "chunk_overlap": 50}
    body: dict[str, Any] = options if place == "beside" else {"source": options}
    assert max(map(len, cut(hub, alice, kb, PROSE, **body))) > 600


def test_sizes_and_overlaps_of_a_strategy_are_those_of_its_chunks(hub: Rig, alice: str, kb: int) -> None:
    chunks = cut(hub, alice, kb, PROSE, chunking={"strategy": "fixed", "size": 200, "overlap": 60})
    assert all(len(chunk) <= 200 for chunk in chunks)
    assert all(second[:10] in first for first, second in itertools.pairwise(chunks))


def test_separators_are_those_that_a_recursive_cut_goes_by(hub: Rig, alice: str, kb: int) -> None:
    text = "".join(f"part {number:03d} of the text|" for number in range(40))
    chunking = {"strategy": "recursive", "size": 100, "separators": ["|"]}
    chunks = cut(hub, alice, kb, text, chunking=chunking)
    assert all(chunk.endswith("|") for chunk in chunks)
    assert len(chunks) > 1


@pytest.mark.parametrize("trim", [True, False])
def test_white_space_is_trimmed_only_if_asked_for(hub: Rig, alice: str, kb: int, trim: bool) -> None:
    chunks = cut(hub, alice, kb, "    indented  \n      more\n", chunking={"trim_whitespace": trim})
    assert chunks == (["indented\nmore"] if trim else ["    indented  \n      more\n"])


@pytest.mark.parametrize("lines", [True, False])
def test_lines_are_kept_whole_only_if_asked_for(hub: Rig, alice: str, kb: int, lines: bool) -> None:
    text = "a line of text. And its second sentence is here\n" * 20
    chunks = cut(hub, alice, kb, text, chunking={"strategy": "fixed", "size": 100, "preserve_lines": lines})
    assert all(line.startswith("a line") for chunk in chunks for line in chunk.splitlines()) is lines or not lines
    whole = all(chunk.rstrip("\n").endswith("here") and chunk.startswith("a line") for chunk in chunks)
    assert whole if lines else len(chunks) > 1


def test_records_may_be_cut_as_plain_text(hub: Rig, alice: str, kb: int) -> None:
    table = "name,words\n" + "".join(f"row {number},some words of it\n" for number in range(40))
    rows = cut(hub, alice, kb, table, "a.csv", chunking={"strategy": "fixed", "size": 200})
    assert all(chunk.startswith("name | words") for chunk in rows)


def test_json_without_a_size_has_chunks_of_two_thousand_bytes(hub: Rig, alice: str, kb: int) -> None:
    text = '{"list": [' + ", ".join(f'"value {number}"' for number in range(400)) + "]}"
    sizes = [len(chunk.encode()) for chunk in cut(hub, alice, kb, text, "a.json", chunking={"strategy": "json"})]
    assert 1024 < max(sizes) <= 2000


def test_trimming_and_whole_lines_leave_json_as_it_is(hub: Rig, alice: str, kb: int) -> None:
    chunking = {"trim_whitespace": True, "preserve_lines": True}
    assert cut(hub, alice, kb, '{\n  "a": " b "\n}\n', "a.json", chunking=chunking) == ['{"a":" b "}']


BAD = [
    ({"strategy": "magic"}, "strategy"),
    ({"size": 99}, "size"),
    ({"size": 8001}, "size"),
    ({"size": "500"}, "size"),
    ({"overlap": -1}, "overlap"),
    ({"size": 200, "overlap": 200}, "overlap"),
    ({"strategy": "fixed", "separators": ["|"]}, "separators"),
    ({"separators": ["|"]}, "separators"),
    ({"strategy": "recursive", "separators": []}, "separators"),
    ({"strategy": "recursive", "separators": [""]}, "separators"),
    ({"strategy": "recursive", "separators": ["x" * 101]}, "separators"),
    ({"strategy": "recursive", "separators": ["|"] * 51}, "separators"),
    ({"strategy": "recursive", "separators": "|"}, "separators"),
    ({"strategy": "json", "trim_whitespace": True}, "trim_whitespace"),
    ({"trim_whitespace": 1}, "trim_whitespace"),
    ({"strategy": "markdown", "preserve_lines": True}, "preserve_lines"),
    ({"preserve_lines": "yes"}, "preserve_lines"),
    ({"colour": "red"}, "colour"),
]


@pytest.mark.parametrize("place", ["beside", "inside"])
@pytest.mark.parametrize(("chunking", "member"), BAD)
def test_what_does_not_fit_is_told_in_its_place(
    hub: Rig, alice: str, kb: int, chunking: dict[str, Any], member: str, place: str
) -> None:
    body: dict[str, Any] = {"chunking": chunking}
    answer = start(hub, alice, kb, "x", **(body if place == "beside" else {"source": body}))
    assert (answer.status, answer.code) == (422, "INVALID_REQUEST")
    fault = answer.json["error"]["detail"]["errors"][0]
    assert fault["loc"][:2] == ["body", "chunking"]
    words = {"overlap": "overlap", "separators": "separators", "trim_whitespace": "white space"}
    assert fault["loc"][2:3] == [member] or words.get(member, "whole lines") in fault["message"]


@pytest.mark.parametrize(
    "chunking",
    [
        {"strategy": "recursive", "separators": ["|", "\n"]},
        {"trim_whitespace": True},
        {"preserve_lines": True},
        {"preserve_lines": False},
        {"strategy": "recursive"},
        {"size": 500},
        {"overlap": 20},
    ],
)
def test_every_option_is_part_of_how_a_document_was_read(
    hub: Rig, alice: str, kb: int, chunking: dict[str, Any]
) -> None:
    def read_as(name: str, **body: Any) -> str:
        start(hub, alice, kb, "walrus", name=name, **body)
        hub.drain()
        row = hub.http("GET", f"/kb/{kb}/documents", key=alice, query={"q": name}).json["items"][0]
        head = hub.workshop.ingest._documents.head(row["doc_id"])
        assert head is not None
        return head.fingerprint

    plain, cut_otherwise = read_as("a.txt"), read_as("b.txt", chunking=chunking)
    again = read_as("c.txt", chunking=chunking)
    assert cut_otherwise == again != plain


def test_a_kb_takes_the_same_options_and_shows_them(hub: Rig, alice: str) -> None:
    chunking = {"strategy": "recursive", "size": 100, "separators": ["|"], "trim_whitespace": True}
    made = hub.http("POST", "/kb", {"name": "Cut", "chunking": chunking}, key=alice).json
    shown = {**chunking, "overlap": 0, "preserve_lines": None}
    assert made["chunking"] == shown
    assert hub.http("GET", f"/kb/{made['kb_id']}", key=alice).json["chunking"] == shown
    text = "".join(f"part {number:03d} of the text|" for number in range(40))
    assert all(chunk.endswith("|") for chunk in cut(hub, alice, made["kb_id"], text))


@pytest.mark.parametrize(("chunking", "member"), BAD)
def test_a_kb_refuses_what_an_import_refuses(hub: Rig, alice: str, chunking: dict[str, Any], member: str) -> None:
    answer = hub.http("POST", "/kb", {"name": "Cut", "chunking": chunking}, key=alice)
    assert (answer.status, answer.code) == (422, "INVALID_REQUEST"), member


NAMES = [("../../x.md", "x.md"), ("C:\\docs\\x.md", "x.md"), ("..", "document"), ("a/b/x.md", "x.md")]


@pytest.mark.parametrize(("sent", "kept"), [*NAMES, ("x\\x00.md", "x_.md")])
def test_an_upload_is_called_by_its_last_part_or_refused(hub: Rig, alice: str, kb: int, sent: str, kept: str) -> None:
    sent = sent.encode().decode("unicode_escape") if "x00" in sent else sent
    answer = hub.http("POST", f"/kb/{kb}/uploads", {"filename": sent, "size": 9}, key=alice)
    if "\0" in sent:
        assert answer.status == 422
        return
    key = hub.ports.blobs.accept_upload(answer.json["fields"], "text/plain", b"walrus")  # type: ignore[attr-defined] # the folder store has it
    hub.workshop.uploads.arrived(key)
    hub.drain()
    row = hub.http("GET", f"/kb/{kb}/documents", key=alice).json["items"][0]
    assert (row["name"], row["title"]) == (kept, kept)


@pytest.mark.parametrize(("sent", "kept"), [*NAMES, ("x\0y.md", "x_y.md"), ("x\x1by.md", "x_y.md")])
def test_a_form_s_file_is_called_by_its_last_part(hub: Rig, alice: str, kb: int, sent: str, kept: str) -> None:
    head = f'form-data; name="file"; filename="{sent.replace(chr(92), chr(92) * 2)}"'
    body = f"--edge\r\nContent-Disposition: {head}\r\n\r\nwalrus\r\n--edge--\r\n".encode()
    headers = {"Content-Type": "multipart/form-data; boundary=edge"}
    answer = hub.http("POST", f"/kb/{kb}/documents", key=alice, raw=body, headers=headers)
    if answer.status == 422:
        # The form's own parser refuses what can't stand in a header.
        assert not sent.isprintable()
        return
    assert answer.status == 202, answer.body
    hub.drain()
    row = hub.http("GET", f"/kb/{kb}/documents", key=alice).json["items"][0]
    assert (row["name"], row["title"]) == (kept, kept)


def test_a_title_that_looks_like_a_path_names_no_path(hub: Rig, alice: str, kb: int) -> None:
    hub.http("POST", f"/kb/{kb}/documents", {"title": "../../x", "text": "walrus"}, key=alice)
    row = hub.http("GET", f"/kb/{kb}/documents", key=alice).json["items"][0]
    assert (row["title"], row["name"]) == ("../../x", ".._.._x")


def test_a_text_s_title_has_no_control_characters(hub: Rig, alice: str, kb: int) -> None:
    source = {"type": "auto", "inputs": ["a\0b\x1b[31m\u202e walrus\nand more"]}
    hub.http("POST", f"/kb/{kb}/imports", {"source": source}, key=alice)
    hub.drain()
    row = hub.http("GET", f"/kb/{kb}/documents", key=alice).json["items"][0]
    assert row["title"] == "a b [31m walrus"


def test_a_folder_s_file_with_a_control_character_is_a_loss(hub: Rig, alice: str, kb: int) -> None:
    (hub.folder / "imports" / "a\x01.md").write_text("x")
    answer = start(hub, alice, kb, "walrus")
    hub.drain()
    done = hub.http("GET", f"/jobs/{answer.json['job_id']}", key=alice).json
    assert (done["done"], [loss["code"] for loss in done["losses"]]) == (1, ["BAD_NAME"])
