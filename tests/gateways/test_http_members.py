"""Members and changes of a knowledge base: who may, what follows, and what happens when two change at once."""

from dataclasses import replace

import pytest

from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
from knowhub.errors import ConditionFailed
from tests.hubs import Rig


def user_id(hub: Rig, key: str) -> str:
    return hub.hub.identity.authenticate(f"Bearer {key}").user_id


def put(hub: Rig, key: str, kb: int, user: str, role: str) -> int:
    return hub.http("PUT", f"/kb/{kb}/members/{user}", {"role": role}, key=key).status


def remove(hub: Rig, key: str, kb: int, user: str) -> int:
    return hub.http("DELETE", f"/kb/{kb}/members/{user}", key=key).status


def test_a_role_holds_in_the_next_request_and_so_does_its_end(hub: Rig, alice: str, bob: str, kb: int) -> None:
    him = user_id(hub, bob)
    document = {"title": "t", "text": "the walrus"}
    assert hub.http("GET", f"/kb/{kb}", key=bob).status == 404
    assert put(hub, alice, kb, him, "viewer") == 200
    assert hub.http("GET", f"/kb/{kb}", key=bob).json["role"] == "viewer"
    assert hub.http("POST", f"/kb/{kb}/documents", document, key=bob).status == 403
    assert put(hub, alice, kb, him, "editor") == 200
    assert hub.http("POST", f"/kb/{kb}/documents", document, key=bob).status == 202
    assert remove(hub, alice, kb, him) == 204
    assert hub.http("GET", f"/kb/{kb}", key=bob).status == 404
    assert hub.http("POST", "/search", {"query": "walrus"}, key=bob).json["hits"] == []


def test_members_are_listed_to_members_with_their_names(hub: Rig, alice: str, bob: str, kb: int) -> None:
    put(hub, alice, kb, user_id(hub, bob), "viewer")
    listed = hub.http("GET", f"/kb/{kb}/members", key=bob).json
    assert [(one["username"], one["role"]) for one in listed["items"]] == [("alice", "owner"), ("bob", "viewer")]
    assert listed["total"] == 2
    first = hub.http("GET", f"/kb/{kb}/members", key=bob, query={"page_size": 1}).json
    second = hub.http("GET", f"/kb/{kb}/members", key=bob, query={"page_size": 1, "cursor": first["next_cursor"]}).json
    assert [one["username"] for one in (*first["items"], *second["items"])] == ["alice", "bob"]
    assert second["next_cursor"] is None


def test_who_only_reads_a_shared_kb_does_not_see_its_members(hub: Rig, alice: str, bob: str) -> None:
    kb = hub.http("POST", "/kb", {"name": "all", "visibility": "shared"}, key=alice).json["kb_id"]
    assert hub.http("GET", f"/kb/{kb}/members", key=bob).status == 403


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_only_owners_change_members(hub: Rig, alice: str, bob: str, kb: int, role: str) -> None:
    him, her = user_id(hub, bob), user_id(hub, alice)
    put(hub, alice, kb, him, role)
    assert put(hub, bob, kb, him, "owner") == 403
    assert remove(hub, bob, kb, her) == 403
    assert hub.http("PATCH", f"/kb/{kb}", {"name": "Mine"}, key=bob).status == 403


def test_a_member_may_go_by_itself(hub: Rig, alice: str, bob: str, kb: int) -> None:
    him = user_id(hub, bob)
    put(hub, alice, kb, him, "viewer")
    assert remove(hub, bob, kb, him) == 204
    assert hub.http("GET", f"/kb/{kb}", key=bob).status == 404


def test_the_last_owner_can_not_go_or_step_down(hub: Rig, alice: str, bob: str, kb: int) -> None:
    him, her = user_id(hub, bob), user_id(hub, alice)
    assert remove(hub, alice, kb, her) == 409
    assert put(hub, alice, kb, her, "viewer") == 409
    assert put(hub, alice, kb, him, "owner") == 200
    assert put(hub, alice, kb, him, "owner") == 200
    assert remove(hub, alice, kb, her) == 204
    assert remove(hub, bob, kb, him) == 409


