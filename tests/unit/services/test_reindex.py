"""Reindexing: a next generation from stored documents, while people search, write and delete."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from knowhub.gateways.queues import document_queue_gateway
from knowhub.services.reindex import RETIRED_SECONDS, SETTLED_SECONDS
from knowhub.services.work import Work
from tests.embedding import WordEmbedder
from tests.hubs import Rig, context, rig


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Rig]:
    """Give a hub with an embedder whose index is to be rebuilt for another one."""
    with rig(tmp_path, WordEmbedder(synonyms={"tusked": "walrus"})) as made:
        yield made


def renewed(hub: Rig, embedder: WordEmbedder | None) -> Rig:
    """Start the same hub again with another embedder."""
    return Rig(replace(hub.ports, embedder=embedder), hub.clock, hub.folder)


def new_model() -> WordEmbedder:
    return WordEmbedder(identity="words:2", synonyms={"tusked": "walrus"})


def made(hub: Rig, key: str, *texts: str) -> list[str]:
    """Make documents of one KB and read them."""
    kb = hub.http("POST", "/kb", {"name": f"kb {texts}"}, key=key).json["kb_id"]
    ids = []
    for number, text in enumerate(texts):
        sent = hub.http("POST", f"/kb/{kb}/documents", {"title": f"t{number}", "text": text}, key=key)
        ids.append(sent.json["doc_id"])
    hub.drain()
    return ids


def legs(hub: Rig, key: str, query: str, mode: str = "hybrid") -> tuple[list[str], list[str]]:
    answer = hub.http("POST", "/search", {"query": query, "mode": mode}, key=key)
    assert answer.status == 200, answer.body
    return answer.json["legs"], [hit["doc_id"] for hit in answer.json["hits"]]


def rebuild(hub: Rig, key: str) -> str:
    started = hub.http("POST", "/admin/reindex", key=key)
    assert started.status == 202, started.body
    return str(started.json["job_id"])


def slice_of(hub: Rig, job_id: str) -> None:
    """Run one slice as the queue would, and leave its next message in the queue."""
    hub.workshop.reindex.work(Work("reindex", 0, job_id))


def test_another_embedder_is_served_once_the_whole_index_is_built_for_it(old: Rig) -> None:
    admin = old.user("ada", "admin")
    first, second = made(old, admin, "the walrus sleeps", "the seal swims")
    hub = renewed(old, new_model())
    assert legs(hub, admin, "tusked") == (["keyword", "exact"], [])
    job_id = rebuild(hub, admin)
    hub.drain()
    assert legs(hub, admin, "tusked", "dense")[1][0] == first
    assert legs(hub, admin, "seal")[1][0] == second
    job = hub.http("GET", f"/jobs/{job_id}", key=admin).json
    assert (job["state"], job["done"], job["failed"]) == ("completed", 2, 0)
    assert [path.name for path in (hub.folder / "chunks").iterdir() if path.is_dir()] == ["2"]


def test_searches_go_on_in_the_old_generation_while_the_next_is_built(old: Rig) -> None:
    admin = old.user("ada", "admin")
    made(old, admin, "the walrus sleeps")
    job_id = rebuild(old, admin)
    slice_of(old, job_id)
    assert len(legs(old, admin, "walrus")[1]) == 1
    assert old.ports.generations.building() is not None


def test_what_comes_and_goes_meanwhile_is_in_the_next_generation_as_it_is_in_the_catalog(old: Rig) -> None:
    admin = old.user("ada", "admin")
    gone, stays = made(old, admin, "the walrus sleeps", "the walrus wakes")
    job_id = rebuild(old, admin)
    slice_of(old, job_id)
    assert old.http("DELETE", f"/documents/{gone}", key=admin).status in {200, 202, 204}
    (new,) = made(old, admin, "the walrus dreams")
    assert sorted(legs(old, admin, "walrus")[1]) == sorted([stays, new])
    assert old.index.count(frozenset({1, 2})) == 2


def test_a_document_that_a_reader_wrote_to_the_old_generation_only_is_added_by_the_check(old: Rig) -> None:
    admin = old.user("ada", "admin")
    made(old, admin, "the walrus sleeps")
    job_id = rebuild(old, admin)
    slice_of(old, job_id)  # writes the first document
    building = old.ports.generations.building()
    assert building is not None
    kb = old.http("POST", "/kb", {"name": "late"}, key=admin).json["kb_id"]
    sent = old.http("POST", f"/kb/{kb}/documents", {"title": "late", "text": "the late walrus"}, key=admin)
    late = sent.json["doc_id"]
    old.workshop.ingest.read([Work("read", kb, late, 1)])
    index = old.ports.generations.index(building.number)
    index.delete_document(late)
    index.refresh()
    old.drain()
    assert late in legs(old, admin, "walrus")[1]


def test_a_generation_serves_no_earlier_than_every_reader_knows_of_it(old: Rig) -> None:
    admin = old.user("ada", "admin")
    made(old, admin, "the walrus sleeps")
    job_id = rebuild(old, admin)
    for _ in range(4):
        slice_of(old, job_id)
    assert old.ports.generations.building() is not None
    old.clock.seconds += SETTLED_SECONDS
    slice_of(old, job_id)
    assert old.ports.generations.building() is None


def test_the_old_generation_stays_for_searches_that_have_begun(old: Rig) -> None:
    admin = old.user("ada", "admin")
    made(old, admin, "the walrus sleeps")
    job_id = rebuild(old, admin)
    for _ in range(3):
        slice_of(old, job_id)
        old.clock.seconds += SETTLED_SECONDS
    assert [one.number for one in old.ports.generations.retired()] == [1]
    assert old.index.count(frozenset({1})) == 1
    old.clock.seconds += RETIRED_SECONDS
    old.drain()
    assert old.ports.generations.retired() == []


def test_a_second_rebuild_is_refused_with_the_first_one_s_job(old: Rig) -> None:
    admin = old.user("ada", "admin")
    job_id = rebuild(old, admin)
    again = old.http("POST", "/admin/reindex", key=admin)
    assert (again.status, again.code) == (409, "CONFLICT")
    assert again.json["error"]["detail"]["job_id"] == job_id
    old.drain()
    assert old.http("POST", "/admin/reindex", key=admin).status == 202


def test_only_an_administrator_rebuilds_and_watches_it(old: Rig) -> None:
    admin, member = old.user("ada", "admin"), old.user("mo")
    assert old.http("POST", "/admin/reindex", key=member).status == 403
    job_id = rebuild(old, admin)
    assert old.http("GET", f"/jobs/{job_id}", key=member).status == 404
    assert old.http("GET", f"/jobs/{job_id}", key=admin).status == 200


def test_every_slice_may_be_delivered_twice(old: Rig) -> None:
    admin = old.user("ada", "admin")
    made(old, admin, "the walrus sleeps", "the seal swims")
    job_id = rebuild(old, admin)
    for _ in range(6):
        slice_of(old, job_id)
        slice_of(old, job_id)
        old.clock.seconds += SETTLED_SECONDS
    old.drain()
    assert len(legs(old, admin, "walrus seal")[1]) == 2
    assert old.index.count(frozenset({1})) == 2


def test_a_document_whose_stored_chunks_are_gone_is_named_and_the_rest_is_built(old: Rig) -> None:
    admin = old.user("ada", "admin")
    lost, kept = made(old, admin, "the walrus sleeps", "the walrus wakes")
    page = old.ports.blobs.list(f"derived/1/{lost}/")
    old.ports.blobs.delete(page.keys)
    job_id = rebuild(old, admin)
    old.drain()
    job = old.http("GET", f"/jobs/{job_id}", key=admin).json
    assert (job["state"], job["failed"]) == ("completed", 1)
    assert [(loss["code"], loss["where"]) for loss in job["losses"]] == [("CHUNKS_MISSING", lost)]
    assert legs(old, admin, "walrus")[1] == [kept]


def test_a_deleted_knowledge_base_is_not_built_again(old: Rig) -> None:
    admin = old.user("ada", "admin")
    made(old, admin, "the walrus sleeps")
    made(old, admin, "the seal swims")
    old.http("DELETE", "/kb/1", key=admin)
    rebuild(old, admin)
    old.drain()
    assert old.index.count(frozenset({1})) == 0
    assert old.index.count(frozenset({2})) == 1


def test_texts_that_the_same_model_has_embedded_are_not_embedded_again(old: Rig) -> None:
    admin = old.user("ada", "admin")
    made(old, admin, "the walrus sleeps", "the seal swims")
    embedder = old.ports.embedder
    assert isinstance(embedder, WordEmbedder)
    before = len(embedder.documents)
    rebuild(old, admin)
    old.drain()
    assert len(embedder.documents) == before


def test_an_index_folder_that_is_gone_is_built_again_from_stored_documents(old: Rig) -> None:
    admin = old.user("ada", "admin")
    made(old, admin, "the walrus sleeps")
    old.ports.generations.close()  # type: ignore[attr-defined] # the embedded generations have files to close
    for path in sorted((old.folder / "chunks").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    assert legs(old, admin, "walrus")[1] == []
    rebuild(old, admin)
    old.drain()
    assert len(legs(old, admin, "walrus")[1]) == 1


def test_a_lost_message_is_sent_again_by_the_sweeper(old: Rig) -> None:
    admin = old.user("ada", "admin")
    made(old, admin, "the walrus sleeps")
    rebuild(old, admin)
    lost = old.ports.queue.receive(limit=10, visibility_seconds=60)
    old.ports.queue.delete([one.receipt for one in lost])
    old.clock.seconds += 601
    assert old.workshop.maintenance.sweep() == 1
    old.drain()
    assert old.ports.generations.building() is None
    assert document_queue_gateway(old.workshop)({"Records": []}, context()) == {"batchItemFailures": []}
