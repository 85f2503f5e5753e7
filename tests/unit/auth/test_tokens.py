"""JSON Web Tokens and keys, read and not yet believed."""

import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from knowhub.auth.signatures import verified, verifying_key
from knowhub.auth.tokens import decoded, parts
from tests.issuers import encoded, jwk, number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a.b",
        "a.b.c.d",
        "e30.e30.",
        ".e30.AA",
        "e30=.e30.AA",
        "bnVsbA.e30.AA",
        "e30.W10.AA",
        "e31.e30.AA",
        "é.e30.AA",
    ],
)
def test_what_is_no_token_is_not_taken_apart(text: str) -> None:
    assert parts(text) is None


def test_a_token_has_a_longest_length() -> None:
    assert parts(f"e30.{encoded(json.dumps({'a': 'x' * 5000}).encode())}.AA") is not None
    assert parts(f"e30.{encoded(json.dumps({'a': 'x' * 7000}).encode())}.AA") is None


def test_one_spelling_of_base64url_is_taken() -> None:
    assert decoded("AA") == b"\0"
    for text in ("AB", "AA==", "A", "A+", "A/", "A A"):
        with pytest.raises(ValueError, match="base64url"):
            decoded(text)


@pytest.mark.parametrize(
    "changed",
    [
        {"use": "enc"},
        {"alg": "RS512"},
        {"alg": "ES256"},
        {"key_ops": ["encrypt"]},
        {"kty": "oct"},
        {"kty": None},
        {"n": number(2**1023 + 1)},
        {"n": number(2**8200 + 1)},
        {"e": number(1)},
        {"e": number(65536)},
        {"n": 7},
        {"n": None},
        {"kid": 7},
    ],
    ids=str,
)
def test_a_key_of_another_kind_size_or_use_is_left_out(changed: dict[str, Any]) -> None:
    whole = jwk("one", rsa.generate_private_key(65537, 2048))
    assert verifying_key(whole) is not None
    assert verifying_key({**whole, **changed}) is None


def test_a_point_beside_the_curve_verifies_nothing() -> None:
    key = verifying_key({"kty": "EC", "crv": "P-256", "kid": "", "x": number(5), "y": number(7)})
    assert key is not None
    assert not verified(key, b"text", bytes(64))
    assert not verified(key, b"text", b"short")