def test_unknown_users_and_members_are_not_found(hub: Rig, alice: str, bob: str, kb: int) -> None:
    assert hub.http("PUT", f"/kb/{kb}/members/u_nobody", {"role": "viewer"}, key=alice).code == "USER_NOT_FOUND"
    assert hub.http("DELETE", f"/kb/{kb}/members/{user_id(hub, bob)}", key=alice).code == "MEMBER_NOT_FOUND"
    assert put(hub, bob, kb, user_id(hub, bob), "owner") == 404


def test_an_administrator_has_no_back_door(hub: Rig, alice: str, kb: int) -> None:
    admin = hub.user("root", "admin")
    assert put(hub, admin, kb, user_id(hub, admin), "owner") == 404
    assert hub.http("GET", f"/kb/{kb}/members", key=admin).status == 404


def test_a_kb_is_changed_member_by_member(hub: Rig, alice: str, kb: int) -> None:
    before = hub.http("GET", f"/kb/{kb}", key=alice).json
    changed = hub.http("PATCH", f"/kb/{kb}", {"name": "Ice", "chunking": {"size": 500}}, key=alice).json
    assert (changed["name"], changed["chunking"]["size"]) == ("Ice", 500)
    same = before.keys() - {"name", "chunking", "updated_at"}
    assert {name: changed[name] for name in same} == {name: before[name] for name in same}


def test_a_name_is_freed_and_taken_with_the_change(hub: Rig, alice: str, kb: int) -> None:
    other = hub.http("POST", "/kb", {"name": "Other"}, key=alice).json["kb_id"]
    assert hub.http("PATCH", f"/kb/{other}", {"name": "NOTES"}, key=alice).code == "CONFLICT"
    assert hub.http("PATCH", f"/kb/{kb}", {"name": "notes"}, key=alice).status == 200
    assert hub.http("PATCH", f"/kb/{kb}", {"name": "Ice"}, key=alice).status == 200
    assert hub.http("PATCH", f"/kb/{other}", {"name": "Notes"}, key=alice).status == 200


def test_visibility_opens_and_closes_at_once(hub: Rig, alice: str, bob: str, kb: int) -> None:
    assert hub.http("PATCH", f"/kb/{kb}", {"visibility": "shared"}, key=alice).status == 200
    assert [one["kb_id"] for one in hub.http("GET", "/kb", key=bob).json["items"]] == [kb]
    assert hub.http("PATCH", f"/kb/{kb}", {"visibility": "private"}, key=alice).status == 200
    assert hub.http("GET", "/kb", key=bob).json["items"] == []
    assert hub.http("GET", f"/kb/{kb}", key=bob).status == 404
    assert hub.http("PATCH", f"/kb/{kb}", {"visibility": "public"}, key=alice).code == "CONFLICT"


def test_a_stale_version_is_refused_and_nothing_changes(hub: Rig, alice: str, kb: int) -> None:
    tag = hub.http("GET", f"/kb/{kb}", key=alice).headers["etag"]
    first = hub.http("PATCH", f"/kb/{kb}", {"name": "One"}, key=alice, headers={"If-Match": tag})
    assert first.status == 200
    assert first.headers["etag"] != tag
    for stale in (tag, 'W/"2"', '"x"', '""'):
        again = hub.http("PATCH", f"/kb/{kb}", {"name": "Two"}, key=alice, headers={"If-Match": stale})
        assert (again.status, again.code) == (409, "CONFLICT")
    assert hub.http("GET", f"/kb/{kb}", key=alice).json["name"] == "One"
    assert hub.http("PATCH", f"/kb/{kb}", {"name": "Two"}, key=alice, headers={"If-Match": "*"}).status == 200


@pytest.mark.parametrize("body", [{"name": ""}, {"visibility": "secret"}, {"owner": "bob"}, {"language": "english"}])
def test_a_change_that_does_not_fit_is_a_422(hub: Rig, alice: str, kb: int, body: dict[str, str]) -> None:
    assert hub.http("PATCH", f"/kb/{kb}", body, key=alice).status == 422


def test_a_change_that_was_read_before_a_delete_brings_nothing_back(hub: Rig, alice: str, kb: int) -> None:
    rows = KnowledgeBaseRows(hub.ports.table)
    old = rows.get(kb)
    assert old is not None
    assert hub.http("DELETE", f"/kb/{kb}", key=alice).status == 204
    with pytest.raises(ConditionFailed):
        rows.change(old, replace(old, description="back", version=old.version + 1))
    assert hub.http("GET", f"/kb/{kb}", key=alice).status == 404
