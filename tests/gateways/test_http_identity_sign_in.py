"""Signing in with a password, and what a session may do."""

from dataclasses import replace

import pytest

from knowhub.bootstrap import hub_of
from knowhub.catalog import keys
from knowhub.errors import Unavailable
from knowhub.ports.table import Item, Key, Table, Update, Write
from knowhub.services.identity import LONGEST_SESSION_SECONDS, SESSION_SECONDS, SLIDE_SECONDS
from knowhub.services.throttling import ADDRESS_TRIES, USER_TRIES, WINDOW_SECONDS
from tests.hubs import PUBLIC_URL, Answer, Rig

PASSWORD = "correct horse battery"
WRONG = "wrong horse battery"


@pytest.fixture
def ada(hub: Rig) -> str:
    """Make a user with a password and give its id."""
    return hub.hub.identity.create_user("ada", PASSWORD, "member").user_id


def login(hub: Rig, name: str = "ada", password: str = PASSWORD, *, client: str = "192.0.2.1") -> Answer:
    return hub.http("POST", "/auth/login", {"username": name, "password": password}, client=client)


def session(hub: Rig) -> str:
    token: str = login(hub).json["access_token"]
    return token


def tried(hub: Rig, times: int, name: str = "ada", client: str = "192.0.2.1") -> None:
    """Count attempts as a login does, without the cost of a password."""
    for _ in range(times):
        hub.hub.accounts.sign_in._throttle.admit(name, client)


def refusal(answer: Answer) -> tuple[int, dict[str, object], str | None]:
    return answer.status, {**answer.json["error"], "request_id": None}, answer.headers.get("www-authenticate")


def test_a_password_opens_a_session_that_is_told_once_and_never_kept(hub: Rig, ada: str) -> None:
    answer = login(hub, "ADA")
    assert answer.status == 200
    assert answer.json["expires_in"] == SESSION_SECONDS == 43_200
    assert answer.headers["cache-control"] == "no-store"
    token = answer.json["access_token"]
    assert hub.http("GET", "/me", key=token).json == {
        "user_id": ada,
        "username": "ada",
        "role": "member",
        "scopes": ["read", "write"],
        "kb_ids": None,
        "credential_id": hub.hub.identity.authenticate(f"Bearer {token}").credential_id,
        "expires_at": None,
    }
    stored = b"".join(path.read_bytes() for path in hub.folder.glob("catalog.sqlite3*"))
    assert token.encode() not in stored
    assert PASSWORD.encode() not in stored


def test_a_session_has_the_scopes_of_its_users_role(hub: Rig) -> None:
    hub.hub.identity.create_user("root", PASSWORD, "admin")
    token = login(hub, "root").json["access_token"]
    assert hub.http("GET", "/me", key=token).json["scopes"] == ["admin", "read", "write"]
    assert hub.http("POST", "/kb", {"name": "Mine"}, key=token).status == 201


def test_a_wrong_name_a_wrong_password_and_a_disabled_user_are_one_answer(hub: Rig, ada: str) -> None:
    hub.user("keyed")  # has API keys and no password
    hub.hub.identity.create_user("off", PASSWORD, "member")
    off = hub.hub.identity.user_named("off")
    assert off is not None
    hub.ports.table.write(Update(keys.user(off.user_id), values={"disabled": True}))
    answers = [
        refusal(login(hub, name, password))
        for name, password in [("ada", WRONG), ("nobody", PASSWORD), ("keyed", PASSWORD), ("off", PASSWORD)]
    ]
    assert answers[0][0] == 401
    assert answers[0][1]["code"] == "UNAUTHENTICATED"
    assert answers[0][2] == "Bearer"
    assert all(answer == answers[0] for answer in answers)


