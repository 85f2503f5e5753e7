"""API keys over HTTP: made, listed, used, revoked, and never wider than what makes them."""

from dataclasses import replace
from typing import Any

import pytest

from knowhub.bootstrap import hub_of
from knowhub.errors import Unavailable
from knowhub.model.times import iso
from knowhub.ports.table import Item, Write
from knowhub.services.api_keys import MOST_KEYS
from tests.hubs import PUBLIC_URL, START, Answer, Rig


def make(hub: Rig, key: str, **body: Any) -> Answer:
    return hub.http("POST", "/api-keys", {"name": "mine", **body}, key=key)


def user_of(hub: Rig, key: str) -> str:
    return hub.hub.identity.authenticate(f"Bearer {key}").user_id


def test_a_key_is_shown_once_and_works(hub: Rig, alice: str) -> None:
    made = make(hub, alice, name="laptop")
    assert made.status == 201
    assert made.headers["cache-control"] == "no-store"
    secret = made.json["secret"]
    assert made.json == {
        "key_id": made.json["key_id"],
        "name": "laptop",
        "prefix": secret[:8],
        "scopes": ["read", "write"],
        "kb_ids": None,
        "created_at": made.json["created_at"],
        "expires_at": None,
        "last_used": None,
        "secret": secret,
    }
    assert hub.http("GET", "/me", key=secret).json["credential_id"] == made.json["key_id"]
    listed = hub.http("GET", "/api-keys", key=alice)
    assert secret.encode() not in listed.body
    assert [one["name"] for one in listed.json["items"]] == ["test", "laptop"]
    assert secret.encode() not in b"".join(path.read_bytes() for path in hub.folder.glob("catalog.sqlite3*"))


def test_a_revoked_key_is_refused_in_the_next_request(hub: Rig, alice: str) -> None:
    made = make(hub, alice).json
    assert hub.http("GET", "/kb", key=made["secret"]).status == 200
    assert hub.http("DELETE", f"/api-keys/{made['key_id']}", key=alice).status == 204
    assert hub.http("GET", "/kb", key=made["secret"]).status == 401
    assert [one["name"] for one in hub.http("GET", "/api-keys", key=alice).json["items"]] == ["test"]
    assert hub.http("DELETE", f"/api-keys/{made['key_id']}", key=alice).code == "API_KEY_NOT_FOUND"


def test_a_key_may_revoke_itself(hub: Rig, alice: str) -> None:
    made = make(hub, alice).json
    assert hub.http("DELETE", f"/api-keys/{made['key_id']}", key=made["secret"]).status == 204
    assert hub.http("GET", "/kb", key=made["secret"]).status == 401


def test_somebody_elses_key_and_an_absent_one_are_the_same_answer(hub: Rig, alice: str, bob: str) -> None:
    theirs = make(hub, alice).json
    foreign = hub.http("DELETE", f"/api-keys/{theirs['key_id']}", key=bob)
    absent = hub.http("DELETE", "/api-keys/key_none", key=bob)
    assert (foreign.status, foreign.code) == (absent.status, absent.code) == (404, "API_KEY_NOT_FOUND")
    assert hub.http("GET", "/kb", key=theirs["secret"]).status == 200
    assert hub.http("DELETE", f"/api-keys/{'k' * 2000}", key=bob).status == 404


@pytest.mark.parametrize(
    ("asked", "kept"),
    [(["read"], ["read"]), (["write"], ["read", "write"]), (["admin"], ["read", "write", "admin"])],
)
def test_a_scope_includes_the_narrower_ones(hub: Rig, asked: list[str], kept: list[str]) -> None:
    assert make(hub, hub.user("root", role="admin"), scopes=asked).json["scopes"] == kept


def test_a_member_makes_no_admin_key(hub: Rig, alice: str) -> None:
    assert make(hub, alice, scopes=["admin"]).code == "FORBIDDEN"
    # The key that alice has names the scope; her role does not reach that far.
    assert hub.http("GET", "/me", key=alice).json["scopes"] == ["read", "write"]


@pytest.mark.parametrize(
    "narrowed", [{"scopes": ("read",)}, {"kb_ids": (1,)}, {"kb_ids": ()}, {"expires": START + 3600}], ids=str
)
def test_a_limited_key_makes_no_key(hub: Rig, alice: str, narrowed: dict[str, Any]) -> None:
    limited = hub.hub.identity.issue_key(user_of(hub, alice), "limited", **narrowed).secret
    for scopes in (["read"], ["write"]):
        answer = make(hub, limited, scopes=scopes, kb_ids=[1], expires_at=iso(START + 60))
        assert (answer.status, answer.code) == (403, "FORBIDDEN")


def test_an_admins_key_without_that_scope_makes_none_with_it(hub: Rig) -> None:
    root = hub.user("root", role="admin")
    writer = make(hub, root, scopes=["write"]).json["secret"]
    assert make(hub, writer, scopes=["admin"]).code == "FORBIDDEN"
    assert make(hub, writer, scopes=["write"]).status == 201


def test_a_key_that_is_limited_to_kbs_neither_sees_nor_revokes_the_others(hub: Rig, alice: str) -> None:
    limited = make(hub, alice, kb_ids=[1]).json
    assert hub.http("GET", "/api-keys", key=limited["secret"]).code == "FORBIDDEN"
    assert hub.http("DELETE", f"/api-keys/{limited['key_id']}", key=limited["secret"]).code == "FORBIDDEN"


def test_a_read_key_lists_and_does_not_revoke(hub: Rig, alice: str) -> None:
    reader = make(hub, alice, scopes=["read"]).json
    assert hub.http("GET", "/api-keys", key=reader["secret"]).status == 200
    assert hub.http("DELETE", f"/api-keys/{reader['key_id']}", key=reader["secret"]).code == "FORBIDDEN"


