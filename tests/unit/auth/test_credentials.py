"""API keys and passwords."""

import pytest

from knowhub.auth.api_keys import digest, looks_like_api_key, new_api_key
from knowhub.auth.passwords import hash_password, verify_password
from knowhub.observability import redact


def test_keys_have_their_shape_and_differ() -> None:
    keys = {new_api_key() for _ in range(50)}
    assert len(keys) == 50
    assert all(looks_like_api_key(key) for key in keys)


@pytest.mark.parametrize(
    "token", ["", "kh_", "kh_" + "a" * 42, "kh_" + "a" * 44, "kh_" + "a" * 42 + "!", "kh_" + "a" * 43 + "\n"]
)
def test_what_has_another_shape_is_no_key(token: str) -> None:
    assert not looks_like_api_key(token)


def test_a_digest_says_nothing_of_the_key() -> None:
    key = new_api_key()
    assert key not in digest(key)
    assert digest(key) == digest(key) != digest(new_api_key())


def test_a_password_is_verified_and_salted() -> None:
    first, second = hash_password("correct horse"), hash_password("correct horse")
    assert first != second
    assert verify_password("correct horse", first)
    assert not verify_password("correct horsf", first)


@pytest.mark.parametrize("stored", ["", "x", "md5$1$2$3$4$5"])
def test_a_stored_value_of_another_form_matches_nothing(stored: str) -> None:
    assert not verify_password("", stored)


def test_credentials_are_taken_out_of_log_lines() -> None:
    key = new_api_key()
    text = redact(f"GET /kb Authorization: Bearer abc.def and {key}")
    assert "abc.def" not in text
    assert key not in text
