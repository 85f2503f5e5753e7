"""A document's title: what the caller says, else what its reader finds, else its file name."""

from typing import Any

import pytest

from tests.hubs import Rig

PAGE = b"<html><head><title> Walrus \n care </title></head><body><p>Feed it fish.</p></body></html>"
TITLE = "Walrus care"


def send(hub: Rig, key: str, kb: int, data: bytes, name: str = "page.html", **fields: str) -> str:
    parts = [(f'name="{each}"', value.encode()) for each, value in fields.items()]
    parts.append((f'name="file"; filename="{name}"', data))
    body = b"".join(
        b"--edge\r\nContent-Disposition: form-data; " + head.encode() + b"\r\n\r\n" + part + b"\r\n"
        for head, part in parts
    )
    headers = {"Content-Type": "multipart/form-data; boundary=edge"}
    answer = hub.http("POST", f"/kb/{kb}/documents", key=key, raw=body + b"--edge--\r\n", headers=headers)
    return str(answer.json["doc_id"])


def titles(hub: Rig, key: str, kb: int, **query: Any) -> list[str]:
    items = hub.http("GET", f"/kb/{kb}/documents", key=key, query=query).json["items"]
    return [item["title"] for item in items]


def hit_titles(hub: Rig, key: str, kb: int, query: str) -> list[str]:
    hits = hub.http("POST", f"/kb/{kb}/search", {"query": query}, key=key).json["hits"]
    return [hit["title"] for hit in hits]


def test_a_file_without_a_title_gets_its_own_in_lists_and_hits(hub: Rig, alice: str, kb: int) -> None:
    send(hub, alice, kb, PAGE)
    assert titles(hub, alice, kb) == ["page.html"]
    hub.drain()
    assert titles(hub, alice, kb, q="walrus c") == [TITLE]
    assert titles(hub, alice, kb, q="page") == []
    assert hit_titles(hub, alice, kb, "fish") == [TITLE]


def test_a_document_is_found_by_the_title_that_its_reader_found(hub: Rig, alice: str, kb: int) -> None:
    send(hub, alice, kb, PAGE)
    hub.drain()
    assert hit_titles(hub, alice, kb, "walrus") == [TITLE]


def test_the_callers_title_wins_even_if_it_is_the_files_name(hub: Rig, alice: str, kb: int) -> None:
    send(hub, alice, kb, PAGE, title="page.html", external_id="a")
    send(hub, alice, kb, PAGE.replace(b"fish", b"more fish"), title="Mine", external_id="b")
    body = {
        "title": "Sent as text",
        "text": PAGE.replace(b"fish", b"old fish").decode(),
        "content_type": "text/html",
        "external_id": "c",
    }
    hub.http("POST", f"/kb/{kb}/documents", body, key=alice)
    hub.drain()
    assert titles(hub, alice, kb) == ["Sent as text", "Mine", "page.html"]
    assert sorted(hit_titles(hub, alice, kb, "fish")) == ["Mine", "Sent as text", "page.html"]


def test_a_found_title_stays_until_another_revision_is_read(hub: Rig, alice: str, kb: int) -> None:
    send(hub, alice, kb, PAGE, external_id="a")
    hub.drain()
    send(hub, alice, kb, PAGE.replace(b"care", b"food"), external_id="a")
    assert titles(hub, alice, kb) == [TITLE]
    hub.drain()
    assert titles(hub, alice, kb) == ["Walrus food"]


@pytest.mark.parametrize(
    ("found", "title"),
    [
        ("", "a.md"),
        ("x" * 400, "x" * 200),
        ("a\x1b[31m b\u202ec", "a [31m b c"),
    ],
)
def test_a_found_title_is_one_line_that_can_be_shown(hub: Rig, alice: str, kb: int, found: str, title: str) -> None:
    send(hub, alice, kb, f"# {found}\n\nSome words.\n".encode(), "a.md")
    hub.drain()
    assert titles(hub, alice, kb) == [title]
