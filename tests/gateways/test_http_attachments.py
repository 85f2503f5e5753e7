"""Mails over HTTP: read in their own process, imported, removed, and read again."""

from typing import Any

import pytest

from tests.hubs import Rig
from tests.mails import mail
from tests.office_files import docx, paragraph

INNER = mail("a walrus forwarded\n", {"within.txt": b"a walrus within"}, Subject="Inner")
MAIL = mail("a walrus mail\n", {"report.docx": docx(paragraph("a walrus report"))}, (INNER,), Subject="Outer")


def documents(hub: Rig, key: str, kb: int, **query: Any) -> dict[str, Any]:
    items = hub.http("GET", f"/kb/{kb}/documents", key=key, query=query).json["items"]
    return {item["name"]: item for item in items}


def hits(hub: Rig, key: str, kb: int) -> list[Any]:
    found: list[Any] = hub.http("POST", f"/kb/{kb}/search", {"query": "walrus"}, key=key).json["hits"]
    return found


@pytest.fixture
def imported(hub: Rig, alice: str, kb: int) -> Any:
    """Import a folder with one mail as the source `post`, cut small."""
    (hub.folder / "imports" / "a.eml").write_bytes(MAIL.as_bytes())
    (hub.folder / "imports" / "b.txt").write_text("a walrus beside")
    source = {"type": "dir", "path": str(hub.folder / "imports")}
    body = {"source": source, "name": "post", "chunk_size": 100, "metadata": {"team": "zoo"}}
    answer = hub.http("POST", f"/kb/{kb}/imports", body, key=alice)
    hub.drain()
    return hub.http("GET", f"/jobs/{answer.json['job_id']}", key=alice).json


def test_a_mails_attachments_belong_to_its_source(hub: Rig, alice: str, kb: int, imported: Any) -> None:
    assert (imported["state"], imported["done"], imported["failed"]) == ("completed", 2, 0)
    found = documents(hub, alice, kb, source="post")
    assert set(found) == {"a.eml", "b.txt", "report.docx", "Inner.eml", "within.txt"}
    assert {item["status"] for item in found.values()} == {"ready"}
    assert found["a.eml"]["title"] == "Outer"
    assert found["within.txt"]["metadata"]["team"] == "zoo"
    assert found["within.txt"]["metadata"]["attachment_of"] == found["Inner.eml"]["doc_id"]
    assert len(hits(hub, alice, kb)) == 5


def test_a_mail_that_its_source_has_no_more_goes_with_its_attachments(
    hub: Rig, alice: str, kb: int, imported: Any
) -> None:
    assert imported["state"] == "completed"
    (hub.folder / "imports" / "a.eml").unlink()
    hub.http("POST", f"/kb/{kb}/sources/post/reload", key=alice, raw=b"{}")
    hub.drain()
    assert set(documents(hub, alice, kb)) == {"b.txt"}
    assert [hit["text"] for hit in hits(hub, alice, kb)] == ["a walrus beside"]


def test_a_removed_source_takes_its_mails_attachments_along(hub: Rig, alice: str, kb: int, imported: Any) -> None:
    assert imported["state"] == "completed"
    hub.http("DELETE", f"/kb/{kb}/sources/post", key=alice)
    hub.drain()
    assert documents(hub, alice, kb) == {}
    assert hits(hub, alice, kb) == []
    assert hub.ports.blobs.list("").keys == ()


def test_a_document_is_read_again_when_asked_once_at_a_time(hub: Rig, alice: str, bob: str, kb: int) -> None:
    body = {"title": "Note", "text": "a walrus", "metadata": {"team": "zoo"}}
    doc_id = hub.http("POST", f"/kb/{kb}/documents", body, key=alice).json["doc_id"]
    hub.drain()
    assert hub.http("POST", f"/documents/{doc_id}/retry", key=bob, raw=b"{}").status == 404
    first = hub.http("POST", f"/documents/{doc_id}/retry", key=alice, raw=b"{}")
    assert (first.status, first.json["status"]) == (202, "ready")
    assert hub.http("POST", f"/documents/{doc_id}/retry", key=alice, raw=b"{}").json == first.json
    assert len(hits(hub, alice, kb)) == 1
    hub.drain()
    document = hub.http("GET", f"/documents/{doc_id}", key=alice).json
    assert (document["revision"], document["status"], document["metadata"]) == (2, "ready", {"team": "zoo"})
    assert hub.http("GET", f"/jobs/{first.json['job_id']}", key=alice).json["state"] == "completed"
    assert [hit["chunk_id"] for hit in hits(hub, alice, kb)] == [f"{doc_id}:2:1"]
    assert "document_retry" in {event["action"] for event in hub.audit_events()}


def test_a_document_that_failed_may_be_asked_to_be_read_again(hub: Rig, alice: str, kb: int) -> None:
    doc_id = hub.http("POST", f"/kb/{kb}/documents", {"title": "Note", "text": " "}, key=alice).json["doc_id"]
    hub.drain()
    assert hub.http("POST", f"/documents/{doc_id}/retry", key=alice, raw=b"{}").json["status"] == "pending"
    hub.drain()
    document = hub.http("GET", f"/documents/{doc_id}", key=alice).json
    assert (document["status"], document["revision"]) == ("failed", 2)
