"""Attachments: documents of their own that come, change and go with their mail, whatever dies in between."""

import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from email.message import EmailMessage
from importlib import import_module
from typing import Any, cast

import pytest

from knowhub.bootstrap import hub_of, workshop_of
from knowhub.catalog import keys
from knowhub.catalog.documents import DocumentRows
from knowhub.errors import Unavailable
from knowhub.model.extraction import ReadDocument
from knowhub.ports.queue import OutgoingMessage
from knowhub.ports.table import Delete, Query, Table, Update
from knowhub.readers.registry import ISOLATED
from knowhub.services.burial import Burial
from knowhub.services.ingest import MAX_ATTEMPTS
from knowhub.services.work import Work
from tests.faults import Killed, Watched, kill_at, redeliver, watched
from tests.hubs import Rig
from tests.mails import mail


def in_process(reader: str, data: bytes, name: str) -> ReadDocument:
    """Read without the process that keeps hostile files away: these tests need no time for its start."""
    read: ReadDocument = import_module(ISOLATED[reader]).read(data, name)
    return read


@pytest.fixture(autouse=True)
def _reads_in_process(hub: Rig) -> None:
    hub.workshop = workshop_of(hub.ports, in_process)


def send(hub: Rig, key: str, kb: int, message: EmailMessage, **more: Any) -> str:
    body = {"title": "Mail", "text": message.as_string(), "content_type": "message/rfc822", "external_id": "m", **more}
    return str(hub.http("POST", f"/kb/{kb}/documents", body, key=key).json["doc_id"])


def listed(hub: Rig, key: str, kb: int) -> dict[str, dict[str, Any]]:
    """Give a KB's documents by name."""
    items = hub.http("GET", f"/kb/{kb}/documents", key=key, query={"page_size": 100}).json["items"]
    found = {item["name"]: item for item in items}
    assert len(found) == len(items)
    return found


def shown(hub: Rig, key: str, doc_id: str) -> Any:
    return hub.http("GET", f"/documents/{doc_id}", key=key).json


def texts(hub: Rig, key: str, kb: int, query: str = "walrus") -> Counter[str]:
    hits = hub.http("POST", f"/kb/{kb}/search", {"query": query}, key=key).json["hits"]
    return Counter(hit["text"] for hit in hits)


def delete(hub: Rig, key: str, doc_id: str) -> None:
    assert hub.http("DELETE", f"/documents/{doc_id}", key=key).status == 204


def swept(hub: Rig) -> None:
    """Let the sweep find the work whose message was never sent."""
    hub.clock.seconds += 601
    hub.workshop.maintenance.sweep()
    hub.drain()


def read_otherwise(hub: Rig, kb: int) -> None:
    """Change how the KB's documents are read, so that the same bytes are read again."""
    row = hub.ports.table.get(keys.knowledge_base(kb))
    assert row is not None
    chunking: Any = row["chunking"]
    hub.ports.table.write(Update(keys.knowledge_base(kb), {"chunking": {**chunking, "size": chunking["size"] + 1}}))


def is_empty(hub: Rig, kb: int) -> bool:
    return hub.ports.blobs.list("").keys == () and hub.index.count(frozenset({kb})) == 0


NOTE, PLAN = b"a walrus note", b"a walrus plan"
FORWARDED = mail("a walrus forwarded\n", {"inner.txt": b"a walrus within"}, Subject="Inner", From="in@mail.example")
OUTER = mail(
    "a walrus mail\n", {"note.txt": NOTE, "plan.md": PLAN}, (FORWARDED,), Subject="Outer", From="o@mail.example"
)
ALL = {"note.txt", "plan.md", "Inner.eml", "inner.txt", "Mail"}


