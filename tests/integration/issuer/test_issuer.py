"""Which tokens of an OpenID issuer are believed."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization

from knowhub.auth.issuer import SKEW_SECONDS
from knowhub.auth.key_sets import FLOOR_SECONDS, FRESH_SECONDS, LONGEST_SECONDS
from knowhub.errors import Unavailable
from knowhub.issuers import GroupRoles
from tests.hubs import START, HandClock
from tests.issuers import StubIssuer, encoded, issuing, jwk, signed


@pytest.fixture
def issuer() -> Iterator[StubIssuer]:
    with issuing() as running:
        yield running


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.mark.parametrize("kind", ["RSA", "EC"])
def test_a_token_of_either_algorithm_is_read(issuer: StubIssuer, clock: HandClock, kind: str) -> None:
    issuer.add("two", kind)
    person = issuer.trusted_by(clock).person(issuer.token("two", preferred_username="ada", email="ada@example.org"))
    assert person is not None
    assert (person.issuer, person.subject, person.role) == (issuer.address, "subject-1", "member")
    assert person.names == ("ada", "ada@example.org")


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "https://other.example.org"},
        {"iss": None},
        {"aud": "other"},
        {"aud": []},
        {"aud": None},
        {"aud": {"hub": 1}},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": "x" * 256},
        {"sub": "\ud800"},
        {"exp": None},
        {"exp": "2100-01-01"},
        {"exp": True},
        {"exp": START - SKEW_SECONDS - 1},
        {"nbf": START + SKEW_SECONDS + 10},
        {"nbf": "now"},
        {"iat": START + SKEW_SECONDS + 10},
    ],
    ids=str,
)
def test_claims_that_are_not_for_this_hub_now_are_refused_before_a_key_is_asked_for(
    issuer: StubIssuer, clock: HandClock, changed: dict[str, Any]
) -> None:
    assert issuer.trusted_by(clock).person(issuer.token(**changed)) is None
    assert issuer.asked == 0


@pytest.mark.parametrize(
    "changed",
    [
        {"exp": START - SKEW_SECONDS + 10},
        {"nbf": START + SKEW_SECONDS - 10},
        {"iat": None},
        {"aud": ["other", "hub"]},
    ],
    ids=str,
)
def test_clocks_may_differ_a_little_and_audiences_be_several(
    issuer: StubIssuer, clock: HandClock, changed: dict[str, Any]
) -> None:
    assert issuer.trusted_by(clock).person(issuer.token(**changed)) is not None


def test_another_keys_signature_is_refused(issuer: StubIssuer, clock: HandClock) -> None:
    forged = StubIssuer(issuer.server)
    forged.add("one")
    assert issuer.trusted_by(clock).person(forged.token()) is None


def test_changed_claims_are_refused(issuer: StubIssuer, clock: HandClock) -> None:
    head, _, tail = issuer.token().split(".")
    other = encoded(json.dumps(issuer.claims(sub="somebody else")).encode())
    assert issuer.trusted_by(clock).person(f"{head}.{other}.{tail}") is None


@pytest.mark.parametrize("algorithm", ["none", "None", "HS256", "RS512", "PS256", "RS256", "", None, ["ES256"]])
def test_the_key_decides_on_the_algorithm_and_not_the_token(
    issuer: StubIssuer, clock: HandClock, algorithm: object
) -> None:
    """Of a P-256 key only ES256 is taken, however well the token is signed."""
    assert issuer.trusted_by(clock).person(issuer.token(header={"alg": algorithm})) is None


def test_a_public_key_is_no_shared_secret(issuer: StubIssuer, clock: HandClock) -> None:
    private = issuer.add("two", "RSA")
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    head = encoded(json.dumps({"alg": "HS256", "kid": "two"}).encode())
    text = f"{head}.{encoded(json.dumps(issuer.claims()).encode())}"
    tail = encoded(hmac.digest(public, text.encode(), hashlib.sha256))
    assert issuer.trusted_by(clock).person(f"{text}.{tail}") is None


def test_a_token_without_a_signature_is_none(issuer: StubIssuer, clock: HandClock) -> None:
    head, body, _ = issuer.token(header={"alg": "none"}).split(".")
    reader = issuer.trusted_by(clock)
    assert [reader.person(f"{head}.{body}{end}") for end in (".", "", ".AA")] == [None, None, None]


@pytest.mark.parametrize("header", [{"crit": ["exp"]}, {"crit": []}, {"kid": 7}, {"kid": "none such"}], ids=str)
def test_a_header_that_is_not_understood_is_refused(
    issuer: StubIssuer, clock: HandClock, header: dict[str, Any]
) -> None:
    assert issuer.trusted_by(clock).person(issuer.token(header=header)) is None


def test_a_key_inside_the_token_is_not_looked_at(issuer: StubIssuer, clock: HandClock) -> None:
    forged = StubIssuer(issuer.server)
    key = forged.add("mine")
    token = forged.token("mine", header={"jwk": jwk("mine", key), "jku": "http://127.0.0.1/keys", "x5u": "http://x/"})
    assert issuer.trusted_by(clock).person(token) is None


def test_a_token_without_a_key_id_is_read_while_the_issuer_has_one_key(issuer: StubIssuer, clock: HandClock) -> None:
    token = signed({"alg": "ES256"}, issuer.claims(), issuer.keys["one"])
    reader = issuer.trusted_by(clock)
    assert reader.person(token) is not None
    issuer.add("two")
    clock.seconds += FRESH_SECONDS
    assert reader.person(signed({"alg": "ES256"}, issuer.claims(exp=START + 9999), issuer.keys["one"])) is None


def test_a_new_key_of_the_issuer_is_found_and_one_that_it_took_back_is_forgotten(
    issuer: StubIssuer, clock: HandClock
) -> None:
    reader = issuer.trusted_by(clock)
    old = issuer.token(exp=START + 9999)
    assert reader.person(old) is not None
    del issuer.keys["one"]
    issuer.add("two")
    clock.seconds += FLOOR_SECONDS
    assert reader.person(issuer.token("two", exp=START + 9999)) is not None
    assert reader.person(old) is None


def test_keys_are_asked_for_once_an_hour(issuer: StubIssuer, clock: HandClock) -> None:
    reader = issuer.trusted_by(clock)
    for _ in range(5):
        assert reader.person(issuer.token()) is not None
    assert issuer.asked == 1
    clock.seconds += FRESH_SECONDS
    assert reader.person(issuer.token(exp=START + 9999)) is not None
    assert issuer.asked == 2


def test_tokens_of_unknown_keys_do_not_make_the_hub_ask_more_than_once_a_minute(
    issuer: StubIssuer, clock: HandClock
) -> None:
    reader = issuer.trusted_by(clock)
    for number_ in range(30):
        assert reader.person(issuer.token(header={"kid": f"unknown-{number_}"})) is None
    assert issuer.asked == 1
    clock.seconds += FLOOR_SECONDS
    for number_ in range(30):
        assert reader.person(issuer.token(header={"kid": f"unknown-{number_}"})) is None
    assert issuer.asked == 2
    assert reader.person(issuer.token()) is not None


def test_an_issuer_that_is_away_is_said_so_and_asked_again_later(issuer: StubIssuer, clock: HandClock) -> None:
    reader, issuer.broken = issuer.trusted_by(clock), True
    for _ in range(3):
        with pytest.raises(Unavailable, match="issuer"):
            reader.person(issuer.token())
    assert issuer.server is not None
    assert len(issuer.server.requests) == 1
    issuer.broken = False
    clock.seconds += FLOOR_SECONDS
    assert reader.person(issuer.token()) is not None


def test_known_keys_are_used_for_a_day_while_the_issuer_is_away_and_no_longer(
    issuer: StubIssuer, clock: HandClock
) -> None:
    reader, token = issuer.trusted_by(clock), issuer.token(exp=START + 10 * LONGEST_SECONDS)
    assert reader.person(token) is not None
    issuer.broken = True
    clock.seconds += LONGEST_SECONDS - 60
    assert reader.person(token) is not None
    clock.seconds += 2 * FLOOR_SECONDS
    with pytest.raises(Unavailable):
        reader.person(token)


def test_an_issuer_that_calls_itself_otherwise_is_not_trusted(issuer: StubIssuer, clock: HandClock) -> None:
    issuer.described_as = "https://other.example.org"
    with pytest.raises(Unavailable):
        issuer.trusted_by(clock).person(issuer.token())


@pytest.mark.parametrize(
    ("groups", "role"),
    [
        (["staff", "admins"], "admin"),
        (["staff"], "member"),
        ("admins", "admin"),
        (["others"], None),
        ([], None),
        (None, None),
        ([["admins"], {"admins": 1}, 7], None),
    ],
    ids=str,
)
def test_groups_give_the_role_and_whoever_is_in_none_is_nobody(
    issuer: StubIssuer, clock: HandClock, groups: object, role: str | None
) -> None:
    reader = issuer.trusted_by(clock, GroupRoles("groups", {"admins": "admin", "staff": "member"}))
    person = reader.person(issuer.token(groups=groups))
    assert (None if person is None else person.role) == role


def test_a_default_role_lets_in_whoever_is_in_no_group(issuer: StubIssuer, clock: HandClock) -> None:
    person = issuer.trusted_by(clock, GroupRoles("groups", {"admins": "admin"}, "member")).person(issuer.token())
    assert person is not None
    assert person.role == "member"


def test_without_groups_nobody_is_an_admin(issuer: StubIssuer, clock: HandClock) -> None:
    person = issuer.trusted_by(clock).person(issuer.token(groups=["admins"], role="admin"))
    assert person is not None
    assert person.role == "member"
