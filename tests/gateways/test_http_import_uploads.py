"""Uploaded files as files of an import: sent first, named by their ids, read with its options."""

import json
from typing import Any

import pytest

from knowhub.catalog.documents import DocumentRows
from knowhub.catalog.uploads import UploadRows
from knowhub.gateways.queues import document_queue_gateway
from knowhub.ports.table import Key, Update
from knowhub.services.import_uploads import Importer, ImportUploads, UploadStores
from tests.hubs import Answer, Rig, context

DAY = 24 * 3600


def announce(hub: Rig, key: str, kb: int, **body: Any) -> Any:
    sent = {"filename": "notes.md", "size": 1000, "for_import": True, **body}
    answer = hub.http("POST", f"/kb/{kb}/uploads", sent, key=key)
    assert answer.status == 201, answer.body
    return answer.json


def post(hub: Rig, granted: Any, data: bytes, *, notice: bool = True) -> str:
    """Send the file as a client does; the store tells the reader, sooner or later."""
    key: str = hub.ports.blobs.accept_upload(granted["fields"], "application/x-anything", data)  # type: ignore[attr-defined] # the folder store has it
    if notice:
        tell(hub, key)
    return key


def tell(hub: Rig, key: str) -> None:
    body = {"Records": [{"eventSource": "aws:s3", "s3": {"object": {"key": key.replace("_", "%5F")}}}]}
    event = {"Records": [{"messageId": "m", "body": json.dumps(body)}]}
    assert document_queue_gateway(hub.workshop)(event, context()) == {"batchItemFailures": []}


def upload(hub: Rig, key: str, kb: int, data: bytes, **body: Any) -> str:
    granted = announce(hub, key, kb, **body)
    post(hub, granted, data)
    return f"upload:{granted['upload_id']}"


def start(hub: Rig, key: str, kb: int, *files: str, kind: str = "file", **body: Any) -> Answer:
    source = {"type": kind, "files" if kind == "file" else "inputs": list(files)}
    return hub.http("POST", f"/kb/{kb}/imports", {"source": source, **body}, key=key)


def job(hub: Rig, key: str, answer: Answer) -> Any:
    assert answer.status == 202, answer.body
    hub.drain()
    return hub.http("GET", f"/jobs/{answer.json['job_id']}", key=key).json


def documents(hub: Rig, key: str, kb: int) -> list[Any]:
    found: list[Any] = hub.http("GET", f"/kb/{kb}/documents", key=key).json["items"]
    return found


def reload(hub: Rig, key: str, kb: int) -> Any:
    return job(hub, key, hub.http("POST", f"/kb/{kb}/sources/docs/reload", key=key))


def test_an_upload_for_an_import_has_no_job_and_becomes_no_document_by_itself(hub: Rig, alice: str, kb: int) -> None:
    granted = announce(hub, alice, kb)
    assert granted["job_id"] is None
    key = post(hub, granted, b"# Walrus")
    hub.drain()
    assert documents(hub, alice, kb) == []
    assert hub.ports.blobs.stat(key) is not None


@pytest.mark.parametrize("kind", ["file", "auto"])
def test_an_import_reads_an_upload_with_all_of_its_options(hub: Rig, alice: str, kb: int, kind: str) -> None:
    text = "walrus     sleeps. " * 20
    file = upload(hub, alice, kb, text.encode(), filename="a.bin", metadata={"team": "sea", "by": "alice"})
    answer = start(
        hub,
        alice,
        kb,
        file,
        kind=kind,
        name="docs",
        reader="text",
        chunking={"strategy": "fixed", "size": 100},
        transformers=[{"name": "char_dedup", "strings": [" "]}],
        metadata={"team": "land", "year": 2026},
    )
    assert (job(hub, alice, answer)["state"], len(documents(hub, alice, kb))) == ("completed", 1)
    document = documents(hub, alice, kb)[0]
    assert (document["name"], document["source"], document["status"]) == ("a.bin", "docs", "ready")
    assert document["chunk_count"] > 1
    told = {name: document["metadata"][name] for name in ("team", "by", "year", "uri", "doc_id", "file_name")}
    assert told == {"team": "sea", "by": "alice", "year": 2026, "uri": file, "doc_id": file, "file_name": "a.bin"}
    assert "  " not in hub.http("GET", f"/documents/{document['doc_id']}/content", key=alice).json["text"]