def test_attachments_become_documents_that_say_which_mail_they_came_with(hub: Rig, alice: str, kb: int) -> None:
    files = {"Plän.bin": b"%PDF-1.4 no pages", "note.txt": NOTE}
    sent = mail("text\n", files, Subject="Of it", From="a@mail.example", To="b@mail.example")
    doc_id = send(hub, alice, kb, sent, metadata={"team": "zoo", "attachment_of": "mine"}, url="https://mail.example/1")
    hub.drain()
    documents = listed(hub, alice, kb)
    note, plan, whole = documents["note.txt"], documents["Plän.bin"], documents["Mail"]
    assert note["metadata"] == {"team": "zoo", "attachment_of": doc_id, "subject": "Of it", "from": "a@mail.example"}
    assert (note["title"], note["status"], note["url"]) == ("note.txt", "ready", "https://mail.example/1")
    assert (plan["content_type"], plan["status"]) == ("application/pdf", "failed")
    assert whole["metadata"]["attachment_of"] == "mine"
    assert set(shown(hub, alice, doc_id)["attachments"]) == {note["doc_id"], plan["doc_id"]}
    assert hub.http("GET", f"/kb/{kb}", key=alice).json["document_count"] == 3
    text = hub.http("GET", f"/documents/{doc_id}/content", key=alice).json["text"]
    assert text.endswith("\ntext\n\nAttachment: Plän.bin\nAttachment: note.txt\n")


def test_what_no_reader_takes_is_a_loss_of_the_mail_and_no_document(hub: Rig, alice: str, kb: int) -> None:
    inner = mail("x\n", {"key.p12": bytes(range(32)) * 9}, Subject="In")
    files = {"logo.png": b"\x89PNG\r\n\x1a\n", "empty.txt": b"", "note.txt": NOTE}
    doc_id = send(hub, alice, kb, mail("x\n", files, (inner,)))
    hub.drain()
    assert set(listed(hub, alice, kb)) == {"Mail", "note.txt", "In.eml"}
    losses = [(loss["code"], loss["where"]) for loss in shown(hub, alice, doc_id)["losses"]]
    names = ("logo.png", "empty.txt", "In.eml/key.p12")
    assert losses == [("ATTACHMENT_NOT_READ", f"attachment '{name}'") for name in names]
    forwarded = listed(hub, alice, kb)["In.eml"]
    assert [loss["where"] for loss in forwarded["losses"]] == ["attachment 'key.p12'"]


def test_what_a_forwarded_mail_holds_says_so(hub: Rig, alice: str, kb: int) -> None:
    doc_id = send(hub, alice, kb, OUTER)
    hub.drain()
    documents = listed(hub, alice, kb)
    assert set(documents) == ALL
    forwarded = documents["Inner.eml"]
    assert (forwarded["title"], forwarded["metadata"]["attachment_of"]) == ("Inner", doc_id)
    assert forwarded["metadata"]["from"] == "in@mail.example"
    within = documents["inner.txt"]["metadata"]
    assert within == {"attachment_of": forwarded["doc_id"], "subject": "Inner", "from": "in@mail.example"}


def test_the_same_file_twice_is_one_document(hub: Rig, alice: str, kb: int) -> None:
    message = mail("x\n", {"note.txt": NOTE})
    message.add_attachment(NOTE, maintype="application", subtype="octet-stream", filename="note.txt")
    doc_id = send(hub, alice, kb, message)
    hub.drain()
    assert set(listed(hub, alice, kb)) == {"Mail", "note.txt"}
    assert len(shown(hub, alice, doc_id)["attachments"]) == 1


def test_a_new_revision_reads_only_what_is_new_and_drops_what_it_has_no_more(hub: Rig, alice: str, kb: int) -> None:
    doc_id = send(hub, alice, kb, mail("x\n", {"note.txt": NOTE, "plan.md": PLAN}, Subject="s"))
    hub.drain()
    before = listed(hub, alice, kb)
    send(hub, alice, kb, mail("y\n", {"plan.md": PLAN, "more.txt": b"a walrus more"}, Subject="s"))
    hub.drain()
    after = listed(hub, alice, kb)
    assert set(after) == {"Mail", "plan.md", "more.txt"}
    assert after["plan.md"] == before["plan.md"]
    assert texts(hub, alice, kb) == Counter({"a walrus plan": 1, "a walrus more": 1})
    assert set(shown(hub, alice, doc_id)["attachments"]) == {after["plan.md"]["doc_id"], after["more.txt"]["doc_id"]}


def test_with_a_mail_go_all_its_attachments_at_once(hub: Rig, alice: str, kb: int) -> None:
    doc_id = send(hub, alice, kb, OUTER)
    hub.drain()
    assert sum(texts(hub, alice, kb).values()) == 5
    within = listed(hub, alice, kb)["inner.txt"]["doc_id"]
    delete(hub, alice, doc_id)
    assert texts(hub, alice, kb) == Counter()
    assert listed(hub, alice, kb) == {}
    assert hub.http("GET", f"/documents/{within}", key=alice).status == 404
    counted = hub.http("GET", f"/kb/{kb}", key=alice).json
    assert (counted["document_count"], counted["chunk_count"]) == (0, 0)
    hub.drain()
    assert is_empty(hub, kb)
    assert hub.ports.table.query(Query(keys.document(doc_id).pk, prefix=keys.ATTACHED_PREFIX)).items == ()


