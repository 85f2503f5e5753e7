"""`Idempotency-Key`: what is sent again under one key is made once."""

from typing import Any

import pytest

from knowhub.catalog.repeats import RepeatRows
from knowhub.services.repeats import BUSY_SECONDS, KEPT_SECONDS, Once
from tests.hubs import Answer, Rig

DOCUMENT = {"title": "One", "text": "the walrus"}


def post(hub: Rig, key: str, path: str, body: Any, repeat: str, **more: Any) -> Answer:
    return hub.http("POST", path, body, key=key, headers={"Idempotency-Key": repeat}, **more)


def test_a_kb_is_made_once_and_shown_again(hub: Rig, alice: str) -> None:
    first, second = (post(hub, alice, "/kb", {"name": "Once"}, "k1") for _ in range(2))
    assert (first.status, second.status) == (201, 201)
    assert first.json == second.json
    assert hub.http("GET", "/kb", key=alice).json["total"] == 1


def test_a_document_is_taken_in_once_and_its_status_is_today_s(hub: Rig, alice: str, kb: int) -> None:
    first = post(hub, alice, f"/kb/{kb}/documents", DOCUMENT, "k1").json
    hub.drain()
    second = post(hub, alice, f"/kb/{kb}/documents", DOCUMENT, "k1").json
    assert second == {**first, "status": "ready"}
    assert post(hub, alice, f"/kb/{kb}/documents", DOCUMENT, "k2").json["doc_id"] != first["doc_id"]


def test_a_form_is_the_same_whatever_its_boundary(hub: Rig, alice: str, kb: int) -> None:
    answers = []
    for boundary in ("aaa", "bbb"):
        lines = [f"--{boundary}", 'Content-Disposition: form-data; name="file"; filename="a.txt"', "", "the walrus"]
        form = "\r\n".join([*lines, f"--{boundary}--", ""]).encode()
        headers = {"Idempotency-Key": "k1", "Content-Type": f"multipart/form-data; boundary={boundary}"}
        answers.append(hub.http("POST", f"/kb/{kb}/documents", key=alice, headers=headers, raw=form).json["doc_id"])
    assert answers[0] == answers[1]


def test_an_import_is_started_once(hub: Rig, alice: str, kb: int) -> None:
    (hub.folder / "imports" / "a.txt").write_text("the walrus")
    body = {"source": {"type": "dir", "path": str(hub.folder / "imports")}}
    first, second = (post(hub, alice, f"/kb/{kb}/imports", body, "k1") for _ in range(2))
    assert (first.status, first.json) == (second.status, second.json)


def test_an_upload_s_second_ticket_is_for_the_same_file(hub: Rig, alice: str, kb: int) -> None:
    body = {"filename": "a.txt", "size": 10}
    first, second = (post(hub, alice, f"/kb/{kb}/uploads", body, "k1").json for _ in range(2))
    assert (first["upload_id"], first["job_id"]) == (second["upload_id"], second["job_id"])


def test_the_same_key_with_another_body_is_a_conflict(hub: Rig, alice: str) -> None:
    post(hub, alice, "/kb", {"name": "Once"}, "k1")
    assert post(hub, alice, "/kb", {"name": "Twice"}, "k1").code == "CONFLICT"


def test_a_key_belongs_to_its_sender_and_its_route(hub: Rig, alice: str, bob: str, kb: int) -> None:
    other = hub.http("POST", "/kb", {"name": "Other"}, key=alice).json["kb_id"]
    found = [post(hub, alice, f"/kb/{each}/documents", DOCUMENT, "k1").json["doc_id"] for each in (kb, other)]
    assert len(set(found)) == 2
    assert post(hub, alice, "/kb", {"name": "Mine"}, "k2").json["owner"] == "alice"
    assert post(hub, bob, "/kb", {"name": "Mine"}, "k2").json["owner"] == "bob"


def test_what_failed_may_be_sent_again(hub: Rig, alice: str) -> None:
    hub.http("POST", "/kb", {"name": "Taken"}, key=alice)
    assert post(hub, alice, "/kb", {"name": "taken"}, "k1").code == "CONFLICT"
    hub.http("DELETE", "/kb/1", key=alice)
    assert post(hub, alice, "/kb", {"name": "taken"}, "k1").status == 201


def test_what_was_made_and_can_not_be_read_any_more_is_not_found(hub: Rig, alice: str) -> None:
    made = post(hub, alice, "/kb", {"name": "Once"}, "k1").json["kb_id"]
    hub.http("DELETE", f"/kb/{made}", key=alice)
    assert post(hub, alice, "/kb", {"name": "Once"}, "k1").status == 404


def test_a_key_is_forgotten_after_a_day(hub: Rig, alice: str, kb: int) -> None:
    first = post(hub, alice, f"/kb/{kb}/documents", DOCUMENT, "k1").json["doc_id"]
    hub.clock.seconds += KEPT_SECONDS + 1
    assert post(hub, alice, f"/kb/{kb}/documents", DOCUMENT, "k1").json["doc_id"] != first


@pytest.mark.parametrize("key", ["", "x" * 201, "a b", "schl\u00fcssel"])
def test_a_key_that_can_not_be_one_is_refused(hub: Rig, alice: str, key: str) -> None:
    assert post(hub, alice, "/kb", {"name": "Once"}, key).code == "INVALID_REQUEST"


def test_while_one_is_at_it_another_is_held_off_and_takes_over_when_it_died(hub: Rig, alice: str) -> None:
    principal = hub.hub.identity.authenticate(f"Bearer {alice}")
    request = Once(principal, "POST /x", "k1", b"body")
    inner: list[str] = []

    def make() -> str:
        with pytest.raises(Exception, match="is being answered"):
            hub.hub.repeats.once(request, lambda: "twice", lambda made: {"id": made}, lambda ids: str(ids["id"]))
        hub.clock.seconds += BUSY_SECONDS + 1
        inner.append(
            hub.hub.repeats.once(request, lambda: "second", lambda made: {"id": made}, lambda ids: str(ids["id"]))
        )
        return "first"

    assert hub.hub.repeats.once(request, make, lambda made: {"id": made}, lambda ids: str(ids["id"])) == "first"
    assert inner == ["second"]


def test_ids_are_kept_and_nothing_of_the_body(hub: Rig, alice: str, kb: int) -> None:
    post(hub, alice, f"/kb/{kb}/documents", {"title": "secret title", "text": "secret text"}, "k1")
    principal = hub.hub.identity.authenticate(f"Bearer {alice}")
    row = RepeatRows(hub.ports.table).get(Once(principal, f"POST /api/v1/kb/{kb}/documents", "k1", b"").digest)
    assert row is not None
    assert row.made.keys() == {"doc_id", "job_id"}
    assert "secret" not in repr(row)
