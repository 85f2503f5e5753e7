"""Imports and sources over HTTP, from a folder that the hub may read."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

import pytest

from knowhub.bootstrap import hub_of
from knowhub.catalog.sources import SourceRows
from knowhub.errors import Unavailable
from knowhub.ports.table import Key, Table, Update
from tests.hubs import Answer, Rig


def write(hub: Rig, **files: str) -> None:
    for name, text in files.items():
        (hub.folder / "imports" / name.replace("_", ".")).write_text(text)


def start(hub: Rig, key: str, kb: int, **body: Any) -> Answer:
    source = {"type": "dir", "path": str(hub.folder / "imports"), **body.pop("source", {})}
    return hub.http("POST", f"/kb/{kb}/imports", {"source": source, **body}, key=key)


def job(hub: Rig, key: str, answer: Answer) -> Any:
    return hub.http("GET", f"/jobs/{answer.json['job_id']}", key=key).json


def titles(hub: Rig, key: str, kb: int) -> list[str]:
    return sorted(one["name"] for one in hub.http("GET", f"/kb/{kb}/documents", key=key).json["items"])


def reload(hub: Rig, key: str, kb: int, name: str = "docs") -> Any:
    answer = hub.http("POST", f"/kb/{kb}/sources/{name}/reload", key=key, raw=b"{}")
    assert answer.status == 202
    hub.drain()
    return job(hub, key, answer)


@contextmanager
def away(hub: Rig, name: str) -> Iterator[None]:
    path = hub.folder / "imports" / name
    kept = path.read_bytes()
    path.unlink()
    yield
    path.write_bytes(kept)


def test_a_folder_is_imported_and_its_job_counts_what_came_of_it(hub: Rig, alice: str, kb: int) -> None:
    write(hub, a_md="# Walrus\n\nsleeps\n", b_txt="narwhal", c_md="  ")
    answer = start(hub, alice, kb, name="docs", metadata={"team": "sea"})
    assert answer.status == 202
    hub.drain()
    done = job(hub, alice, answer)
    assert (done["state"], done["kind"]) == ("completed", "import")
    assert (done["total"], done["done"], done["failed"]) == (3, 2, 1)
    assert [loss["where"].rpartition("/")[2] for loss in done["losses"]] == ["c.md"]
    source = hub.http("GET", f"/kb/{kb}/sources/docs", key=alice).json
    assert (source["busy"], source["document_count"], source["loss_count"], source["error"]) == (False, 2, 1, None)
    listed = hub.http("GET", f"/kb/{kb}/documents", key=alice, query={"source": "docs"}).json
    assert listed["total"] == 3
    assert {one["source"] for one in listed["items"]} == {"docs"}
    assert listed["items"][0]["metadata"]["team"] == "sea"


def test_a_reload_touches_what_changed_adds_what_is_new_and_removes_what_is_gone(hub: Rig, alice: str, kb: int) -> None:
    write(hub, a_md="walrus", b_md="narwhal", c_md="beluga")
    start(hub, alice, kb, name="docs")
    hub.drain()
    before = {one["name"]: one for one in hub.http("GET", f"/kb/{kb}/documents", key=alice).json["items"]}
    write(hub, b_md="narwhal with a tusk", d_md="orca")
    (hub.folder / "imports" / "c.md").unlink()
    done = reload(hub, alice, kb)
    assert (done["state"], done["total"], done["done"]) == ("completed", 3, 3)
    after = {one["name"]: one for one in hub.http("GET", f"/kb/{kb}/documents", key=alice).json["items"]}
    assert set(after) == {"a.md", "b.md", "d.md"}
    assert after["a.md"]["updated_at"] == before["a.md"]["updated_at"]
    assert (after["b.md"]["revision"], after["b.md"]["doc_id"]) == (2, before["b.md"]["doc_id"])


def test_a_source_that_lists_nothing_or_can_not_be_listed_removes_nothing(hub: Rig, alice: str, kb: int) -> None:
    write(hub, a_md="walrus")
    start(hub, alice, kb, name="docs")
    hub.drain()
    with away(hub, "a.md"):
        reload(hub, alice, kb)
    assert titles(hub, alice, kb) == ["a.md"]
    folder = hub.folder / "imports"
    folder.rename(hub.folder / "elsewhere")
    failed = reload(hub, alice, kb)
    assert (failed["state"], bool(failed["error"])) == ("failed", True)
    assert titles(hub, alice, kb) == ["a.md"]


def test_only_what_came_from_the_same_source_is_removed(hub: Rig, alice: str, kb: int) -> None:
    write(hub, a_md="walrus", b_md="narwhal")
    hub.http("POST", f"/kb/{kb}/documents", {"title": "own.md", "text": "mine", "external_id": "own"}, key=alice)
    start(hub, alice, kb, name="docs")
    hub.drain()
    (hub.folder / "imports" / "b.md").unlink()
    reload(hub, alice, kb)
    assert titles(hub, alice, kb) == ["a.md", "own.md"]


def test_a_removed_source_takes_its_documents_along(hub: Rig, alice: str, kb: int) -> None:
    write(hub, a_md="walrus", b_md="narwhal")
    start(hub, alice, kb, name="docs")
    hub.drain()
    answer = hub.http("DELETE", f"/kb/{kb}/sources/docs", key=alice)
    assert answer.status == 202
    hub.drain()
    assert job(hub, alice, answer)["state"] == "completed"
    assert hub.http("GET", f"/kb/{kb}/sources/docs", key=alice).code == "SOURCE_NOT_FOUND"
    assert titles(hub, alice, kb) == []
    assert hub.ports.blobs.list("").keys == ()
    assert start(hub, alice, kb, name="docs").status == 202


def test_a_name_is_taken_once_and_a_reload_under_way_is_not_doubled(hub: Rig, alice: str, kb: int) -> None:
    write(hub, a_md="walrus")
    first = start(hub, alice, kb, name="docs")
    assert start(hub, alice, kb, name="docs").code == "CONFLICT"
    for method, path in (("POST", "/reload"), ("DELETE", "")):
        answer = hub.http(method, f"/kb/{kb}/sources/docs{path}", key=alice)
        assert (answer.status, answer.code) == (409, "CONFLICT")
        assert answer.json["error"]["detail"] == first.json


def test_what_is_being_removed_is_neither_read_again_nor_removed_twice(hub: Rig, alice: str, kb: int) -> None:
    write(hub, a_md="walrus")
    start(hub, alice, kb, name="docs")
    hub.drain()
    removal = hub.http("DELETE", f"/kb/{kb}/sources/docs", key=alice)
    for method, path in (("POST", "/reload"), ("DELETE", "")):
        answer = hub.http(method, f"/kb/{kb}/sources/docs{path}", key=alice)
        assert (answer.status, answer.code) == (409, "CONFLICT")
        assert answer.json["error"]["detail"] == removal.json
    hub.drain()
    assert hub.http("POST", f"/kb/{kb}/sources/docs/reload", key=alice).code == "SOURCE_NOT_FOUND"


def test_sources_and_their_documents_are_listed_by_pages(hub: Rig, alice: str, kb: int) -> None:
    write(hub, a_md="walrus", b_md="narwhal", c_md="orca")
    for name in ("one", "two"):
        start(hub, alice, kb, name=name)
    hub.drain()
    page = hub.http("GET", f"/kb/{kb}/sources", key=alice, query={"page_size": 1}).json
    assert ([one["name"] for one in page["items"]], page["total"]) == (["one"], 2)
    rest = hub.http("GET", f"/kb/{kb}/sources", key=alice, query={"cursor": page["next_cursor"]}).json
    assert [one["name"] for one in rest["items"]] == ["two"]
    seen: list[str] = []
    query: dict[str, Any] = {"page_size": 2}
    while True:
        found = hub.http("GET", f"/kb/{kb}/sources/one/documents", key=alice, query=query).json
        seen += [one["name"] for one in found["items"]]
        if found["next_cursor"] is None:
            break
        query["cursor"] = found["next_cursor"]
    assert sorted(seen) == ["a.md", "b.md", "c.md"]
    row = found["items"][0]
    document = hub.http("GET", f"/documents/{row['doc_id']}", key=alice).json
    assert row["metadata"]["uri"] == (hub.folder / "imports" / row["name"]).as_uri()
    assert (row["chunk_count"], row["chunk_count"]) == (1, document["chunk_count"])


def test_literal_text_is_imported_as_it_is(hub: Rig, alice: str, kb: int) -> None:
    body = {"source": {"type": "auto", "inputs": ["The walrus sleeps on ice."]}}
    answer = hub.http("POST", f"/kb/{kb}/imports", body, key=alice)
    hub.drain()
    assert job(hub, alice, answer)["state"] == "completed"
    hits = hub.http("POST", f"/kb/{kb}/search", {"query": "walrus"}, key=alice).json["hits"]
    assert [hit["text"] for hit in hits] == ["The walrus sleeps on ice."]


def test_an_imports_chunking_and_transformers_replace_the_kbs(hub: Rig, alice: str, kb: int) -> None:
    write(hub, a_txt="walrus     sleeps. " * 20)
    dedup = {"name": "char_dedup", "strings": [" "]}
    start(hub, alice, kb, chunking={"strategy": "fixed", "size": 100}, transformers=[dedup])
    hub.drain()
    document = hub.http("GET", f"/kb/{kb}/documents", key=alice).json["items"][0]
    assert document["chunk_count"] > 1
    assert "  " not in hub.http("GET", f"/documents/{document['doc_id']}/content", key=alice).json["text"]


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ({"type": "dir", "path": "/etc"}, 403),
        ({"type": "file", "files": ["/etc/passwd"]}, 403),
        ({"type": "file", "files": ["s3://somebody/else"]}, 403),
        ({"type": "url", "urls": ["file:///etc/passwd"]}, 422),
        ({"type": "magic"}, 422),
        ({"type": "url", "urls": []}, 422),
        ({"type": "dir", "path": "x", "colour": "red"}, 422),
    ],
)
def test_what_the_hub_may_not_reach_or_does_not_know_is_refused(
    hub: Rig, alice: str, kb: int, source: dict[str, Any], status: int
) -> None:
    assert hub.http("POST", f"/kb/{kb}/imports", {"source": source}, key=alice).status == status


def test_an_address_that_can_not_be_reached_fails_its_job_with_the_reason(hub: Rig, alice: str, kb: int) -> None:
    body = {"source": {"type": "url", "urls": ["https://example.invalid/a.md"]}}
    answer = hub.http("POST", f"/kb/{kb}/imports", body, key=alice)
    hub.drain()
    failed = job(hub, alice, answer)
    assert failed["state"] == "failed"
    assert failed["losses"]


def test_others_see_neither_sources_nor_jobs(hub: Rig, alice: str, bob: str, kb: int) -> None:
    write(hub, a_md="walrus")
    answer = start(hub, alice, kb, name="docs")
    assert hub.http("GET", f"/kb/{kb}/sources", key=bob).code == "KB_NOT_FOUND"
    assert hub.http("GET", f"/kb/{kb}/sources/docs", key=bob).code == "KB_NOT_FOUND"
    assert start(hub, bob, kb, name="mine").code == "KB_NOT_FOUND"
    assert hub.http("GET", f"/jobs/{answer.json['job_id']}", key=bob).code == "JOB_NOT_FOUND"


def test_an_import_ends_when_its_starter_loses_the_kb(hub: Rig, alice: str, kb: int) -> None:
    write(hub, a_md="walrus")
    start(hub, alice, kb, name="docs")
    hub.http("DELETE", f"/kb/{kb}", key=alice)
    hub.drain()
    assert hub.ports.blobs.list("").keys == ()


def test_a_file_is_read_again_when_how_it_is_read_has_changed(hub: Rig, alice: str, kb: int) -> None:
    write(hub, a_md="walrus")
    start(hub, alice, kb, name="docs")
    hub.drain()
    document = hub.http("GET", f"/kb/{kb}/documents", key=alice).json["items"][0]
    key = Key(f"DOC#{document['doc_id']}", "HEAD")
    hub.ports.table.write(Update(key, values={"fingerprint": "of an older version"}))
    reload(hub, alice, kb)
    assert hub.http("GET", f"/documents/{document['doc_id']}", key=alice).json["revision"] == 2


def test_work_of_an_import_whose_message_was_lost_is_sent_again(hub: Rig, alice: str, kb: int) -> None:
    write(hub, a_md="walrus")
    answer = start(hub, alice, kb, name="docs")
    hub.ports.queue.delete([one.receipt for one in hub.ports.queue.receive(limit=10, visibility_seconds=60)])
    hub.clock.seconds += 601
    assert hub.workshop.maintenance.sweep() == 1
    hub.drain()
    assert job(hub, alice, answer)["state"] == "completed"
    hub.clock.seconds += 601
    assert hub.workshop.maintenance.sweep() == 0


def test_a_known_document_that_can_not_be_taken_again_stays_and_counts_as_lost_once(
    hub: Rig, alice: str, kb: int
) -> None:
    write(hub, a_md="walrus", b_md="narwhal")
    start(hub, alice, kb, name="docs")
    hub.drain()
    (hub.folder / "imports" / "b.md").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 50)
    done = reload(hub, alice, kb)
    assert (done["state"], done["total"], done["done"], done["failed"]) == ("completed", 2, 1, 1)
    assert titles(hub, alice, kb) == ["a.md", "b.md"]
    assert hub.http("POST", f"/kb/{kb}/search", {"query": "narwhal"}, key=alice).json["hits"]


def test_a_file_that_is_offered_twice_is_one_document(hub: Rig, alice: str, kb: int) -> None:
    write(hub, a_md="walrus", b_md="narwhal")
    folder = str(hub.folder / "imports")
    body = {"source": {"type": "auto", "inputs": [folder, f"{folder}/a.md"]}}
    answer = hub.http("POST", f"/kb/{kb}/imports", body, key=alice)
    hub.drain()
    done = job(hub, alice, answer)
    assert (done["state"], done["total"], done["done"]) == ("completed", 2, 2)


def test_a_reload_needs_no_body(hub: Rig, alice: str, kb: int) -> None:
    write(hub, a_md="walrus")
    start(hub, alice, kb, name="docs")
    hub.drain()
    assert hub.http("POST", f"/kb/{kb}/sources/docs/reload", key=alice).status == 202


@pytest.mark.parametrize("name", ["what?", "a#b", 'a"b', ".", "..", "a/b", "हिन्दी"])
def test_a_name_that_could_not_stand_in_an_address_is_refused(hub: Rig, alice: str, kb: int, name: str) -> None:
    answer = start(hub, alice, kb, name=name)
    assert (answer.status, answer.code) == (422, "INVALID_REQUEST")


@pytest.mark.parametrize("name", ["my docs", "文档", "v1.2_x-y"])
def test_a_name_in_any_language_is_found_again(hub: Rig, alice: str, kb: int, name: str) -> None:
    write(hub, a_md="walrus")
    assert start(hub, alice, kb, name=name).status == 202
    assert hub.http("GET", f"/kb/{kb}/sources/{name}", key=alice).json["name"] == name


@pytest.mark.parametrize(
    "body",
    [
        {"chunk_overlap": 1500},
        {"source": {"chunk_overlap": 1500}},
        {"source": {"metadata": {"t": "x" * 20_000}}},
        {"source": {"metadata": {"": 1}}},
    ],
)
def test_what_could_only_fail_later_is_refused_at_once(hub: Rig, alice: str, kb: int, body: dict[str, Any]) -> None:
    answer = start(hub, alice, kb, **body)
    assert (answer.status, answer.code) == (422, "INVALID_REQUEST")
    assert "operation" not in answer.body.decode()


def test_a_size_alone_leaves_the_kbs_strategy_and_overlap(hub: Rig, alice: str) -> None:
    chunking = {"strategy": "recursive", "size": 400, "overlap": 50}
    kb = hub.http("POST", "/kb", {"name": "Cut", "chunking": chunking}, key=alice).json["kb_id"]
    write(hub, a_txt="one two three four. " * 60)
    start(hub, alice, kb, chunk_size=200)
    hub.drain()
    doc_id = hub.http("GET", f"/kb/{kb}/documents", key=alice).json["items"][0]["doc_id"]
    chunks = hub.http("GET", f"/documents/{doc_id}/chunks", key=alice).json["items"]
    assert all(len(chunk["text"]) <= 200 for chunk in chunks)
    assert any(chunk["overlap"] for chunk in chunks)


def test_what_lies_beneath_a_folder_that_became_a_link_stays(hub: Rig, alice: str, kb: int) -> None:
    folder = hub.folder / "imports"
    (folder / "sub").mkdir()
    (folder / "sub" / "in.md").write_text("walrus")
    write(hub, a_md="narwhal")
    start(hub, alice, kb, name="docs", source={"recursive": True})
    hub.drain()
    (folder / "sub").rename(hub.folder / "moved")
    (folder / "sub").symlink_to(hub.folder / "moved")
    reload(hub, alice, kb)
    assert titles(hub, alice, kb) == ["a.md", "in.md"]


def test_many_long_losses_neither_break_an_import_nor_let_it_remove_anything(hub: Rig, alice: str, kb: int) -> None:
    write(hub, a_md="walrus", b_md="narwhal")
    start(hub, alice, kb, name="docs")
    hub.drain()
    (hub.folder / "imports" / "b.md").unlink()
    for number in range(500):
        (hub.folder / "imports" / f"{number:03d}{'長' * 70}").symlink_to("/nowhere")
    done = reload(hub, alice, kb)
    assert (done["state"], done["done"], done["failed"]) == ("completed", 1, 500)
    assert done["losses"][0]["code"] == "REMOVALS_SKIPPED"
    assert titles(hub, alice, kb) == ["a.md", "b.md"]


def test_a_deleted_kb_leaves_no_source_and_no_list_of_files(hub: Rig, alice: str, kb: int) -> None:
    write(hub, a_md="walrus")
    start(hub, alice, kb, name="docs")
    start(hub, alice, kb)
    hub.drain()
    hub.http("DELETE", f"/kb/{kb}", key=alice)
    hub.drain()
    rows = SourceRows(hub.ports.table)
    assert rows.all(kb) == []
    assert list(rows.listed.all(kb, "docs")) == []


def test_a_start_that_breaks_off_leaves_no_busy_source(hub: Rig, alice: str, kb: int) -> None:
    class Broken:
        def transact(self, operations: Any) -> None:
            raise Unavailable(str(len(operations)))

        def __getattr__(self, name: str) -> Any:
            return getattr(hub.ports.table, name)

    write(hub, a_md="walrus")
    principal = hub.hub.identity.authenticate(f"Bearer {alice}")
    sent: dict[str, object] = {"source": {"type": "dir", "path": str(hub.folder / "imports")}, "name": "docs"}
    broken = hub_of(replace(hub.ports, table=cast("Table", Broken())), "")
    with pytest.raises(Unavailable):
        broken.imports.start(principal, kb, sent)
    assert start(hub, alice, kb, name="docs").status == 202
    hub.drain()
    assert titles(hub, alice, kb) == ["a.md"]