def test_a_key_ends_at_its_time(hub: Rig, alice: str) -> None:
    made = make(hub, alice, expires_at="2027-01-15T10:00:00+01:00").json
    assert made["expires_at"] == iso(START + 3600) == "2027-01-15T09:00:00.000Z"


@pytest.mark.parametrize("past", [START - 1, START - 1e6])
def test_a_key_that_is_over_is_not_made(hub: Rig, alice: str, past: float) -> None:
    answer = make(hub, alice, expires_at=iso(past))
    assert (answer.status, answer.json["error"]["detail"]["errors"][0]["loc"]) == (422, ["body", "expires_at"])


def test_an_expired_key_is_refused(hub: Rig, alice: str) -> None:
    made = make(hub, alice, expires_at=iso(hub.clock.seconds + 60)).json
    assert hub.http("GET", "/me", key=made["secret"]).json["expires_at"] == made["expires_at"]
    hub.clock.seconds += 61
    assert hub.http("GET", "/me", key=made["secret"]).status == 401


@pytest.mark.parametrize(
    "body",
    [
        {"name": ""},
        {"name": None},
        {"scopes": []},
        {"scopes": ["all"]},
        {"scopes": "read"},
        {"kb_ids": [0]},
        {"kb_ids": ["1"]},
        {"expires_at": "2027-01-16T00:00:00"},
        {"expires_at": "soon"},
        {"secret": "mine"},
    ],
    ids=str,
)
def test_a_key_that_does_not_fit_is_refused(hub: Rig, alice: str, body: dict[str, Any]) -> None:
    assert make(hub, alice, **body).status == 422


def test_the_last_use_is_noted_by_the_hour_and_written_once_in_it(hub: Rig, alice: str) -> None:
    made = make(hub, alice).json
    writes: list[Write] = []

    class Watched:
        def write(self, operation: Write) -> Item | None:
            writes.append(operation)
            return hub.ports.table.write(operation)

        def __getattr__(self, name: str) -> object:
            return getattr(hub.ports.table, name)

    identity = hub_of(replace(hub.ports, table=Watched()), PUBLIC_URL).identity
    for minutes in (0, 10, 10, 45, 1):
        hub.clock.seconds += 60 * minutes
        identity.authenticate(f"Bearer {made['secret']}")
    assert len(writes) == 2
    (shown,) = [one for one in hub.http("GET", "/api-keys", key=alice).json["items"] if one["key_id"] == made["key_id"]]
    assert shown["last_used"] == iso(hub.clock.seconds // 3600 * 3600) == "2027-01-15T09:00:00.000Z"


def test_a_key_works_where_its_use_cannot_be_noted(hub: Rig, alice: str) -> None:
    class ReadOnly:
        def write(self, operation: Write) -> Item | None:
            raise Unavailable("away", {"operation": type(operation).__name__})

        def __getattr__(self, name: str) -> object:
            return getattr(hub.ports.table, name)

    hub.clock.seconds += 7200
    identity = hub_of(replace(hub.ports, table=ReadOnly()), PUBLIC_URL).identity
    assert identity.authenticate(f"Bearer {alice}").username == "alice"


def test_a_key_that_is_revoked_while_it_is_used_stays_revoked(hub: Rig, alice: str) -> None:
    made = make(hub, alice).json
    rows = hub.hub.accounts.api_keys._rows
    (key,) = [one for one in rows.of(user_of(hub, alice)) if one.key_id == made["key_id"]]
    assert rows.delete(key.user_id, key.key_id)
    rows.used(key, iso(START))
    assert rows.with_digest(key.digest) is None


def test_keys_are_listed_by_page_and_by_cursor(hub: Rig, alice: str) -> None:
    for number in range(4):
        assert make(hub, alice, name=f"key {number}").status == 201
    first = hub.http("GET", "/api-keys", key=alice, query={"page_size": 2}).json
    assert (first["total"], first["page"], first["page_size"]) == (5, 1, 2)
    second = hub.http("GET", "/api-keys", key=alice, query={"page_size": 2, "cursor": first["next_cursor"]}).json
    third = hub.http("GET", "/api-keys", key=alice, query={"page_size": 2, "page": 3}).json
    names = [one["name"] for page in (first, second, third) for one in page["items"]]
    assert names == ["test", "key 0", "key 1", "key 2", "key 3"]
    assert third["next_cursor"] is None


def test_a_request_that_is_sent_again_makes_one_key_and_shows_its_secret_once(hub: Rig, alice: str) -> None:
    headers = {"Idempotency-Key": "one"}
    first, again = (hub.http("POST", "/api-keys", {"name": "n"}, key=alice, headers=headers) for _ in range(2))
    assert (first.status, again.status) == (201, 201)
    assert again.json == {**first.json, "secret": None}
    assert first.json["secret"]
    assert hub.http("GET", "/api-keys", key=alice).json["total"] == 2


def test_a_user_has_so_many_keys_and_no_more(hub: Rig, alice: str) -> None:
    user = user_of(hub, alice)
    for _ in range(MOST_KEYS - 1):
        hub.hub.identity.issue_key(user, "many")
    answer = make(hub, alice)
    assert (answer.status, answer.code) == (409, "CONFLICT")


def test_changes_of_keys_are_audited_without_secrets(hub: Rig, alice: str) -> None:
    made = make(hub, alice).json
    hub.http("DELETE", f"/api-keys/{made['key_id']}", key=alice)
    events = [(one["action"], one.get("object_id")) for one in hub.audit_events()]
    assert events == [("api_key_create", None), ("api_key_delete", made["key_id"])]
    assert made["secret"] not in repr(hub.audit_events())
