"""User management over HTTP."""

from typing import Any

import pytest

from knowhub.catalog import keys
from knowhub.errors import Conflict
from knowhub.ports.table import Put, Query
from tests.hubs import Answer, Rig

PASSWORD = "correct horse battery"


@pytest.fixture
def root(hub: Rig) -> str:
    """Give an API key of an administrator."""
    return hub.user("root", role="admin")


def user_of(hub: Rig, key: str) -> str:
    return hub.hub.identity.authenticate(f"Bearer {key}").user_id


def patch(hub: Rig, key: str, user_id: str, **changed: Any) -> Answer:
    return hub.http("PATCH", f"/admin/users/{user_id}", changed, key=key)


def create(hub: Rig, key: str, **changed: Any) -> Answer:
    return hub.http("POST", "/admin/users", {"username": "ada", "password": PASSWORD, **changed}, key=key)


def login(hub: Rig, name: str = "ada", password: str = PASSWORD) -> Answer:
    return hub.http("POST", "/auth/login", {"username": name, "password": password})


def test_an_admin_makes_a_user_who_signs_in(hub: Rig, root: str) -> None:
    made = create(hub, root)
    assert made.status == 201
    assert made.headers["etag"] == '"1"'
    assert made.json == {
        "user_id": made.json["user_id"],
        "username": "ada",
        "role": "member",
        "disabled": False,
        "issuer": None,
        "created_at": made.json["created_at"],
    }
    assert login(hub).status == 200
    assert hub.http("GET", f"/admin/users/{made.json['user_id']}", key=root).json == made.json
    assert create(hub, root, username="ADA").code == "CONFLICT"


@pytest.mark.parametrize(
    "body",
    [
        {"username": ""},
        {"username": "a b"},
        {"username": "a~b"},
        {"username": "a\nb"},
        {"username": "x" * 101},
        {"username": "ada\n"},
        {"password": "short"},
        {"role": "owner"},
        {"disabled": True},
    ],
    ids=str,
)
def test_a_user_that_does_not_fit_is_refused(hub: Rig, root: str, body: dict[str, Any]) -> None:
    assert create(hub, root, **body).status == 422


def test_names_that_look_the_same_are_one_name(hub: Rig, root: str) -> None:
    assert create(hub, root, username="J\u00f6rg").status == 201
    for spelling in ("Jo\u0308rg", "J\u00d6RG", "\uff2a\u00f6rg"):
        assert create(hub, root, username=spelling).code == "CONFLICT"
        assert login(hub, spelling).status == 200


ROUTES = [
    ("GET", "/admin/users", None),
    ("POST", "/admin/users", {"username": "ada", "password": PASSWORD}),
    ("GET", "/admin/users/{}", None),
    ("PATCH", "/admin/users/{}", {"disabled": True}),
    ("DELETE", "/admin/users/{}", None),
]


@pytest.mark.parametrize(("method", "path", "body"), ROUTES)
def test_only_an_admins_whole_credential_manages_users(
    hub: Rig, root: str, alice: str, method: str, path: str, body: dict[str, Any] | None
) -> None:
    admin = user_of(hub, root)
    narrowed = [
        hub.hub.identity.issue_key(admin, "narrowed", **limits).secret
        for limits in ({"scopes": ("read", "write")}, {"kb_ids": (1,)})
    ]
    for key in (alice, *narrowed):
        for user_id in (user_of(hub, alice), "u_none"):
            answer = hub.http(method, path.format(user_id), body, key=key)
            assert (answer.status, answer.code) == (403, "FORBIDDEN")
    assert hub.http("GET", "/me", key=alice).status == 200


@pytest.mark.parametrize(("method", "path", "body"), ROUTES[2:])
@pytest.mark.parametrize("user_id", ["u_none", "x" * 1500])
def test_a_user_who_is_not_there_is_a_404(
    hub: Rig, root: str, method: str, path: str, body: dict[str, Any] | None, user_id: str
) -> None:
    answer = hub.http(method, path.format(user_id), body, key=root)
    assert (answer.status, answer.code) == (404, "USER_NOT_FOUND")


