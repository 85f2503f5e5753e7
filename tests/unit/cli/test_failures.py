"""Error answers become one plain line."""

import httpx
import pytest

from knowhub_cli.client import is_loopback, reason_of, wait_seconds
from knowhub_cli.failures import refusal


def test_an_envelope_gives_code_message_and_request() -> None:
    body = {"error": {"code": "KB_NOT_FOUND", "message": "Knowledge base not found", "request_id": "req_1"}}
    refused = refusal(404, body, "http://hub")
    assert refused.message == "KB_NOT_FOUND: Knowledge base not found (request req_1)"
    assert (refused.status, refused.code, refused.exit_code) == (404, "KB_NOT_FOUND", 1)


def test_an_invalid_request_names_each_field() -> None:
    errors = [
        {"loc": ["body", "top_k"], "type": "int", "message": "not a number"},
        {"loc": "query", "message": "empty"},
    ]
    body = {"error": {"code": "INVALID_REQUEST", "message": "Invalid", "detail": {"errors": errors}}}
    assert refusal(422, body, "").message == "INVALID_REQUEST: Invalid; body.top_k: not a number; query: empty"


@pytest.mark.parametrize("body", [None, [], {"error": "text"}, {"error": {}}, {"message": "Forbidden"}, "<html>"])
def test_an_answer_of_something_else_is_not_taken_for_a_hubs(body: object) -> None:
    refused = refusal(502, body, "http://hub")
    assert refused.message == "http://hub answered with HTTP 502 and no error of a knowhub; is it one?"
    assert refused.code == ""


@pytest.mark.parametrize("kind", [httpx.LocalProtocolError, httpx.RemoteProtocolError, httpx.DecodingError])
def test_a_protocol_errors_words_are_kept_back_as_they_may_quote_a_key(kind: type[httpx.RequestError]) -> None:
    shown = reason_of(kind("Illegal header value b'Bearer kh_secret'"))
    assert "kh_secret" not in shown
    assert kind.__name__ in shown


def test_other_errors_say_what_they_know() -> None:
    assert reason_of(httpx.ConnectError("Connection refused")) == "Connection refused"
    assert reason_of(httpx.ReadTimeout("")) == "ReadTimeout"


@pytest.mark.parametrize(
    ("header", "attempt", "expected"),
    [("7", 0, 7), ("0", 3, 0), (None, 0, 1), (None, 3, 8), ("soon", 1, 2), ("-1", 0, 1), ("٧", 0, 1)],
)
def test_the_wait_is_what_the_hub_asks_for_or_doubles(header: str | None, attempt: int, expected: float) -> None:
    assert wait_seconds(header, attempt) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:8010", True),
        ("http://127.9.9.9", True),
        ("http://[::1]:80", True),
        ("http://localhost", True),
        ("http://hub.localhost", True),
        ("http://10.0.0.1", False),
        ("https://localhost.example.com", False),
    ],
)
def test_loopback_is_told_from_the_network(url: str, expected: bool) -> None:
    assert is_loopback(url) is expected