def test_an_upload_stands_among_other_files_and_keeps_its_title(hub: Rig, alice: str, kb: int) -> None:
    (hub.folder / "imports" / "b.md").write_text("narwhal")
    file = upload(hub, alice, kb, b"walrus", title="A walrus", url="https://a.example/walrus")
    inputs = (str(hub.folder / "imports"), file, "A text of its own")
    done = job(hub, alice, start(hub, alice, kb, *inputs, kind="auto"))
    assert (done["state"], done["total"], done["done"]) == ("completed", 3, 3)
    found = {one["title"]: one for one in documents(hub, alice, kb)}
    assert set(found) == {"A walrus", "b.md", "A text of its own"}
    assert found["A walrus"]["url"] == "https://a.example/walrus"


def test_its_bytes_go_to_raw_and_the_upload_is_let_go(hub: Rig, alice: str, kb: int) -> None:
    job(hub, alice, start(hub, alice, kb, upload(hub, alice, kb, b"walrus"), name="docs"))
    keys = hub.ports.blobs.list("").keys
    assert [key for key in keys if key.startswith("uploads/")] == []
    assert len([key for key in keys if key.startswith("raw/")]) == 1


def test_a_reload_finds_it_unchanged_without_the_upload(hub: Rig, alice: str, kb: int) -> None:
    job(hub, alice, start(hub, alice, kb, upload(hub, alice, kb, b"walrus"), name="docs"))
    before = documents(hub, alice, kb)
    hub.clock.seconds += 3 * DAY
    hub.workshop.maintenance.sweep()
    done = reload(hub, alice, kb)
    assert (done["state"], done["done"], done["failed"]) == ("completed", 1, 0)
    assert documents(hub, alice, kb) == before


def test_a_reload_reads_the_stored_bytes_again_when_how_it_is_read_has_changed(hub: Rig, alice: str, kb: int) -> None:
    file = upload(hub, alice, kb, b"walrus", title="A walrus", metadata={"team": "sea"})
    job(hub, alice, start(hub, alice, kb, file, name="docs"))
    before = documents(hub, alice, kb)[0]
    change = Update(Key(f"DOC#{before['doc_id']}", "HEAD"), values={"fingerprint": "of an older version"})
    hub.ports.table.write(change)
    done = reload(hub, alice, kb)
    assert (done["state"], done["done"], done["failed"]) == ("completed", 1, 0)
    after = documents(hub, alice, kb)[0]
    assert after["revision"] == 2
    assert [after[name] for name in ("title", "metadata", "status")] == ["A walrus", before["metadata"], "ready"]


def test_another_editor_may_reload_what_was_taken(hub: Rig, alice: str, bob: str, kb: int) -> None:
    job(hub, alice, start(hub, alice, kb, upload(hub, alice, kb, b"walrus"), name="docs"))
    user = hub.hub.identity.authenticate(f"Bearer {bob}").user_id
    member = {"pk": f"USER#{user}", "sk": f"MEMBER#{kb:012d}", "list_pk": f"MEMBERS#{kb}", "list_sk": user}
    row = hub.ports.table.get(Key(f"USER#{hub.hub.identity.authenticate(f'Bearer {alice}').user_id}", member["sk"]))
    assert row is not None
    hub.ports.table.write(Update(Key(member["pk"], member["sk"]), values={**_values(row), **_places(member)}))
    done = reload(hub, bob, kb)
    assert (done["state"], done["done"], done["failed"]) == ("completed", 1, 0)


def _values(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in {"pk", "sk", "list_pk", "list_sk"}}


def _places(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in {"pk", "sk"}}


def test_a_document_that_was_deleted_by_hand_is_a_loss_of_the_reload(hub: Rig, alice: str, kb: int) -> None:
    other = upload(hub, alice, kb, b"narwhal", filename="b.md")
    job(hub, alice, start(hub, alice, kb, upload(hub, alice, kb, b"walrus"), other, name="docs"))
    gone = next(one for one in documents(hub, alice, kb) if one["name"] == "notes.md")
    hub.http("DELETE", f"/documents/{gone['doc_id']}", key=alice)
    done = reload(hub, alice, kb)
    assert (done["state"], done["total"], done["done"], done["failed"]) == ("completed", 2, 1, 1)
    assert [loss["code"] for loss in done["losses"]] == ["NOT_FOUND"]
    assert [one["name"] for one in documents(hub, alice, kb)] == ["b.md"]


