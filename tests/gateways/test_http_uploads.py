"""Files too large for a request body: a ticket, the file, the document."""

import json
from typing import Any

import pytest

from knowhub.gateways.queues import document_queue_gateway
from tests.hubs import Answer, Rig, context


def ticket(hub: Rig, key: str, kb: int, **body: Any) -> Answer:
    return hub.http("POST", f"/kb/{kb}/uploads", {"filename": "notes.md", "size": 1000, **body}, key=key)


def send(hub: Rig, granted: Any, data: bytes) -> str:
    """Do what the client and then the store do: the file, and its notice to the reader."""
    key: str = hub.ports.blobs.accept_upload(granted["fields"], "application/x-anything", data)  # type: ignore[attr-defined] # the folder store has it
    notice(hub, key)
    return key


def notice(hub: Rig, key: str) -> None:
    body = {"Records": [{"eventSource": "aws:s3", "s3": {"object": {"key": key.replace("_", "%5F")}}}]}
    event = {"Records": [{"messageId": "m", "body": json.dumps(body)}]}
    assert document_queue_gateway(hub.workshop)(event, context()) == {"batchItemFailures": []}


def job(hub: Rig, key: str, granted: Any) -> Any:
    return hub.http("GET", f"/jobs/{granted['job_id']}", key=key).json


def test_an_uploaded_file_becomes_a_document_under_the_announced_job(hub: Rig, alice: str, kb: int) -> None:
    answer = ticket(hub, alice, kb, content_type="text/markdown", metadata={"team": "docs"})
    assert answer.status == 201
    granted = answer.json
    assert granted["url"] == "http://hub.test/_uploads"
    assert job(hub, alice, granted)["state"] == "pending"
    key = send(hub, granted, b"# Walrus\n\nThe walrus sleeps.\n")
    hub.drain()
    done = job(hub, alice, granted)
    assert (done["state"], done["done"]) == ("completed", 1)
    document = hub.http("GET", f"/documents/{done['doc_id']}", key=alice).json
    assert (document["title"], document["status"], document["metadata"]) == ("Walrus", "ready", {"team": "docs"})
    assert hub.ports.blobs.stat(key) is None


def test_a_notice_that_comes_twice_makes_one_document(hub: Rig, alice: str, kb: int) -> None:
    key = send(hub, ticket(hub, alice, kb).json, b"a walrus")
    notice(hub, key)
    hub.drain()
    assert hub.http("GET", f"/kb/{kb}/documents", key=alice).json["total"] == 1


def test_a_file_that_is_no_format_we_read_ends_its_job_with_the_reason(hub: Rig, alice: str, kb: int) -> None:
    granted = ticket(hub, alice, kb, filename="a.png").json
    key = send(hub, granted, b"\x89PNG\r\n\x1a\n" + b"\0" * 50)
    ended = job(hub, alice, granted)
    assert ended["state"] == "failed"
    assert ended["error"]
    assert hub.ports.blobs.stat(key) is None


def test_a_file_for_a_deleted_kb_is_removed(hub: Rig, alice: str, kb: int) -> None:
    granted = ticket(hub, alice, kb).json
    hub.http("DELETE", f"/kb/{kb}", key=alice)
    key = send(hub, granted, b"a walrus")
    hub.drain()
    assert hub.ports.blobs.stat(key) is None
    assert hub.ports.blobs.list("").keys == ()


def test_a_file_without_a_ticket_is_removed(hub: Rig) -> None:
    hub.ports.blobs.put("uploads/stray", b"x")
    notice(hub, "uploads/stray")
    assert hub.ports.blobs.stat("uploads/stray") is None


def test_the_file_may_not_be_larger_than_announced(hub: Rig, alice: str, kb: int) -> None:
    granted = ticket(hub, alice, kb, size=3).json
    assert granted["fields"]["max_bytes"] == "3"


@pytest.mark.parametrize("body", [{"size": 0}, {"size": 100 * 1024 * 1024 + 1}, {"filename": ""}, {"colour": "red"}])
def test_an_announcement_that_does_not_fit_is_a_422(hub: Rig, alice: str, kb: int, body: dict[str, Any]) -> None:
    assert ticket(hub, alice, kb, **body).status == 422


def test_only_those_who_may_write_get_a_ticket(hub: Rig, alice: str, bob: str, kb: int) -> None:
    assert ticket(hub, bob, kb).code == "KB_NOT_FOUND"
    shared = hub.http("POST", "/kb", {"name": "Shared", "visibility": "shared"}, key=alice).json["kb_id"]
    assert ticket(hub, bob, shared).code == "FORBIDDEN"


def test_the_extracted_text_is_read_in_ranges_into_which_locators_point(hub: Rig, alice: str, kb: int) -> None:
    text = "Ein Walroß.\r\n海象在冰上睡觉。\n"
    doc_id = hub.http("POST", f"/kb/{kb}/documents", {"title": "t", "text": text}, key=alice).json["doc_id"]
    assert hub.http("GET", f"/documents/{doc_id}/content", key=alice).json["total"] == 0
    hub.drain()
    whole = hub.http("GET", f"/documents/{doc_id}/content", key=alice).json
    assert whole["text"] == text.replace("\r\n", "\n")
    assert (whole["start"], whole["end"], whole["total"]) == (0, len(whole["text"]), len(whole["text"]))
    chunk = hub.http("GET", f"/documents/{doc_id}/chunks", key=alice).json["items"][0]
    locator = chunk["locator"]
    query = {"start": locator["char_start"], "limit": locator["char_end"] - locator["char_start"]}
    part = hub.http("GET", f"/documents/{doc_id}/content", key=alice, query=query).json
    assert part["text"] == chunk["text"]
    assert hub.http("GET", f"/documents/{doc_id}/content", key=alice, query={"start": 10**6}).json["text"] == ""
    assert hub.http("GET", f"/documents/{doc_id}/content", key=alice, query={"start": -1}).status == 422
