"""Users who come with a token of an OpenID issuer."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from knowhub.bootstrap import hub_of
from knowhub.issuers import GroupRoles
from tests.hubs import PUBLIC_URL, START, Rig
from tests.issuers import StubIssuer, issuing

PASSWORD = "correct horse battery"
GROUPS = GroupRoles("groups", {"admins": "admin"}, "member")


@pytest.fixture
def issuer(hub: Rig) -> Iterator[StubIssuer]:
    """Run an issuer that the hub trusts."""
    with issuing() as running:
        hub.hub = hub_of(replace(hub.ports, issuer=running.trusted_by(hub.clock, GROUPS)), PUBLIC_URL)
        yield running


def me(hub: Rig, token: str) -> dict[str, Any]:
    answer = hub.http("GET", "/me", key=token)
    assert answer.status == 200
    found: dict[str, Any] = answer.json
    return found


def test_a_person_is_a_user_from_the_first_token_on(hub: Rig, issuer: StubIssuer) -> None:
    first = me(hub, issuer.token(preferred_username="ada"))
    assert (first["username"], first["role"], first["scopes"]) == ("ada", "member", ["read", "write"])
    renamed = me(hub, issuer.token(preferred_username="ada.l", email="a@example.org"))
    assert renamed == first
    other = me(hub, issuer.token(sub="subject-2", preferred_username="bea"))
    assert other["user_id"] != first["user_id"]
    kb = hub.http("POST", "/kb", {"name": "Mine"}, key=issuer.token())
    assert (kb.status, kb.json["owner"]) == (201, "ada")
    assert hub.http("GET", f"/kb/{kb.json['kb_id']}", key=issuer.token(sub="subject-2")).code == "KB_NOT_FOUND"


def test_every_entrance_takes_the_token(hub: Rig, issuer: StubIssuer) -> None:
    token = issuer.token()
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert hub.mcp(listing, key=token).status == 200
    assert hub.mcp(listing, key=issuer.token(aud="other")).status == 401


@pytest.mark.parametrize("claim", ["preferred_username", "email", "name"])
def test_a_name_from_outside_takes_nobody_over(hub: Rig, issuer: StubIssuer, claim: str) -> None:
    local = hub.hub.identity.create_user("root@example.org", PASSWORD, "admin")
    came = me(hub, issuer.token(**{claim: "Root@example.org"}))
    assert came["user_id"] != local.user_id
    assert came["username"].startswith("Root@example.org~")
    assert came["role"] == "member"


def test_a_name_that_cannot_be_one_is_passed_over(hub: Rig, issuer: StubIssuer) -> None:
    token = issuer.token(preferred_username="a b\n", email=7, name="ada~lovelace")
    assert me(hub, token)["username"] == "user"
    assert me(hub, issuer.token(sub="subject-2"))["username"].startswith("user~")


def test_the_role_follows_the_groups_of_each_token(hub: Rig, issuer: StubIssuer) -> None:
    admin, member = issuer.token(groups=["admins"]), issuer.token(groups=[])
    key = hub.hub.identity.issue_key(me(hub, member)["user_id"], "mine").secret
    assert hub.http("GET", "/admin/users", key=member).status == 403
    assert hub.http("GET", "/admin/users", key=admin).status == 200
    assert me(hub, key)["role"] == "admin"
    assert hub.http("GET", "/admin/users", key=member).status == 403
    assert me(hub, key)["role"] == "member"


def test_a_disabled_user_is_refused_with_a_good_token(hub: Rig, issuer: StubIssuer) -> None:
    root = hub.user("root", role="admin")
    user_id = me(hub, issuer.token())["user_id"]
    assert hub.http("PATCH", f"/admin/users/{user_id}", {"disabled": True}, key=root).json["issuer"] == issuer.address
    refused, unknown = (hub.http("GET", "/me", key=token) for token in (issuer.token(), "nonsense"))
    assert refused.status == 401
    assert refused.json["error"] | {"request_id": ""} == unknown.json["error"] | {"request_id": ""}


@pytest.mark.parametrize("changed", [{"role": "admin"}, {"password": "another long one"}])
def test_what_the_issuer_decides_is_not_changed_here(hub: Rig, issuer: StubIssuer, changed: dict[str, Any]) -> None:
    root = hub.user("root", role="admin")
    user_id = me(hub, issuer.token())["user_id"]
    assert hub.http("PATCH", f"/admin/users/{user_id}", changed, key=root).code == "CONFLICT"


def test_an_admin_by_group_is_not_what_the_hub_counts_on(hub: Rig, issuer: StubIssuer) -> None:
    root = hub.user("root", role="admin")
    admin = issuer.token(groups=["admins"])
    local = me(hub, root)["user_id"]
    assert hub.http("DELETE", f"/admin/users/{local}", key=admin).code == "CONFLICT"
    assert hub.http("DELETE", f"/admin/users/{me(hub, admin)['user_id']}", key=root).status == 204


def test_a_removed_user_who_comes_again_is_another_one(hub: Rig, issuer: StubIssuer) -> None:
    root, before = hub.user("root", role="admin"), me(hub, issuer.token(preferred_username="ada"))
    hub.http("DELETE", f"/admin/users/{before['user_id']}", key=root)
    after = me(hub, issuer.token(preferred_username="ada"))
    assert (after["username"], after["user_id"] == before["user_id"]) == ("ada", False)


def test_two_first_requests_at_once_make_one_user(hub: Rig, issuer: StubIssuer) -> None:
    issued = hub.hub.identity._issued
    assert issued is not None
    person = issued._issuer.person(issuer.token(preferred_username="ada"))
    assert person is not None
    first, second = issued._first_seen(person), issued._first_seen(person)
    assert first is not None
    assert second is not None
    assert first.user_id == second.user_id


def test_an_expired_token_is_refused(hub: Rig, issuer: StubIssuer) -> None:
    token = issuer.token(exp=START + 60)
    assert hub.http("GET", "/me", key=token).status == 200
    hub.clock.seconds += 180
    assert hub.http("GET", "/me", key=token).status == 401


def test_an_issuer_that_is_away_keeps_nobody_else_out(hub: Rig, issuer: StubIssuer, alice: str) -> None:
    issuer.broken = True
    answer = hub.http("GET", "/me", key=issuer.token())
    assert (answer.status, answer.code, answer.headers["retry-after"]) == (503, "UNAVAILABLE", "1")
    assert hub.http("GET", "/me", key=alice).status == 200


def test_a_hub_without_an_issuer_takes_no_such_token(hub: Rig) -> None:
    with issuing() as running:
        assert hub.http("GET", "/me", key=running.token()).status == 401
        assert running.server is not None
        assert running.server.requests == []