def test_an_import_may_begin_before_the_store_has_told_of_the_file(hub: Rig, alice: str, kb: int) -> None:
    granted = announce(hub, alice, kb)
    key = post(hub, granted, b"walrus", notice=False)
    done = job(hub, alice, start(hub, alice, kb, f"upload:{granted['upload_id']}"))
    assert (done["state"], done["done"]) == ("completed", 1)
    tell(hub, key)
    assert len(documents(hub, alice, kb)) == 1


def test_a_file_that_has_not_come_is_a_loss_and_the_rest_goes_on(hub: Rig, alice: str, kb: int) -> None:
    late = announce(hub, alice, kb, filename="late.md")
    file = upload(hub, alice, kb, b"walrus")
    done = job(hub, alice, start(hub, alice, kb, f"upload:{late['upload_id']}", file, name="docs"))
    assert (done["state"], done["done"], done["failed"]) == ("completed", 1, 1)
    assert [(loss["code"], loss["where"]) for loss in done["losses"]] == [
        ("NOT_ARRIVED", f"upload:{late['upload_id']}")
    ]
    post(hub, late, b"narwhal")
    assert reload(hub, alice, kb)["done"] == 2


def faults(answer: Answer) -> list[Any]:
    assert (answer.status, answer.code) == (422, "INVALID_REQUEST")
    return [(fault["loc"], fault["type"]) for fault in answer.json["error"]["detail"]["errors"]]


def test_what_is_no_upload_of_ones_own_for_this_kb_is_refused_alike(hub: Rig, alice: str, bob: str, kb: int) -> None:
    shared = hub.http("POST", "/kb", {"name": "Other"}, key=alice).json["kb_id"]
    bobs = hub.http("POST", "/kb", {"name": "His"}, key=bob).json["kb_id"]
    plain = hub.http("POST", f"/kb/{kb}/uploads", {"filename": "a.md", "size": 9}, key=alice).json["upload_id"]
    files = [
        upload(hub, alice, shared, b"of another KB"),
        upload(hub, bob, bobs, b"of another person"),
        f"upload:{plain}",
        "upload:up_unknown",
    ]
    answer = start(hub, alice, kb, upload(hub, alice, kb, b"mine"), *files)
    assert faults(answer) == [(["body", "source", "files", number], "upload") for number in (1, 2, 3, 4)]
    messages = {fault["message"] for fault in answer.json["error"]["detail"]["errors"]}
    assert len(messages) == 1


def test_another_person_of_the_same_kb_can_not_import_it(hub: Rig, alice: str, kb: int) -> None:
    file = upload(hub, alice, kb, b"walrus")
    hub.ports.table.write(
        Update(Key(f"UPLOAD#{file.removeprefix('upload:')}", "UPLOAD"), values={"user_id": "u_other"})
    )
    assert faults(start(hub, alice, kb, file)) == [(["body", "source", "files", 0], "upload")]


def test_an_upload_is_used_once(hub: Rig, alice: str, kb: int) -> None:
    file = upload(hub, alice, kb, b"walrus")
    job(hub, alice, start(hub, alice, kb, file, name="docs"))
    assert faults(start(hub, alice, kb, "text", file, kind="auto")) == [(["body", "source", "inputs", 1], "upload")]


def test_of_two_imports_that_race_for_an_upload_one_has_it_and_the_other_says_so(hub: Rig, alice: str, kb: int) -> None:
    file = upload(hub, alice, kb, b"walrus")
    answers = [start(hub, alice, kb, file, name=name) for name in ("one", "two")]
    states = sorted(job(hub, alice, answer)["state"] for answer in answers)
    assert states == ["completed", "failed"]


def test_one_that_another_import_has_taken_is_not_even_described(hub: Rig, alice: str, kb: int) -> None:
    file = upload(hub, alice, kb, b"walrus")
    job(hub, alice, start(hub, alice, kb, file, name="docs"))
    ports = hub.ports
    stores = UploadStores(UploadRows(ports.table), ports.blobs, DocumentRows(ports.table), ports.clock)
    user = hub.hub.identity.authenticate(f"Bearer {alice}").user_id
    doc_id = documents(hub, alice, kb)[0]["doc_id"]
    seen = [ImportUploads(stores, Importer(kb, user, lambda _, one=one: one)) for one in (doc_id, "d_another")]
    assert [uploads.stat(file.removeprefix("upload:")) is None for uploads in seen] == [False, True]