def test_with_a_forwarded_mail_goes_what_it_holds_and_nothing_else(hub: Rig, alice: str, kb: int) -> None:
    send(hub, alice, kb, OUTER)
    hub.drain()
    delete(hub, alice, listed(hub, alice, kb)["Inner.eml"]["doc_id"])
    assert set(listed(hub, alice, kb)) == {"Mail", "note.txt", "plan.md"}
    hub.drain()
    read_otherwise(hub, kb)
    send(hub, alice, kb, OUTER)
    hub.drain()
    assert set(listed(hub, alice, kb)) == {"Mail", "note.txt", "plan.md"}


def test_a_deleted_attachment_stays_away_until_its_mail_changes(hub: Rig, alice: str, kb: int) -> None:
    first = mail("x\n", {"note.txt": NOTE, "plan.md": PLAN}, Subject="s")
    doc_id = send(hub, alice, kb, first)
    hub.drain()
    delete(hub, alice, listed(hub, alice, kb)["note.txt"]["doc_id"])
    for _ in range(2):
        read_otherwise(hub, kb)
        send(hub, alice, kb, first)
        hub.drain()
        assert set(listed(hub, alice, kb)) == {"Mail", "plan.md"}
    assert len(shown(hub, alice, doc_id)["attachments"]) == 1
    send(hub, alice, kb, mail("changed\n", {"note.txt": NOTE, "plan.md": PLAN}, Subject="s"))
    hub.drain()
    assert set(listed(hub, alice, kb)) == {"Mail", "plan.md", "note.txt"}


def test_a_deleted_attachment_stays_away_when_its_tombstone_is_gone(hub: Rig, alice: str, kb: int) -> None:
    first = mail("x\n", {"note.txt": NOTE}, Subject="s")
    send(hub, alice, kb, first)
    hub.drain()
    note = listed(hub, alice, kb)["note.txt"]["doc_id"]
    delete(hub, alice, note)
    hub.drain()
    hub.ports.table.write(Delete(keys.document(note)))
    read_otherwise(hub, kb)
    send(hub, alice, kb, first)
    hub.drain()
    assert set(listed(hub, alice, kb)) == {"Mail"}


def test_a_mail_that_is_asked_to_be_read_again_brings_deleted_attachments_back(hub: Rig, alice: str, kb: int) -> None:
    doc_id = send(hub, alice, kb, mail("x\n", {"note.txt": NOTE}, Subject="s"), metadata={"team": "zoo"})
    hub.drain()
    note = listed(hub, alice, kb)["note.txt"]
    delete(hub, alice, note["doc_id"])
    hub.hub.documents.retry(hub.hub.identity.authenticate(f"Bearer {alice}"), doc_id)
    hub.drain()
    again = listed(hub, alice, kb)["note.txt"]
    assert (again["doc_id"], again["metadata"]) == (note["doc_id"], note["metadata"])
    assert shown(hub, alice, doc_id)["revision"] == 2


def test_a_mail_that_was_deleted_and_comes_again_brings_everything(hub: Rig, alice: str, kb: int) -> None:
    doc_id = send(hub, alice, kb, OUTER)
    hub.drain()
    delete(hub, alice, listed(hub, alice, kb)["note.txt"]["doc_id"])
    delete(hub, alice, doc_id)
    send(hub, alice, kb, OUTER)
    hub.drain()
    assert set(listed(hub, alice, kb)) == ALL
    assert sum(texts(hub, alice, kb).values()) == 5


@pytest.mark.parametrize("number", range(1, 43))
def test_killed_before_any_write_a_mail_still_brings_each_attachment_once(
    hub: Rig, alice: str, kb: int, number: int
) -> None:
    send(hub, alice, kb, OUTER)
    with watched(hub, kill_at(number), in_process), suppress(Killed):
        hub.drain()
    hub.workshop = workshop_of(hub.ports, in_process)
    redeliver(hub)
    hub.drain()
    documents = listed(hub, alice, kb)
    assert {name: item["status"] for name, item in documents.items()} == dict.fromkeys(ALL, "ready")
    assert set(texts(hub, alice, kb).values()) == {1}
    assert hub.index.count(frozenset({kb})) == 5
    counted = hub.http("GET", f"/kb/{kb}", key=alice).json
    assert (counted["document_count"], counted["chunk_count"]) == (5, 5)
    assert len(hub.ports.blobs.list("").keys) == 15


