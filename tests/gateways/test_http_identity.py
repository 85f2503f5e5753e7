"""Who gets in over HTTP, and what the others are told."""

import json
import re

import pytest

from knowhub.services.sign_in import Origin
from tests.environments import ROOT
from tests.hubs import START, Rig


def _refusal(hub: Rig, token: str | None, method: str, path: str) -> tuple[int, bytes, dict[str, str]]:
    headers = {} if token is None else {"Authorization": token}
    answer = hub.http(method, path, headers=headers)
    request_id = answer.headers.pop("x-request-id")
    return answer.status, answer.body.replace(request_id.encode(), b""), answer.headers


def _useless_credentials(hub: Rig, alice: str) -> dict[str, str | None]:
    """Give an `Authorization` header of each kind that must not get in."""
    identity, sign_in = hub.hub.identity, hub.hub.accounts.sign_in
    root = hub.user("root", role="admin")
    ada = identity.create_user("ada", "correct horse battery", "member")
    ended, disabled = (sign_in.open("ada", "correct horse battery", Origin("", "")).token for _ in range(2))
    sign_in.close(f"Bearer {ended}")
    revoked = identity.issue_key(ada.user_id, "revoked")
    hub.http("DELETE", f"/api-keys/{revoked.key_id}", key=disabled)
    off = identity.issue_key(ada.user_id, "of a disabled user").secret
    hub.http("PATCH", f"/admin/users/{ada.user_id}", {"disabled": True}, key=root)
    removed = hub.user("bea")
    hub.http("DELETE", f"/admin/users/{identity.authenticate(f'Bearer {removed}').user_id}", key=root)
    return {
        "none": None,
        "empty": "",
        "another scheme": f"Basic {alice}",
        "no scheme": alice,
        "no token": "Bearer",
        "two tokens": f"Bearer {alice} {alice}",
        "a malformed key": "Bearer kh_short",
        "an unknown key": f"Bearer kh_{'A' * 43}",
        "a malformed session": "Bearer ks_short",
        "an unknown session": f"Bearer ks_{'A' * 43}",
        "a key as a session": f"Bearer ks_{alice[3:]}",
        "a signed token without an issuer": "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJyb290In0.AA",
        "not ASCII": "Bearer \u00e9\u00e9",
        "an expired key": f"Bearer {hub.user('carol', expires=START - 1)}",
        "a revoked key": f"Bearer {revoked.secret}",
        "a session that ended": f"Bearer {ended}",
        "a disabled user's session": f"Bearer {disabled}",
        "a disabled user's key": f"Bearer {off}",
        "a removed user's key": f"Bearer {removed}",
    }


@pytest.mark.parametrize(("method", "path"), [("GET", "/kb"), ("GET", "/me"), ("GET", "/admin/users"), ("GET", "/no")])
def test_every_credential_that_is_no_use_is_one_answer(hub: Rig, alice: str, method: str, path: str) -> None:
    answers = {name: _refusal(hub, token, method, path) for name, token in _useless_credentials(hub, alice).items()}
    status, body, headers = answers["none"]
    assert (status, headers["www-authenticate"]) == (401, "Bearer")
    assert b"UNAUTHENTICATED" in body
    assert {name for name, answer in answers.items() if answer != answers["none"]} == set()


def test_a_valid_key_gets_in_whatever_the_case_of_the_scheme(hub: Rig, alice: str) -> None:
    assert hub.http("GET", "/kb", headers={"Authorization": f"bearer {alice}"}).status == 200


def test_only_health_and_the_ways_to_sign_in_are_open(hub: Rig) -> None:
    assert hub.http("GET", "/health").json["status"] == "ok"
    assert hub.http("GET", "/no/such/route").status == 401
    described = json.loads((ROOT / "infra" / "openapi.json").read_text(encoding="utf-8"))["paths"]
    routes = [(method, path) for path, methods in described.items() for method in methods]
    assert len(routes) > 30
    open_routes = {
        (method, path)
        for method, path in routes
        if hub.http(method.upper(), re.sub(r"{\w+}", "1", path.removeprefix("/api/v1")), {}).status != 401
    }
    assert open_routes == {
        ("get", "/api/v1/health"),
        ("post", "/api/v1/auth/login"),
        ("post", "/api/v1/auth/bootstrap"),
    }