def test_users_are_listed_the_oldest_first(hub: Rig, root: str) -> None:
    for name in ("a", "b", "c", "d"):
        hub.user(name)
    first = hub.http("GET", "/admin/users", key=root, query={"page_size": 2}).json
    assert (first["total"], first["page"]) == (5, 1)
    second = hub.http("GET", "/admin/users", key=root, query={"page_size": 2, "cursor": first["next_cursor"]}).json
    third = hub.http("GET", "/admin/users", key=root, query={"page_size": 2, "page": 3}).json
    names = [one["username"] for page in (first, second, third) for one in page["items"]]
    assert names == ["root", "a", "b", "c", "d"]
    assert third["next_cursor"] is None
    assert b"scrypt" not in hub.http("GET", "/admin/users", key=root).body


def test_a_disabled_user_is_refused_at_once_with_everything_and_let_in_again(hub: Rig, root: str) -> None:
    user_id = create(hub, root).json["user_id"]
    session, key = login(hub).json["access_token"], hub.hub.identity.issue_key(user_id, "k").secret
    assert patch(hub, root, user_id, disabled=True).json["disabled"] is True
    assert [hub.http("GET", "/me", key=one).status for one in (session, key)] == [401, 401]
    assert login(hub).status == 401
    assert patch(hub, root, user_id, disabled=False).json["disabled"] is False
    # Sessions don't come back with the user; keys, which programs hold, do.
    assert [hub.http("GET", "/me", key=one).status for one in (session, key)] == [401, 200]
    assert login(hub).status == 200


def test_a_reset_password_ends_the_sessions(hub: Rig, root: str) -> None:
    user_id = create(hub, root).json["user_id"]
    session = login(hub).json["access_token"]
    assert patch(hub, root, user_id, password="another long one").status == 200
    assert hub.http("GET", "/me", key=session).status == 401
    assert [login(hub).status, login(hub, password="another long one").status] == [401, 200]


def test_a_role_holds_in_the_next_request(hub: Rig, root: str, alice: str) -> None:
    assert patch(hub, root, user_of(hub, alice), role="admin").json["role"] == "admin"
    assert hub.http("GET", "/admin/users", key=alice).status == 200
    assert patch(hub, root, user_of(hub, alice), role="member").json["role"] == "member"
    assert hub.http("GET", "/admin/users", key=alice).status == 403


def test_a_stale_tag_changes_nothing(hub: Rig, root: str, alice: str) -> None:
    path = f"/admin/users/{user_of(hub, alice)}"
    tag = hub.http("GET", path, key=root).headers["etag"]
    changed = hub.http("PATCH", path, {"role": "admin"}, key=root, headers={"If-Match": tag})
    assert (changed.status, changed.headers["etag"]) == (200, '"2"')
    stale = hub.http("PATCH", path, {"disabled": True}, key=root, headers={"If-Match": tag})
    assert (stale.status, stale.code) == (409, "CONFLICT")
    assert hub.http("GET", path, key=root).json["disabled"] is False


@pytest.mark.parametrize("changed", [{"role": "member"}, {"disabled": True}])
def test_the_last_admin_stays(hub: Rig, root: str, changed: dict[str, Any]) -> None:
    user_id = user_of(hub, root)
    assert patch(hub, root, user_id, **changed).code == "CONFLICT"
    assert hub.http("DELETE", f"/admin/users/{user_id}", key=root).code == "CONFLICT"
    assert hub.http("GET", "/admin/users", key=root).status == 200
    other = hub.user("other", role="admin")
    assert patch(hub, root, user_id, **changed).status == 200
    # The other one is the last now.
    assert patch(hub, other, user_of(hub, other), **changed).code == "CONFLICT"


def test_of_two_admins_who_go_at_once_one_stays(hub: Rig, root: str) -> None:
    people = hub.hub.accounts.users._people
    first, second = people.user(user_of(hub, root)), people.user(user_of(hub, hub.user("other", role="admin")))
    assert first is not None
    assert second is not None
    people.delete(first)
    with pytest.raises(Conflict):
        people.delete(second)


def test_a_removed_user_is_gone_with_sessions_keys_and_memberships(hub: Rig, root: str, alice: str, kb: int) -> None:
    user_id = create(hub, root).json["user_id"]
    session, key = login(hub).json["access_token"], hub.hub.identity.issue_key(user_id, "k").secret
    assert hub.http("PUT", f"/kb/{kb}/members/{user_id}", {"role": "owner"}, key=alice).status == 200
    assert hub.http("DELETE", f"/admin/users/{user_id}", key=root).status == 204
    assert [hub.http("GET", "/me", key=one).status for one in (session, key)] == [401, 401]
    assert login(hub).status == 401
    assert [one["username"] for one in hub.http("GET", f"/kb/{kb}/members", key=alice).json["items"]] == ["alice"]
    assert [one["username"] for one in hub.http("GET", "/admin/users", key=root).json["items"]] == ["root", "alice"]
    assert hub.ports.table.query(Query(keys.user(user_id).pk)).items == ()
    # Who is left is the last owner again, and the name is free.
    assert hub.http("DELETE", f"/kb/{kb}/members/{user_of(hub, alice)}", key=alice).code == "CONFLICT"
    assert create(hub, root).status == 201