@pytest.mark.parametrize("number", range(1, 34))
def test_killed_before_any_write_an_update_still_ends_with_the_new_attachments(
    hub: Rig, alice: str, kb: int, number: int
) -> None:
    send(hub, alice, kb, mail("x\n", {"note.txt": NOTE, "plan.md": PLAN}, Subject="s"))
    hub.drain()
    send(hub, alice, kb, mail("y\n", {"plan.md": PLAN, "more.txt": b"a walrus more"}, Subject="s"))
    with watched(hub, kill_at(number), in_process), suppress(Killed):
        hub.drain()
    assert texts(hub, alice, kb)["a walrus plan"] == 1
    redeliver(hub)
    hub.drain()
    assert set(listed(hub, alice, kb)) == {"Mail", "plan.md", "more.txt"}
    swept(hub)
    assert set(listed(hub, alice, kb)) == {"Mail", "plan.md", "more.txt"}
    assert texts(hub, alice, kb) == Counter({"a walrus plan": 1, "a walrus more": 1})
    assert len(hub.ports.blobs.list("").keys) == 9


def at_write(number: int, act: Callable[[], object]) -> Callable[[str], None]:
    """Make a hook that acts before the write of this number, from 1."""
    left = [number]

    def hook(_: str) -> None:
        left[0] -= 1
        if left[0] == 0:
            act()

    return hook


@pytest.mark.parametrize("number", range(16, 43, 3))
def test_a_delete_of_the_mail_at_any_moment_leaves_nothing_behind(hub: Rig, alice: str, kb: int, number: int) -> None:
    doc_id = send(hub, alice, kb, OUTER)
    with watched(hub, at_write(number, lambda: delete(hub, alice, doc_id)), in_process):
        hub.drain()
    if hub.http("GET", f"/documents/{doc_id}", key=alice).status == 200:
        delete(hub, alice, doc_id)
    assert listed(hub, alice, kb) == {}
    hub.drain()
    assert texts(hub, alice, kb) == Counter()
    assert is_empty(hub, kb)
    assert hub.http("GET", f"/kb/{kb}", key=alice).json["document_count"] == 0


@pytest.mark.parametrize("number", range(2, 20, 2))
def test_a_newer_mail_that_is_read_at_any_moment_of_an_update_has_the_last_word(
    hub: Rig, alice: str, kb: int, number: int
) -> None:
    doc_id = send(hub, alice, kb, mail("x\n", {"note.txt": NOTE, "plan.md": PLAN}, Subject="s"))
    hub.drain()
    send(hub, alice, kb, mail("y\n", {"plan.md": PLAN, "more.txt": b"a walrus more"}, Subject="s"))

    def overtake() -> None:
        send(hub, alice, kb, mail("z\n", {"note.txt": NOTE}, Subject="s"))
        assert workshop_of(hub.ports, in_process).ingest.read([Work("read", kb, doc_id, 3)]) == {}

    with watched(hub, at_write(number, overtake), in_process):
        hub.drain()
    swept(hub)
    if shown(hub, alice, doc_id)["revision"] == 3:
        assert set(listed(hub, alice, kb)) == {"Mail", "note.txt"}
        assert texts(hub, alice, kb) == Counter({"a walrus note": 1})
        assert len(hub.ports.blobs.list("").keys) == 6


@pytest.mark.parametrize("number", range(2, 16))
def test_once_a_delete_is_answered_no_attachment_comes_after_it(hub: Rig, alice: str, kb: int, number: int) -> None:
    doc_id = send(hub, alice, kb, OUTER)
    with watched(hub, at_write(number, lambda: delete(hub, alice, doc_id)), in_process):
        hub.workshop.ingest.read([Work("read", kb, doc_id, 1)])
    assert listed(hub, alice, kb) == {}
    hub.drain()
    assert is_empty(hub, kb)


