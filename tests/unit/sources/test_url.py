"""What is taken from an answer, and what from the identifier."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from knowhub.errors import InvalidRequest, SourceFailed
from knowhub.net.client import GuardedClient
from knowhub.net.policy import Policy
from knowhub.ports.sources import SourceContent, SourceItem, SourceSpec
from knowhub.sources.url import UrlSource
from tests.contract.sources_homes import opener
from tests.integration.net.servers import PUBLIC, Names, Routes, Server, answer, serving


@contextmanager
def site(pages: Mapping[str, bytes]) -> Iterator[tuple[GuardedClient, Server]]:
    with serving(lambda path: [pages.get(path, answer(status=404))]) as server:
        yield GuardedClient(Policy(http=True), Names({"a.example": [[PUBLIC]]}), Routes({PUBLIC: server.port})), server


def item_of(source: UrlSource) -> SourceItem:
    return source.list().items[0]


def test_identity_is_the_identifiers_and_only_content_the_others() -> None:
    with site({"/raw/17": answer(b"# Page", Content_Type="text/plain")}) as (client, server):
        source = UrlSource(["https://wiki.corp:8443/Team/Page.md?v=1#top"], ["http://a.example/raw/17"], client)
        item = item_of(source)
        content = source.fetch(item)
    identifier = "https://wiki.corp:8443/Team/Page.md?v=1#top"
    assert (item.external_id, item.uri, item.url) == (identifier, identifier, identifier)
    assert item.metadata == {
        "doc_id": identifier, "uri": identifier, "url": identifier,
        "url_scheme": "https", "url_host": "wiki.corp", "url_path": "/Team/Page.md",
    }  # fmt: skip
    assert content is not None
    assert (content.name, content.content_type, content.data) == ("Page.md", "text/markdown", b"# Page")
    assert server.headers()["host"] == "a.example"


def test_the_type_names_what_the_path_does_not() -> None:
    with site({"/": answer(b"%PDF-", Content_Type="application/pdf")}) as (client, _):
        source = UrlSource(["http://a.example/"], [], client)
        item = item_of(source)
        content = source.fetch(item)
    assert item.name == "a.example.txt"
    assert content == SourceContent(b"%PDF-", "document.pdf", "application/pdf", None)


@pytest.mark.parametrize(
    ("status", "transient"), [(204, False), (206, False), (304, False), (404, False), (410, False), (403, False),
                              (429, True), (500, True), (503, True), (501, False)],
)  # fmt: skip
def test_only_200_is_content(status: int, transient: bool) -> None:
    with site({"/x": answer(b"", status)}) as (client, _):
        source = UrlSource(["http://a.example/x"], [], client)
        with pytest.raises(SourceFailed) as caught:
            source.fetch(item_of(source))
    assert caught.value.detail == {"reason": "STATUS", "status": status, "transient": transient}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("7", 7), ("0", 0), ("-5", None), ("soon", None), ("99999999999999", 86400), ("1.5", 2),
        ("5, 120", 120), ("5,soon", None), ("", None), ("+5", None), ("²", None), ("9" * 5000, None), ("inf", None),
        ("Wed, 21 Oct 2026 07:28:30 -0000", 30), ("Wed, 99 Foo 2026 07:28:30 GMT", None),
        ("Wed, 21 Oct 2026 07:28:30 GMT", 30), ("Wed, 21 Oct 2026 07:27:00 GMT", 0),
        ("Wed, 21 Oct 2099 07:27:00 GMT", 86400),
    ],
)  # fmt: skip
def test_how_long_to_wait_is_read_as_it_was_said(said: str, expected: int | None) -> None:
    busy = answer(b"", 503, Retry_After=said, Date="Wed, 21 Oct 2026 07:28:00 GMT")
    with site({"/x": busy}) as (client, _):
        source = UrlSource(["http://a.example/x"], [], client)
        with pytest.raises(SourceFailed) as caught:
            source.fetch(item_of(source))
    assert caught.value.detail.get("retry_after") == expected


def test_a_date_without_a_date_of_the_answer_is_kept_as_a_time() -> None:
    with site({"/x": answer(b"", 503, Retry_After="Wed, 21 Oct 2026 07:28:30 GMT")}) as (client, _):
        source = UrlSource(["http://a.example/x"], [], client)
        with pytest.raises(SourceFailed) as caught:
            source.fetch(item_of(source))
    assert caught.value.detail["retry_at"] == datetime(2026, 10, 21, 7, 28, 30, tzinfo=UTC).timestamp()


def test_a_condition_is_sent_to_the_address_that_it_came_from_only() -> None:
    page = answer(b"x", ETag='"1"', Last_Modified="Wed, 21 Oct 2026 07:28:00 GMT")
    with site({"/x": page, "/y": page}) as (client, server):
        first = UrlSource(["http://a.example/x"], [], client)
        content = first.fetch(item_of(first))
        assert content is not None
        first.fetch(item_of(first), content.version)
        moved = UrlSource(["http://a.example/x"], ["http://a.example/y"], client)
        moved.fetch(item_of(moved), content.version)
    conditions = [{name for name in server.headers(n) if name.startswith("if-")} for n in range(3)]
    assert conditions == [set(), {"if-none-match", "if-modified-since"}, set()]


@pytest.mark.parametrize(
    "known", ["", "{", "[]", "5", '"x"', json.dumps({"address": "http://a.example/x", "etag": "a\r\nHost: b"})]
)
def test_what_is_no_version_of_ours_is_no_condition(known: str) -> None:
    with site({"/x": answer(b"x")}) as (client, server):
        source = UrlSource(["http://a.example/x"], [], client)
        assert source.fetch(item_of(source), known) is not None
    assert "if-none-match" not in server.headers()


@pytest.mark.parametrize(
    "address",
    ["http://a.example/", "https://localhost/", "https://u@a.example/", "https://127.1/", "https://printer/"],
)
def test_an_address_that_is_never_fetched_is_named_before_anything_is_asked(address: str) -> None:
    client = GuardedClient(Policy(), Names({}), Routes({}))
    spec = SourceSpec("url", ("https://a.example/1", "https://a.example/2"), ("https://a.example/", address))
    with pytest.raises(InvalidRequest) as caught:
        opener(client=client).open(spec, 1)
    faults = caught.value.detail["errors"]
    assert isinstance(faults, list)
    assert [(fault["loc"], fault["type"]) for fault in faults] == [(["body", "source", "content_urls", 1], "url")]