def test_an_unknown_route_is_a_404_in_the_error_shape(hub: Rig, alice: str) -> None:
    answer = hub.http("GET", "/no/such/route", key=alice)
    assert (answer.status, answer.code) == (404, "ROUTE_NOT_FOUND")
    assert answer.headers["x-request-id"] == answer.json["error"]["request_id"]


def test_a_read_key_reads_and_does_not_write(hub: Rig, alice: str, kb: int) -> None:
    user = hub.hub.identity.authenticate(f"Bearer {alice}").user_id
    reader = hub.hub.identity.issue_key(user, "reader", scopes=("read",)).secret
    assert hub.http("GET", f"/kb/{kb}", key=reader).status == 200
    refused = hub.http("POST", f"/kb/{kb}/documents", {"title": "t", "text": "x"}, key=reader)
    assert (refused.status, refused.code) == (403, "FORBIDDEN")
    assert hub.http("POST", "/kb", {"name": "Other"}, key=reader).status == 403


def test_a_key_limited_to_one_kb_does_not_see_the_others(hub: Rig, alice: str, kb: int) -> None:
    other = hub.http("POST", "/kb", {"name": "Other"}, key=alice).json["kb_id"]
    user = hub.hub.identity.authenticate(f"Bearer {alice}").user_id
    limited = hub.hub.identity.issue_key(user, "limited", kb_ids=(kb,)).secret
    assert [one["kb_id"] for one in hub.http("GET", "/kb", key=limited).json["items"]] == [kb]
    assert hub.http("GET", f"/kb/{other}", key=limited).code == "KB_NOT_FOUND"
    nothing = hub.hub.identity.issue_key(user, "nothing", kb_ids=()).secret
    assert hub.http("GET", "/kb", key=nothing).json["items"] == []


@pytest.mark.parametrize(("method", "path"), [("GET", "/kb/{}"), ("DELETE", "/kb/{}"), ("POST", "/kb/{}/search")])
def test_a_foreign_and_an_absent_kb_are_the_same_answer(hub: Rig, kb: int, bob: str, method: str, path: str) -> None:
    body = {"query": "x"} if method == "POST" else None
    foreign = hub.http(method, path.format(kb), body, key=bob)
    absent = hub.http(method, path.format(kb + 1000), body, key=bob)
    assert foreign.status == absent.status == 404
    for answer, kb_id in ((foreign, kb), (absent, kb + 1000)):
        assert answer.json["error"] == {
            "code": "KB_NOT_FOUND",
            "message": "Knowledge base not found",
            "detail": {"kb_id": kb_id},
            "request_id": answer.headers["x-request-id"],
        }


def test_an_admin_has_no_way_into_a_private_kb(hub: Rig, kb: int) -> None:
    admin = hub.user("root", role="admin")
    assert hub.http("GET", f"/kb/{kb}", key=admin).code == "KB_NOT_FOUND"


def test_a_shared_kb_is_read_by_everybody_and_changed_by_its_members_only(hub: Rig, alice: str, bob: str) -> None:
    shared = hub.http("POST", "/kb", {"name": "Shared", "visibility": "shared"}, key=alice).json["kb_id"]
    assert hub.http("GET", f"/kb/{shared}", key=bob).json["role"] == "viewer"
    assert hub.http("POST", f"/kb/{shared}/documents", {"title": "t", "text": "x"}, key=bob).status == 403
    assert hub.http("DELETE", f"/kb/{shared}", key=bob).status == 403


@pytest.mark.parametrize("path", ["/openapi.json", "/docs"])
def test_the_interfaces_description_is_open_only_by_setting(hub: Rig, alice: str, path: str) -> None:
    assert hub.http("GET", path).status == 401
    assert hub.http("GET", path, key=alice).status == 200
    assert b"/api/v1/kb/{kb_id}/documents" in hub.http("GET", path, open_docs=True).body