@pytest.mark.parametrize("number", range(2, 16))
def test_once_a_forwarded_mail_is_deleted_nothing_of_it_comes_after_it(
    hub: Rig, alice: str, kb: int, number: int
) -> None:
    doc_id = send(hub, alice, kb, OUTER)
    gone: list[str] = []

    def delete_the_forwarded() -> None:
        forwarded = listed(hub, alice, kb).get("Inner.eml")
        if forwarded is not None:
            gone.append(forwarded["doc_id"])
            delete(hub, alice, forwarded["doc_id"])

    with watched(hub, at_write(number, delete_the_forwarded), in_process):
        hub.workshop.ingest.read([Work("read", kb, doc_id, 1)])
    assert set(listed(hub, alice, kb)) == (ALL - {"Inner.eml", "inner.txt"} if gone else ALL)


def test_bytes_that_come_after_the_purge_of_their_document_are_taken_out_again(hub: Rig, alice: str, kb: int) -> None:
    doc_id = send(hub, alice, kb, mail("x\n", {"note.txt": NOTE}, Subject="s"))
    puts = Counter[str]()

    def purge_before_the_note(name: str) -> None:
        puts[name] += 1
        if name == "put" and puts[name] == 3:
            note = listed(hub, alice, kb)["note.txt"]["doc_id"]
            delete(hub, alice, doc_id)
            workshop_of(hub.ports, in_process).purge.run(Work("purge_document", kb, note))

    with watched(hub, purge_before_the_note, in_process):
        hub.workshop.ingest.read([Work("read", kb, doc_id, 1)])
    assert puts["put"] == 3
    hub.drain()
    assert is_empty(hub, kb)


class Overtaken:
    """A table on which something happens before its first query."""

    def __init__(self, table: Table, act: Callable[[], object]) -> None:
        self._table = table
        self._acts = [act]

    def __getattr__(self, name: str) -> Any:
        if name == "query" and self._acts:
            self._acts.pop()()
        return getattr(self._table, name)


def test_an_attachment_that_a_newer_mail_has_again_is_not_dropped(hub: Rig, alice: str, kb: int) -> None:
    doc_id = send(hub, alice, kb, mail("x\n", {"note.txt": NOTE, "plan.md": PLAN}, Subject="s"))
    hub.drain()
    send(hub, alice, kb, mail("y\n", {"plan.md": PLAN}, Subject="s"))
    work = Work("read", kb, doc_id, 2)
    with watched(hub, kill_at(10), in_process), pytest.raises(Killed):
        hub.workshop.ingest.read([work])
    assert shown(hub, alice, doc_id)["revision"] == 2
    assert "note.txt" in listed(hub, alice, kb)

    def overtake() -> None:
        send(hub, alice, kb, mail("z\n", {"note.txt": NOTE}, Subject="s"))
        assert hub.workshop.ingest.read([Work("read", kb, doc_id, 3)]) == {}

    table = cast("Table", Overtaken(hub.ports.table, overtake))
    Burial(DocumentRows(table), hub.ports.queue, hub.clock).drop_attachments(doc_id)
    assert set(listed(hub, alice, kb)) == {"Mail", "note.txt"}


@pytest.mark.parametrize("number", range(2, 43, 3))
def test_a_delete_after_a_kill_at_any_write_leaves_nothing_behind(hub: Rig, alice: str, kb: int, number: int) -> None:
    doc_id = send(hub, alice, kb, OUTER)
    with watched(hub, kill_at(number), in_process), suppress(Killed):
        hub.drain()
    hub.index.refresh()
    delete(hub, alice, doc_id)
    assert listed(hub, alice, kb) == {}
    hub.drain()
    redeliver(hub)
    hub.drain()
    assert is_empty(hub, kb)


@pytest.mark.parametrize("number", range(1, 9))
def test_a_delete_that_is_killed_is_finished_by_the_sweep(hub: Rig, alice: str, kb: int, number: int) -> None:
    doc_id = send(hub, alice, kb, OUTER)
    hub.drain()
    whole, table = hub.hub, cast("Table", Watched(hub.ports.table, kill_at(number)))
    hub.hub = hub_of(replace(hub.ports, table=table), "")
    with suppress(Killed):
        hub.hub.documents.delete(whole.identity.authenticate(f"Bearer {alice}"), doc_id)
    hub.hub = whole
    swept(hub)
    if hub.http("GET", f"/documents/{doc_id}", key=alice).status == 404:
        assert is_empty(hub, kb)
        assert listed(hub, alice, kb) == {}
    else:
        assert number == 1