def test_one_that_no_reader_takes_can_be_imported_again_in_another_way(hub: Rig, alice: str, kb: int) -> None:
    file = upload(hub, alice, kb, b"\x89PNG\r\n\x1a\n" + b"\0" * 50, filename="a.png")
    failed = job(hub, alice, start(hub, alice, kb, file))
    assert (failed["state"], [loss["where"] for loss in failed["losses"]]) == ("failed", [file])
    assert start(hub, alice, kb, file).status == 202


@pytest.mark.parametrize("arrived", [True, False])
def test_an_abandoned_upload_expires_with_its_bytes(hub: Rig, alice: str, kb: int, arrived: bool) -> None:
    granted = announce(hub, alice, kb)
    if arrived:
        post(hub, granted, b"walrus")
    hub.clock.seconds += DAY
    hub.workshop.maintenance.sweep()
    hub.drain()
    assert UploadRows(hub.ports.table).get(granted["upload_id"]) is not None
    hub.clock.seconds += DAY
    assert hub.workshop.maintenance.sweep() == 1
    hub.drain()
    assert UploadRows(hub.ports.table).get(granted["upload_id"]) is None
    assert hub.ports.blobs.list("").keys == ()
    assert hub.workshop.maintenance.sweep() == 0
    assert faults(start(hub, alice, kb, f"upload:{granted['upload_id']}"))


def test_a_ticket_that_nobody_used_ends_its_job_with_the_reason(hub: Rig, alice: str, kb: int) -> None:
    granted = hub.http("POST", f"/kb/{kb}/uploads", {"filename": "a.md", "size": 9}, key=alice).json
    hub.clock.seconds += 2 * DAY
    hub.workshop.maintenance.sweep()
    hub.drain()
    ended = hub.http("GET", f"/jobs/{granted['job_id']}", key=alice).json
    assert (ended["state"], bool(ended["error"])) == ("failed", True)


def test_bytes_that_come_again_after_it_was_taken_change_nothing(hub: Rig, alice: str, kb: int) -> None:
    granted = announce(hub, alice, kb)
    post(hub, granted, b"walrus")
    job(hub, alice, start(hub, alice, kb, f"upload:{granted['upload_id']}", name="docs"))
    before = documents(hub, alice, kb)
    key = post(hub, granted, b"something else")
    assert hub.ports.blobs.stat(key) is None
    reload(hub, alice, kb)
    assert documents(hub, alice, kb) == before


def test_a_removed_source_leaves_nothing_of_its_uploads(hub: Rig, alice: str, kb: int) -> None:
    file = upload(hub, alice, kb, b"walrus")
    job(hub, alice, start(hub, alice, kb, file, name="docs"))
    job(hub, alice, hub.http("DELETE", f"/kb/{kb}/sources/docs", key=alice))
    assert UploadRows(hub.ports.table).get(file.removeprefix("upload:")) is None
    assert hub.ports.blobs.list("").keys == ()


def test_a_one_off_import_leaves_no_row_of_its_uploads(hub: Rig, alice: str, kb: int) -> None:
    file = upload(hub, alice, kb, b"walrus")
    job(hub, alice, start(hub, alice, kb, file))
    assert UploadRows(hub.ports.table).get(file.removeprefix("upload:")) is None
    assert len(documents(hub, alice, kb)) == 1


def test_a_deleted_kb_leaves_no_row_of_an_upload_that_was_taken(hub: Rig, alice: str, kb: int) -> None:
    file = upload(hub, alice, kb, b"walrus")
    job(hub, alice, start(hub, alice, kb, file, name="docs"))
    hub.http("DELETE", f"/kb/{kb}", key=alice)
    hub.drain()
    assert UploadRows(hub.ports.table).get(file.removeprefix("upload:")) is None


def test_an_upload_for_an_import_has_no_external_id(hub: Rig, alice: str, kb: int) -> None:
    body = {"filename": "a.md", "size": 9, "for_import": True, "external_id": "x"}
    assert hub.http("POST", f"/kb/{kb}/uploads", body, key=alice).status == 422
