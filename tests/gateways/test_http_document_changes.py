"""Documents that are described anew, and many that are deleted at once."""

import pytest

from tests.hubs import Rig


def add(hub: Rig, key: str, kb: int, title: str, **more: object) -> str:
    body = {"title": title, "text": f"the walrus {title}", **more}
    doc_id = hub.http("POST", f"/kb/{kb}/documents", body, key=key).json["doc_id"]
    hub.drain()
    return str(doc_id)


def found(hub: Rig, key: str, kb: int, **body: object) -> list[str]:
    return [hit["title"] for hit in hub.http("POST", f"/kb/{kb}/search", body, key=key).json["hits"]]


def test_a_change_is_read_into_the_index_and_the_old_description_stays_until_then(
    hub: Rig, alice: str, kb: int
) -> None:
    doc_id = add(hub, alice, kb, "old", metadata={"team": "core"}, url="https://a.example/1", external_id="x")
    sent = hub.http("PATCH", f"/documents/{doc_id}", {"title": "new", "metadata": {"team": "web"}}, key=alice)
    assert (sent.status, sent.json["doc_id"]) == (202, doc_id)
    assert hub.http("GET", f"/documents/{doc_id}", key=alice).json["updating"]
    assert found(hub, alice, kb, query="walrus") == ["old"]
    hub.drain()
    shown = hub.http("GET", f"/documents/{doc_id}", key=alice).json
    assert (shown["title"], shown["metadata"], shown["url"]) == ("new", {"team": "web"}, "https://a.example/1")
    asked = {"field": "metadata.team", "operator": "eq", "value": "web"}
    assert found(hub, alice, kb, filter=asked) == ["new"]
    assert hub.http("GET", f"/documents/{doc_id}/content", key=alice).json["text"] == "the walrus old"


def test_an_empty_address_takes_it_away_and_nothing_new_reads_nothing(hub: Rig, alice: str, kb: int) -> None:
    doc_id = add(hub, alice, kb, "one", url="https://a.example/1")
    hub.http("PATCH", f"/documents/{doc_id}", {"url": ""}, key=alice)
    hub.drain()
    assert hub.http("GET", f"/documents/{doc_id}", key=alice).json["url"] is None
    same = hub.http("PATCH", f"/documents/{doc_id}", {"title": "one"}, key=alice).json
    assert hub.http("GET", f"/jobs/{same['job_id']}", key=alice).json["state"] == "completed"
    assert not hub.http("GET", f"/documents/{doc_id}", key=alice).json["updating"]


def test_a_stale_change_is_refused(hub: Rig, alice: str, kb: int) -> None:
    doc_id = add(hub, alice, kb, "one")
    tag = hub.http("GET", f"/documents/{doc_id}", key=alice).headers["etag"]
    match = {"If-Match": tag}
    assert hub.http("PATCH", f"/documents/{doc_id}", {"title": "two"}, key=alice, headers=match).status == 202
    again = hub.http("PATCH", f"/documents/{doc_id}", {"title": "three"}, key=alice, headers=match)
    assert (again.status, again.code) == (409, "CONFLICT")


def test_who_may_not_write_changes_nothing(hub: Rig, alice: str, bob: str, kb: int) -> None:
    doc_id = add(hub, alice, kb, "one")
    assert hub.http("PATCH", f"/documents/{doc_id}", {"title": "two"}, key=bob).status == 404
    him = hub.hub.identity.authenticate(f"Bearer {bob}").user_id
    hub.http("PUT", f"/kb/{kb}/members/{him}", {"role": "viewer"}, key=alice)
    assert hub.http("PATCH", f"/documents/{doc_id}", {"title": "two"}, key=bob).status == 403
    assert hub.http("POST", f"/kb/{kb}/documents/delete", {"doc_ids": [doc_id]}, key=bob).status == 403


def test_many_are_deleted_at_once_and_what_is_not_there_is_named(hub: Rig, alice: str, kb: int) -> None:
    other = hub.http("POST", "/kb", {"name": "Other"}, key=alice).json["kb_id"]
    one, two, elsewhere = add(hub, alice, kb, "one"), add(hub, alice, kb, "two"), add(hub, alice, other, "three")
    asked = {"doc_ids": [one, two, one, elsewhere, "d_nothing"]}
    answer = hub.http("POST", f"/kb/{kb}/documents/delete", asked, key=alice)
    assert (answer.status, answer.json) == (200, {"deleted": [one, two], "missing": [elsewhere, "d_nothing"]})
    assert found(hub, alice, kb, query="walrus") == []
    assert found(hub, alice, other, query="walrus") == ["three"]


@pytest.mark.parametrize("doc_ids", [["x"] * 101, [""], [3], "d_1"])
def test_a_list_that_does_not_fit_is_a_422(hub: Rig, alice: str, kb: int, doc_ids: object) -> None:
    assert hub.http("POST", f"/kb/{kb}/documents/delete", {"doc_ids": doc_ids}, key=alice).status == 422