@pytest.mark.parametrize("number", range(6, 40, 4))
def test_an_attachment_deleted_while_it_is_read_stays_away(hub: Rig, alice: str, kb: int, number: int) -> None:
    send(hub, alice, kb, OUTER)
    left = [number]
    gone: list[str] = []

    def hook(_: str) -> None:
        left[0] -= 1
        note = listed(hub, alice, kb).get("note.txt") if left[0] <= 0 and not gone else None
        if note is not None:
            gone.append(note["doc_id"])
            delete(hub, alice, note["doc_id"])

    with watched(hub, hook, in_process):
        hub.drain()
    if gone:
        assert set(listed(hub, alice, kb)) == ALL - {"note.txt"}
        assert "a walrus note" not in texts(hub, alice, kb)
        assert hub.index.count(frozenset({kb})) == 4


def test_every_message_twice_and_in_reverse_gives_the_same_end(hub: Rig, alice: str, kb: int) -> None:
    send(hub, alice, kb, mail("old\n", {"note.txt": NOTE, "plan.md": PLAN}, Subject="s"))
    send(hub, alice, kb, mail("new\n", {"plan.md": PLAN, "more.txt": b"a walrus more"}, Subject="s"))
    for _ in range(6):
        messages = hub.ports.queue.receive(limit=10, visibility_seconds=60)
        hub.ports.queue.delete([one.receipt for one in messages])
        hub.ports.queue.send([OutgoingMessage(one.body, one.group) for one in (*reversed(messages), *messages)])
        works = hub.ports.queue.receive(limit=10, visibility_seconds=60)
        hub.ports.queue.delete([one.receipt for one in works])
        hub.ports.queue.send([OutgoingMessage(one.body, one.group) for one in works])
        hub.drain()
    assert set(listed(hub, alice, kb)) == {"Mail", "plan.md", "more.txt"}
    assert texts(hub, alice, kb) == Counter({"a walrus plan": 1, "a walrus more": 1})


def test_a_revision_that_fails_takes_its_attachments_along_and_leaves_the_older_ones(
    hub: Rig, alice: str, kb: int
) -> None:
    doc_id = send(hub, alice, kb, mail("x\n", {"note.txt": NOTE}, Subject="s"))
    hub.drain()
    send(hub, alice, kb, mail("y\n", {"more.txt": b"a walrus more"}, Subject="s"))
    work = Work("read", kb, doc_id, 2)

    def die_at_the_flip(name: str) -> None:
        if name == "refresh":
            raise Killed

    for _ in range(MAX_ATTEMPTS):
        with watched(hub, die_at_the_flip, in_process), pytest.raises(Killed):
            hub.workshop.ingest.read([work])
    assert "more.txt" in listed(hub, alice, kb)
    hub.drain()
    assert set(listed(hub, alice, kb)) == {"Mail", "note.txt"}
    assert texts(hub, alice, kb) == Counter({"a walrus note": 1})


def test_a_store_that_is_away_while_attachments_are_taken_is_waited_for(hub: Rig, alice: str, kb: int) -> None:
    doc_id = send(hub, alice, kb, OUTER)
    work = Work("read", kb, doc_id, 1)
    writes = Counter[str]()

    def away(name: str) -> None:
        writes[name] += 1
        if name == "transact" and writes[name] > 3:
            raise Unavailable("away")

    with watched(hub, away, in_process):
        assert set(hub.workshop.ingest.read([work])) == {work}
    hub.drain()
    assert set(listed(hub, alice, kb)) == ALL


def test_attachments_go_with_their_kb(hub: Rig, alice: str, kb: int) -> None:
    send(hub, alice, kb, OUTER)
    hub.drain()
    assert hub.http("DELETE", f"/kb/{kb}", key=alice).status in {202, 204}
    hub.drain()
    assert is_empty(hub, kb)


def test_a_head_of_an_attachment_stays_below_a_kilobyte(hub: Rig, alice: str, kb: int) -> None:
    send(hub, alice, kb, mail("x\n", {"n" * 150 + ".txt": NOTE}, Subject="s"))
    hub.drain()
    item = next(item for name, item in listed(hub, alice, kb).items() if name != "Mail")
    assert len(json.dumps(hub.ports.table.get(keys.document(item["doc_id"])))) < 1024
