"""Ingest under faults: killed at any write, delivered twice, deleted in between; the end is always the same."""

from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

import pytest

from knowhub.bootstrap import hub_of
from knowhub.errors import Unavailable
from knowhub.ports.blobs import Blobs
from knowhub.ports.queue import OutgoingMessage
from knowhub.services.ingest import MAX_ATTEMPTS
from knowhub.services.work import Work
from tests.faults import Killed, Watched, kill_at, redeliver, watched
from tests.hubs import Rig


def add(hub: Rig, key: str, kb: int, text: str, external_id: str = "a") -> str:
    body = {"title": "Note", "text": text, "external_id": external_id}
    return str(hub.http("POST", f"/kb/{kb}/documents", body, key=key).json["doc_id"])


def texts(hub: Rig, key: str, kb: int, query: str = "walrus") -> list[str]:
    hits = hub.http("POST", f"/kb/{kb}/search", {"query": query}, key=key).json["hits"]
    return [hit["text"] for hit in hits]


def read_now(hub: Rig, work: Work) -> dict[Work, Exception]:
    return hub.workshop.ingest.read([work])


@pytest.mark.parametrize("number", range(1, 16))
def test_killed_before_any_write_a_first_revision_still_ends_ready_once(
    hub: Rig, alice: str, kb: int, number: int
) -> None:
    doc_id = add(hub, alice, kb, "a walrus")
    with watched(hub, kill_at(number)), suppress(Killed):
        hub.drain()
    redeliver(hub)
    hub.drain()
    assert texts(hub, alice, kb) == ["a walrus"]
    assert hub.index.count(frozenset({kb})) == 1
    document = hub.http("GET", f"/documents/{doc_id}", key=alice).json
    assert (document["status"], document["revision"]) == ("ready", 1)
    counted = hub.http("GET", f"/kb/{kb}", key=alice).json
    assert (counted["document_count"], counted["chunk_count"]) == (1, 1)


@pytest.mark.parametrize("number", range(1, 25))
def test_killed_before_any_write_an_update_shows_the_old_or_the_new_and_never_neither(
    hub: Rig, alice: str, kb: int, number: int
) -> None:
    add(hub, alice, kb, "old walrus")
    hub.drain()
    add(hub, alice, kb, "new walrus")
    with watched(hub, kill_at(number)):
        try:
            hub.drain()
        except Killed:
            assert texts(hub, alice, kb) in (["old walrus"], ["new walrus"])
    redeliver(hub)
    hub.drain()
    assert texts(hub, alice, kb) == ["new walrus"]
    assert hub.index.count(frozenset({kb})) == 1
    assert len(hub.ports.blobs.list("").keys) == 3


@pytest.mark.parametrize("number", range(1, 12))
def test_a_delete_at_any_moment_of_reading_leaves_nothing_behind(hub: Rig, alice: str, kb: int, number: int) -> None:
    doc_id = add(hub, alice, kb, "a walrus")
    left = [number]

    def delete_then(_: str) -> None:
        left[0] -= 1
        if left[0] == 0:
            assert hub.http("DELETE", f"/documents/{doc_id}", key=alice).status == 204

    with watched(hub, delete_then):
        hub.drain()
    if left[0] > 0:
        assert hub.http("DELETE", f"/documents/{doc_id}", key=alice).status == 204
    hub.drain()
    assert texts(hub, alice, kb) == []
    assert hub.index.count(frozenset({kb})) == 0
    assert hub.ports.blobs.list("").keys == ()
    assert hub.http("GET", f"/documents/{doc_id}", key=alice).status == 404


@pytest.mark.parametrize("number", range(1, 10))
def test_a_delete_after_a_kill_at_any_write_leaves_nothing_behind(hub: Rig, alice: str, kb: int, number: int) -> None:
    doc_id = add(hub, alice, kb, "a walrus")
    with watched(hub, kill_at(number)), suppress(Killed):
        hub.drain()
    hub.index.refresh()
    assert hub.http("DELETE", f"/documents/{doc_id}", key=alice).status == 204
    hub.drain()
    redeliver(hub)
    hub.drain()
    assert hub.index.count(frozenset({kb})) == 0
    assert hub.ports.blobs.list("").keys == ()


def test_bytes_that_come_again_while_their_document_is_purged_are_kept(hub: Rig, alice: str, kb: int) -> None:
    doc_id = add(hub, alice, kb, "a walrus")
    hub.drain()
    hub.http("DELETE", f"/documents/{doc_id}", key=alice)
    came = [False]

    def come_again(name: str) -> None:
        if name == "delete" and not came[0]:
            came[0] = True
            add(hub, alice, kb, "a walrus")

    with watched(hub, come_again):
        hub.drain()
    assert came[0]
    assert hub.http("GET", f"/documents/{doc_id}", key=alice).json["status"] == "ready"
    assert texts(hub, alice, kb) == ["a walrus"]


def test_every_message_twice_and_in_reverse_gives_the_same_end(hub: Rig, alice: str, kb: int) -> None:
    add(hub, alice, kb, "old walrus")
    add(hub, alice, kb, "new walrus")
    messages = hub.ports.queue.receive(limit=10, visibility_seconds=60)
    hub.ports.queue.delete([one.receipt for one in messages])
    again = [OutgoingMessage(one.body, one.group) for one in (*reversed(messages), *messages)]
    hub.ports.queue.send(again)
    hub.drain()
    assert texts(hub, alice, kb) == ["new walrus"]
    assert hub.index.count(frozenset({kb})) == 1