def test_a_last_owner_is_not_removed(hub: Rig, root: str, alice: str, bob: str, kb: int) -> None:
    other = hub.http("POST", "/kb", {"name": "Other"}, key=alice).json["kb_id"]
    path = f"/admin/users/{user_of(hub, alice)}"
    refused = hub.http("DELETE", path, key=root)
    assert (refused.status, refused.code) == (409, "CONFLICT")
    assert refused.json["error"]["detail"] == {"user_id": user_of(hub, alice), "owned_kbs": 2}
    assert hub.http("GET", "/me", key=alice).status == 200
    hub.http("PUT", f"/kb/{kb}/members/{user_of(hub, bob)}", {"role": "owner"}, key=alice)
    assert hub.http("DELETE", path, key=root).json["error"]["detail"]["owned_kbs"] == 1
    hub.http("DELETE", f"/kb/{other}", key=alice)
    assert hub.http("DELETE", path, key=root).status == 204
    assert hub.http("GET", f"/kb/{kb}", key=bob).status == 200


def test_a_removal_that_was_broken_off_is_finished_by_the_next_one(hub: Rig, root: str, alice: str) -> None:
    users = hub.hub.accounts.users
    user_id, leave_all = user_of(hub, alice), users._leaving.leave_all
    users._leaving = type("Broken", (), {"owned_alone": lambda _, __: 0, "leave_all": lambda _, __: 1 / 0})()  # type: ignore[assignment]  # a kill in the middle
    assert hub.http("DELETE", f"/admin/users/{user_id}", key=root).status == 500
    assert hub.http("GET", "/me", key=alice).status == 401
    users._leaving = type("Whole", (), {"owned_alone": lambda _, __: 0, "leave_all": lambda _, who: leave_all(who)})()  # type: ignore[assignment]  # as it was
    assert hub.http("DELETE", f"/admin/users/{user_id}", key=root).status == 204
    assert hub.http("GET", f"/admin/users/{user_id}", key=root).status == 404


def test_a_user_from_before_users_had_versions_can_be_changed(hub: Rig, root: str, alice: str) -> None:
    row = hub.ports.table.get(keys.user(user_of(hub, alice)))
    assert row is not None
    new = {"version", "epoch", "issuer", "subject"}
    hub.ports.table.write(Put({name: value for name, value in row.items() if name not in new}))
    assert patch(hub, root, user_of(hub, alice), role="admin").status == 200


def test_a_request_that_is_sent_again_makes_one_user_and_keeps_no_trace_of_the_password(hub: Rig, root: str) -> None:
    body, headers = {"username": "ada", "password": PASSWORD}, {"Idempotency-Key": "one"}
    first, again = (hub.http("POST", "/admin/users", body, key=root, headers=headers) for _ in range(2))
    assert (first.status, again.status, again.json) == (201, 201, first.json)
    other = hub.http("POST", "/admin/users", {**body, "role": "admin"}, key=root, headers=headers)
    assert other.code == "CONFLICT"
    # Whatever the password was, what is kept to tell repeated requests apart is the same.
    same = hub.http("POST", "/admin/users", {**body, "password": PASSWORD + "!"}, key=root, headers=headers)
    assert same.json == first.json


def test_changes_of_users_are_audited_without_passwords(hub: Rig, root: str) -> None:
    user_id = create(hub, root).json["user_id"]
    patch(hub, root, user_id, password="another long one", role="admin")
    hub.http("DELETE", f"/admin/users/{user_id}", key=root)
    events = [(one["action"], one.get("object_id"), one["detail"]) for one in hub.audit_events()]
    assert events == [
        ("user_create", None, {"role": "member"}),
        ("user_change", user_id, {"changed": ["password", "role"], "role": "admin", "disabled": None}),
        ("user_delete", user_id, {}),
    ]
    assert PASSWORD not in repr(hub.audit_events())
