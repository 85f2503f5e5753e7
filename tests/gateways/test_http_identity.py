"""Who gets in over HTTP, and what the others are told."""

import pytest

from tests.hubs import START, Rig


def _refusals(hub: Rig, token: str | None) -> tuple[int, dict[str, object], str]:
    headers = {} if token is None else {"Authorization": token}
    answer = hub.http("GET", "/kb", headers=headers)
    return answer.status, {**answer.json["error"], "request_id": None}, answer.headers["www-authenticate"]


def test_missing_malformed_unknown_revoked_and_expired_credentials_are_one_answer(hub: Rig, alice: str) -> None:
    expired = hub.user("carol", expires=START - 1)
    tokens = [None, "", "Basic abc", "Bearer", "Bearer kh_short", f"Bearer kh_{'A' * 43}", f"Bearer {expired}", alice]
    answers = [_refusals(hub, token) for token in tokens]
    assert answers[0][0] == 401
    assert answers[0][1]["code"] == "UNAUTHENTICATED"
    assert answers[0][2] == "Bearer"
    assert all(answer == answers[0] for answer in answers)


def test_a_valid_key_gets_in_whatever_the_case_of_the_scheme(hub: Rig, alice: str) -> None:
    assert hub.http("GET", "/kb", headers={"Authorization": f"bearer {alice}"}).status == 200


def test_only_health_is_open(hub: Rig) -> None:
    assert hub.http("GET", "/health").json["status"] == "ok"
    assert hub.http("GET", "/no/such/route").status == 401


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
