"""What a job of many items says while it runs, and when it has ended."""

from typing import Any

import pytest

from knowhub.catalog.jobs import JobRows, Tally
from knowhub.gateways.queues import document_queue_gateway
from knowhub.services import import_runs
from tests.hubs import Answer, Rig, context


def write(hub: Rig, count: int) -> None:
    for number in range(count):
        (hub.folder / "imports" / f"{number:03d}.md").write_text(f"walrus {number}")


def start(hub: Rig, key: str, kb: int, **body: Any) -> Answer:
    source = {"type": "dir", "path": str(hub.folder / "imports")}
    return hub.http("POST", f"/kb/{kb}/imports", {"source": source, "name": "docs", **body}, key=key)


def job(hub: Rig, key: str, answer: Answer) -> Any:
    return hub.http("GET", f"/jobs/{answer.json['job_id']}", key=key).json


def one_message(hub: Rig) -> None:
    messages = hub.ports.queue.receive(limit=1, visibility_seconds=60)
    event = {"Records": [{"messageId": one.message_id, "body": one.body} for one in messages]}
    document_queue_gateway(hub.workshop)(event, context())
    hub.ports.queue.delete([one.receipt for one in messages])


@pytest.fixture
def slow(hub: Rig, monkeypatch: pytest.MonkeyPatch) -> Rig:
    """Give a hub in which one slice has time for a handful of items: the clock moves a millisecond a look."""
    monkeypatch.setattr(import_runs, "SLICE_SECONDS", 0.02)
    monkeypatch.setattr(import_runs, "PAGE", 5)
    return hub


def test_a_removal_counts_what_it_has_deleted(slow: Rig, alice: str, kb: int) -> None:
    write(slow, 15)
    start(slow, alice, kb)
    slow.drain(200)
    answer = slow.http("DELETE", f"/kb/{kb}/sources/docs", key=alice)
    seen = []
    for _ in range(400):
        one_message(slow)
        found = job(slow, alice, answer)
        seen.append((found["done"], found["total"], found["failed"]))
        if found["state"] == "completed":
            break
    assert seen[-1] == (15, 15, 0)
    assert seen == sorted(seen)
    assert any(0 < done < total == 15 for done, total, _ in seen)
    left = slow.http("GET", f"/kb/{kb}/documents", key=alice).json["total"]
    assert left == 0


def test_a_removal_that_is_killed_goes_on_counting_from_what_is_left(slow: Rig, alice: str, kb: int) -> None:
    write(slow, 10)
    start(slow, alice, kb)
    slow.drain(200)
    answer = slow.http("DELETE", f"/kb/{kb}/sources/docs", key=alice)
    one_message(slow)
    # What a killed slice had deleted is not listed any more, whatever it could still write of it.
    rows = slow.workshop.imports._rows
    first = next(rows.listed.all(kb, "docs"))
    rows.listed.forget(kb, "docs", first)
    slow.drain(200)
    found = job(slow, alice, answer)
    assert (found["state"], found["done"], found["total"]) == ("completed", 10, 10)


def test_an_import_that_fails_in_its_listing_says_what_it_had_done(slow: Rig, alice: str, kb: int) -> None:
    write(slow, 30)
    answer = start(slow, alice, kb)
    for _ in range(6):
        one_message(slow)
    (slow.folder / "imports").rename(slow.folder / "elsewhere")
    slow.drain(200)
    failed = job(slow, alice, answer)
    assert failed["state"] == "failed"
    assert failed["done"] > 0
    assert failed["losses"][-1]["where"] == "listing"


def test_a_job_that_has_ended_is_not_set_going_by_a_slice_that_comes_late(hub: Rig, alice: str, kb: int) -> None:
    write(hub, 1)
    answer = start(hub, alice, kb)
    hub.drain()
    before = job(hub, alice, answer)
    JobRows(hub.ports.table).progress(answer.json["job_id"], Tally(0, 9, 0))
    assert job(hub, alice, answer) == before
