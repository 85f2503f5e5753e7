"""The first administrator, made with the secret of the deployment, once."""

from dataclasses import replace

import pytest

from knowhub.bootstrap import hub_of
from knowhub.services.throttling import ADDRESS_TRIES
from knowhub.settings import InvalidSettings
from tests.hubs import PUBLIC_URL, Answer, Rig

SECRET = "s" * 43
PASSWORD = "correct horse battery"


@pytest.fixture
def bare(hub: Rig) -> Rig:
    """Give a hub without users, as a deployment makes it."""
    hub.hub = hub_of(replace(hub.ports, first_admin_secret=lambda: SECRET), PUBLIC_URL)
    return hub


def bootstrap(hub: Rig, secret: str = SECRET, username: str = "root", password: str = PASSWORD) -> Answer:
    return hub.http("POST", "/auth/bootstrap", {"secret": secret, "username": username, "password": password})


def test_the_secret_makes_an_administrator_who_signs_in(bare: Rig) -> None:
    made = bootstrap(bare)
    assert (made.status, made.json["username"], made.json["role"]) == (201, "root", "admin")
    token = bare.http("POST", "/auth/login", {"username": "root", "password": PASSWORD}).json["access_token"]
    assert bare.http("GET", "/admin/users", key=token).json["total"] == 1


def test_it_works_once(bare: Rig) -> None:
    assert bootstrap(bare).status == 201
    for username in ("other", "root"):
        again = bootstrap(bare, username=username)
        assert (again.status, again.code) == (409, "CONFLICT")
    assert bare.hub.identity.user_named("other") is None


def test_it_does_not_work_again_when_that_admin_is_gone(bare: Rig) -> None:
    first = bootstrap(bare).json["user_id"]
    other = bare.user("other", role="admin")
    assert bare.http("DELETE", f"/admin/users/{first}", key=other).status == 204
    assert bootstrap(bare).code == "CONFLICT"


@pytest.mark.parametrize("secret", ["x", "s" * 42, "s" * 44, SECRET.upper()])
def test_a_wrong_secret_makes_nobody_before_and_after(bare: Rig, secret: str) -> None:
    assert bootstrap(bare, secret).code == "UNAUTHENTICATED"
    assert bare.hub.identity.user_named("root") is None
    assert bootstrap(bare).status == 201
    assert bootstrap(bare, secret).code == "UNAUTHENTICATED"


def test_what_does_not_fit_does_not_use_it_up(bare: Rig) -> None:
    assert bootstrap(bare, password="short").status == 422
    bare.hub.identity.create_user("taken", PASSWORD, "member")
    assert bootstrap(bare, username="taken").code == "CONFLICT"
    assert bootstrap(bare).status == 201


def test_without_a_secret_it_is_closed(hub: Rig) -> None:
    assert bootstrap(hub, "").status == 422
    assert bootstrap(hub, "None").code == "UNAUTHENTICATED"


def test_a_secret_that_cannot_be_read_is_said_so(hub: Rig) -> None:
    def gone() -> str:
        raise InvalidSettings("KNOWHUB_BOOTSTRAP_SECRET leads to nothing that can be read")

    hub.hub = hub_of(replace(hub.ports, first_admin_secret=gone), PUBLIC_URL)
    assert bootstrap(hub).code == "UNAVAILABLE"


def test_attempts_are_throttled_and_the_secret_is_not_written_down(bare: Rig) -> None:
    assert bootstrap(bare).status == 201
    for _ in range(ADDRESS_TRIES - 1):
        bare.hub.accounts.first_admin._throttle.admit_address("198.51.100.7")
    assert bootstrap(bare).code == "RATE_LIMITED"
    stored = b"".join(path.read_bytes() for path in bare.folder.glob("catalog.sqlite3*"))
    assert SECRET.encode() not in stored
    assert [one["action"] for one in bare.audit_events()] == ["bootstrap"]
