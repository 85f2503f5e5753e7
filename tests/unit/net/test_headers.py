"""What is sent, what a redirect takes along, and what is kept of an answer."""

import pytest

from knowhub.errors import InvalidRequest
from knowhub.net import headers
from knowhub.net.headers import Validators


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Host", "x"),
        ("COOKIE", "a=b"),
        ("Content-Length", "5"),
        ("Transfer-Encoding", "chunked"),
        ("Proxy-Authorization", "x"),
        ("If-None-Match", "x"),
        ("X-A", "a\r\nHost: b"),
        ("X-A", "ü"),
        ("X A", "b"),
        ("X-A:", "b"),
        ("X-A\r\nB", "c"),
        ("", "b"),
    ],
)
def test_a_header_that_is_not_the_callers_to_set_is_refused(name: str, value: str) -> None:
    with pytest.raises(InvalidRequest):
        headers.outgoing({name: value}, None)


def test_the_callers_headers_win_over_the_defaults_and_conditions_are_added() -> None:
    sent = headers.outgoing({"Accept": "text/html", "X-Key": "k"}, Validators(etag='"1"', last_modified="Mon"))
    assert sent == {
        "accept": "text/html",
        "user-agent": "knowhub",
        "x-key": "k",
        "if-none-match": '"1"',
        "if-modified-since": "Mon",
    }


def test_another_origin_sees_nothing_that_could_be_a_credential() -> None:
    sent = headers.outgoing({"Authorization": "Bearer s", "X-Api-Key": "s", "Accept": "text/html"}, Validators("e"))
    assert set(headers.portable(sent)) == {"accept", "user-agent", "if-none-match"}


def test_cookies_are_not_kept() -> None:
    pairs = [("Set-Cookie", "a=b"), ("ETag", '"1"'), ("Vary", "a"), ("vary", "b")]
    assert headers.incoming(pairs) == {"etag": '"1"', "vary": "a, b"}


def test_a_validator_that_could_not_be_sent_is_not_kept() -> None:
    assert Validators.of({"etag": '"ü"', "last-modified": "x" * 600}) == Validators()
    assert Validators.of({"etag": 'W/"a"', "last-modified": "Mon"}) == Validators('W/"a"', "Mon")