class CountedReads:
    """Counts what is read."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.reads: list[str] = []

    def get(self, key: Key) -> Item | None:
        self.reads.append(key.sk)
        return self._table.get(key)

    def __getattr__(self, name: str) -> object:
        return getattr(self._table, name)


def test_a_name_that_nobody_has_costs_the_same_reads_as_any_other(hub: Rig, ada: str) -> None:
    counted = CountedReads(hub.ports.table)
    hub.hub = hub_of(replace(hub.ports, table=counted), PUBLIC_URL)
    login(hub, "ada", WRONG)
    known, counted.reads = counted.reads, []
    login(hub, "nobody", WRONG)
    assert [read.partition("#")[0] for read in counted.reads] == [read.partition("#")[0] for read in known]


def test_a_name_that_nobody_has_is_compared_with_a_hash_as_costly_as_any(monkeypatch: pytest.MonkeyPatch) -> None:
    from knowhub.auth import passwords

    costs: list[tuple[int, int, int]] = []
    real = passwords.hashlib.scrypt

    def scrypt(password: bytes, *, salt: bytes, n: int, r: int, p: int, maxmem: int, dklen: int) -> bytes:
        costs.append((n, r, p))
        return real(password, salt=salt, n=n, r=r, p=p, maxmem=maxmem, dklen=dklen)

    # The cost itself is what is looked at, and no port stands in front of it.
    monkeypatch.setattr(passwords.hashlib, "scrypt", scrypt)
    stored = passwords.hash_password(PASSWORD)
    assert not passwords.verify_anybodys(PASSWORD, "")
    assert passwords.verify_anybodys(PASSWORD, stored)
    assert costs[0] == costs[1] == costs[2]


@pytest.mark.parametrize(
    "body",
    [{}, {"username": "ada"}, {"username": "ada", "password": ""}, {"username": 1, "password": PASSWORD}, [], "x"],
    ids=str,
)
def test_a_login_that_does_not_fit_says_where_and_repeats_nothing(hub: Rig, body: object) -> None:
    answer = hub.http("POST", "/auth/login", body)
    assert (answer.status, answer.code) == (422, "INVALID_REQUEST")
    assert PASSWORD.encode() not in answer.body


def test_both_outcomes_are_audited_without_what_was_typed(hub: Rig, ada: str) -> None:
    login(hub, "ada", WRONG)
    login(hub, "typed-into-the-wrong-field", PASSWORD)
    login(hub)
    events = [(one["action"], one["principal_id"], one.get("object_id")) for one in hub.audit_events()]
    assert events == [("login_refused", "", ada), ("login_refused", "", None), ("login", ada, ada)]
    written = repr(hub.audit_events())
    assert all(secret not in written for secret in (PASSWORD, WRONG, "typed-into", "ks_"))
    assert [one["detail"] for one in hub.audit_events()] == [{"address": "192.0.2.1"}] * 3


def test_a_login_whose_audit_cannot_be_written_opens_nothing(hub: Rig, ada: str) -> None:
    class NoAudit:
        def write(self, operation: Write) -> Item | None:
            if str(getattr(operation, "item", {}).get("pk", "")).startswith("AUDIT#"):
                raise Unavailable("away")
            return hub.ports.table.write(operation)

        def __getattr__(self, name: str) -> object:
            return getattr(hub.ports.table, name)

    hub.hub = hub_of(replace(hub.ports, table=NoAudit()), PUBLIC_URL)
    answer = login(hub)
    assert (answer.status, answer.code) == (503, "UNAVAILABLE")


def test_a_session_slides_with_its_use_and_ends_without(hub: Rig, ada: str) -> None:
    token = session(hub)
    for _ in range(3):
        hub.clock.seconds += SESSION_SECONDS - 60
        assert hub.http("GET", "/me", key=token).status == 200
    hub.clock.seconds += SESSION_SECONDS + 1
    assert hub.http("GET", "/me", key=token).status == 401


def test_a_session_ends_after_thirty_days_however_often_it_is_used(hub: Rig, ada: str) -> None:
    token, began = session(hub), hub.clock.seconds
    while hub.clock.seconds < began + LONGEST_SESSION_SECONDS - SESSION_SECONDS:
        hub.clock.seconds += SESSION_SECONDS - 60
        hub.hub.identity.authenticate(f"Bearer {token}")
    hub.clock.seconds = began + LONGEST_SESSION_SECONDS + 1
    assert hub.http("GET", "/me", key=token).status == 401


def test_a_busy_session_is_written_once_in_five_minutes(hub: Rig, ada: str) -> None:
    token = session(hub)
    writes: list[Write] = []

    class Watched:
        def write(self, operation: Write) -> Item | None:
            writes.append(operation)
            return hub.ports.table.write(operation)

        def __getattr__(self, name: str) -> object:
            return getattr(hub.ports.table, name)

    identity = hub_of(replace(hub.ports, table=Watched()), PUBLIC_URL).identity
    for _ in range(5):
        identity.authenticate(f"Bearer {token}")
    assert writes == []
    hub.clock.seconds += SLIDE_SECONDS
    for _ in range(5):
        identity.authenticate(f"Bearer {token}")
    assert len(writes) == 1


def test_a_session_goes_on_where_its_use_cannot_be_noted(hub: Rig, ada: str) -> None:
    token = session(hub)

    class ReadOnly:
        def write(self, operation: Write) -> Item | None:
            raise Unavailable("away", {"operation": type(operation).__name__})

        def __getattr__(self, name: str) -> object:
            return getattr(hub.ports.table, name)

    hub.clock.seconds += SLIDE_SECONDS + 1
    identity = hub_of(replace(hub.ports, table=ReadOnly()), PUBLIC_URL).identity
    assert identity.authenticate(f"Bearer {token}").user_id == ada


def test_logout_ends_the_session_with_the_next_request(hub: Rig, ada: str) -> None:
    first, second = session(hub), session(hub)
    assert hub.http("POST", "/auth/logout", key=first).status == 204
    assert hub.http("GET", "/me", key=first).status == 401
    assert hub.http("POST", "/auth/logout", key=first).status == 401
    assert hub.http("GET", "/me", key=second).status == 200


def test_an_api_key_is_not_signed_out(hub: Rig, alice: str) -> None:
    answer = hub.http("POST", "/auth/logout", key=alice)
    assert (answer.status, answer.code) == (403, "FORBIDDEN")
    assert hub.http("GET", "/me", key=alice).status == 200


def test_a_new_password_takes_the_old_one_and_ends_the_other_sessions(hub: Rig, ada: str) -> None:
    mine, other = session(hub), session(hub)
    key = hub.hub.identity.issue_key(ada, "stays").secret
    wrong = {"old_password": WRONG, "new_password": "another long one"}
    assert hub.http("POST", "/me/password", wrong, key=mine).code == "FORBIDDEN"
    assert hub.http("GET", "/me", key=other).status == 200
    right = {"old_password": PASSWORD, "new_password": "another long one"}
    assert hub.http("POST", "/me/password", right, key=mine).status == 204
    assert [hub.http("GET", "/me", key=one).status for one in (mine, other, key)] == [200, 401, 200]
    assert login(hub).status == 401
    assert login(hub, password="another long one").status == 200


def test_a_short_new_password_is_refused(hub: Rig, ada: str) -> None:
    body = {"old_password": PASSWORD, "new_password": "short"}
    assert hub.http("POST", "/me/password", body, key=session(hub)).status == 422


def test_the_old_password_cannot_be_guessed_with_a_session(hub: Rig, ada: str) -> None:
    token = session(hub)
    body = {"old_password": WRONG, "new_password": "another long one"}
    assert hub.http("POST", "/me/password", body, key=token).status == 403
    tried(hub, USER_TRIES - 1, client="198.51.100.7")
    assert hub.http("POST", "/me/password", body, key=token).status == 429


def test_too_many_attempts_for_a_user_are_refused_unseen_and_told_when_to_come_back(hub: Rig, ada: str) -> None:
    assert login(hub, "ada", WRONG, client="203.0.113.9").status == 401
    for n in range(USER_TRIES - 1):
        tried(hub, 1, client=f"203.0.113.{n}")
    answer = login(hub, "Ada")
    assert (answer.status, answer.code) == (429, "RATE_LIMITED")
    wait = int(answer.headers["retry-after"])
    assert 0 < wait <= WINDOW_SECONDS
    hub.clock.seconds += wait
    assert login(hub).status == 200


def test_a_name_that_nobody_has_is_throttled_as_any_other(hub: Rig, ada: str) -> None:
    tried(hub, USER_TRIES - 1, "nobody")
    assert [login(hub, "nobody", WRONG).status for _ in range(2)] == [401, 429]


def test_strangers_cannot_keep_a_user_out_of_where_she_signed_in_before(hub: Rig, ada: str) -> None:
    assert login(hub, client="192.0.2.1").status == 200
    for n in range(USER_TRIES):
        tried(hub, 1, client=f"203.0.113.{n}")
    assert login(hub, client="203.0.113.99").status == 429
    assert login(hub, client="192.0.2.1").status == 200


def test_a_right_password_forgives_the_wrong_ones_before(hub: Rig, ada: str) -> None:
    for _ in range(3):
        tried(hub, USER_TRIES - 1)
        assert login(hub).status == 200


@pytest.mark.parametrize(
    ("clients", "last"),
    [(["192.0.2.1"], "192.0.2.1"), (["2001:db8::1", "2001:db8::2", "2001:db8:0:0:ffff::3"], "2001:db8::4")],
    ids=["one address", "one network of version 6"],
)
def test_an_address_is_throttled_over_all_names(hub: Rig, ada: str, clients: list[str], last: str) -> None:
    for n in range(ADDRESS_TRIES):
        hub.hub.accounts.sign_in._throttle.admit_address(clients[n % len(clients)])
    assert login(hub, client=last).status == 429
    assert login(hub, client="198.51.100.1").status == 200


def test_a_header_does_not_name_the_client(hub: Rig, ada: str) -> None:
    for _ in range(ADDRESS_TRIES):
        hub.hub.accounts.sign_in._throttle.admit_address("192.0.2.1")
    headers = {"X-Forwarded-For": "198.51.100.1", "Forwarded": "for=198.51.100.1", "X-Real-Ip": "198.51.100.1"}
    body = {"username": "ada", "password": PASSWORD}
    assert hub.http("POST", "/auth/login", body, headers=headers, client="192.0.2.1").status == 429


def test_nobody_is_let_in_while_attempts_cannot_be_counted(hub: Rig, ada: str) -> None:
    class NoCounts:
        def write(self, operation: Write) -> Item | None:
            if isinstance(operation, Update) and operation.key.pk.startswith("TRIES#"):
                raise Unavailable("away")
            return hub.ports.table.write(operation)

        def __getattr__(self, name: str) -> object:
            return getattr(hub.ports.table, name)

    hub.hub = hub_of(replace(hub.ports, table=NoCounts()), PUBLIC_URL)
    answer = login(hub)
    assert (answer.status, answer.code) == (503, "UNAVAILABLE")


def test_login_needs_no_token_and_minds_none(hub: Rig, ada: str) -> None:
    body = {"username": "ada", "password": PASSWORD}
    assert hub.http("POST", "/auth/login", body, headers={"Authorization": "Bearer nonsense"}).status == 200
    assert hub.http("POST", "/auth/logout").status == 401
    assert hub.http("GET", "/me").status == 401