def test_a_superseded_revision_is_never_shown_and_its_job_is_cancelled(hub: Rig, alice: str, kb: int) -> None:
    body = {"title": "Note", "text": "old walrus", "external_id": "a"}
    first = hub.http("POST", f"/kb/{kb}/documents", body, key=alice).json
    add(hub, alice, kb, "new walrus")
    assert hub.http("GET", f"/jobs/{first['job_id']}", key=alice).json["state"] == "cancelled"
    hub.drain()
    assert texts(hub, alice, kb) == ["new walrus"]
    assert len(hub.ports.blobs.list("").keys) == 3


def test_a_document_that_comes_while_its_kb_is_deleted_leaves_nothing_behind(hub: Rig, alice: str, kb: int) -> None:
    def delete_the_kb(name: str) -> None:
        if name == "put":
            hub.http("DELETE", f"/kb/{kb}", key=alice)
            hub.drain()

    whole = hub.hub
    hub.hub = hub_of(replace(hub.ports, blobs=cast("Blobs", Watched(hub.ports.blobs, delete_the_kb))), "")
    add(hub, alice, kb, "a walrus")
    hub.hub = whole
    hub.drain()
    assert hub.ports.blobs.list("").keys == ()
    hub.clock.seconds += 601
    assert hub.workshop.maintenance.sweep() == 0


def test_a_dependency_that_is_away_is_waited_for(hub: Rig, alice: str, kb: int) -> None:
    doc_id = add(hub, alice, kb, "a walrus")
    work = Work("read", kb, doc_id, 1)

    def away(name: str) -> None:
        if name == "refresh":
            raise Unavailable("away")

    with watched(hub, away):
        for _ in range(3 * MAX_ATTEMPTS):
            assert set(read_now(hub, work)) == {work}
    assert read_now(hub, work) == {}
    assert texts(hub, alice, kb) == ["a walrus"]


def test_a_document_that_kills_the_reader_each_time_fails_with_a_reason(hub: Rig, alice: str, kb: int) -> None:
    doc_id = add(hub, alice, kb, "a walrus")
    work = Work("read", kb, doc_id, 1)
    for _ in range(MAX_ATTEMPTS):
        with watched(hub, kill_at(3)), pytest.raises(Killed):
            read_now(hub, work)
    assert read_now(hub, work) == {}
    document = hub.http("GET", f"/documents/{doc_id}", key=alice).json
    assert document["status"] == "failed"
    assert "4 times" in document["error"]


def test_one_poisoned_document_does_not_hold_up_its_batch(hub: Rig, alice: str, kb: int) -> None:
    bad = add(hub, alice, kb, " ", "bad")
    good = add(hub, alice, kb, "a walrus", "good")
    assert hub.workshop.ingest.read([Work("read", kb, bad, 1), Work("read", kb, good, 1)]) == {}
    assert hub.http("GET", f"/documents/{bad}", key=alice).json["status"] == "failed"
    assert hub.http("GET", f"/documents/{good}", key=alice).json["status"] == "ready"


def test_work_whose_message_was_lost_is_sent_again_after_ten_minutes(hub: Rig, alice: str, kb: int) -> None:
    doc_id = add(hub, alice, kb, "a walrus")
    messages = hub.ports.queue.receive(limit=10, visibility_seconds=60)
    hub.ports.queue.delete([one.receipt for one in messages])
    assert hub.workshop.maintenance.sweep() == 0
    hub.clock.seconds += 601
    assert hub.workshop.maintenance.sweep() == 1
    assert hub.workshop.maintenance.sweep() == 0
    hub.drain()
    assert hub.http("GET", f"/documents/{doc_id}", key=alice).json["status"] == "ready"
    hub.clock.seconds += 601
    assert hub.workshop.maintenance.sweep() == 0


def test_a_purge_whose_message_was_lost_is_sent_again(hub: Rig, alice: str, kb: int) -> None:
    doc_id = add(hub, alice, kb, "a walrus")
    hub.drain()
    hub.http("DELETE", f"/documents/{doc_id}", key=alice)
    messages = hub.ports.queue.receive(limit=10, visibility_seconds=60)
    hub.ports.queue.delete([one.receipt for one in messages])
    hub.clock.seconds += 601
    assert hub.workshop.maintenance.sweep() == 1
    hub.drain()
    assert hub.ports.blobs.list("").keys == ()


def test_a_tombstone_outlives_the_queues_and_keeps_the_revision(hub: Rig, alice: str, kb: int) -> None:
    doc_id = add(hub, alice, kb, "a walrus")
    hub.drain()
    hub.http("DELETE", f"/documents/{doc_id}", key=alice)
    hub.drain()
    row = hub.ports.table.get(("DOC#" + doc_id, "HEAD"))  # type: ignore[arg-type] # a key is a pair of texts
    assert row is not None
    assert row["last_revision"] == 1
    kept: Any = row["expires_at"]
    assert kept - hub.clock.seconds > 14.9 * 24 * 3600
    assert row["deleted"] is True
