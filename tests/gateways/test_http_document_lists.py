"""Lists of documents: numbers and cursors tell the same, filtered or not, and a row says what its document says."""

from collections.abc import Iterator
from typing import Any

import pytest

from knowhub.catalog.documents import DocumentRows
from knowhub.ports.table import MAX_TRANSACTION, Put
from knowhub.services import document_lists
from knowhub.services.document_lists import DocumentLists, DocumentQuery
from tests.hubs import Rig, rig

WALRUSES = 23


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Rig, str, int]]:
    """Give a KB of 70 documents, every third of them a walrus's, and 13 of a source; nothing changes it."""
    with rig(tmp_path_factory.mktemp("lists")) as hub:
        key = hub.user("alice")
        kb = int(hub.http("POST", "/kb", {"name": "Notes"}, key=key).json["kb_id"])
        for number in range(70):
            title = f"Walrus {number:02d}" if number % 3 == 1 else f"Orca {number:02d}"
            hub.http("POST", f"/kb/{kb}/documents", {"title": title, "text": f"text {number}"}, key=key)
        for number in range(13):
            (hub.folder / "imports" / f"walrus{number:02d}.md").write_text(f"from a folder {number}")
        source = {"type": "dir", "path": str(hub.folder / "imports")}
        hub.http("POST", f"/kb/{kb}/imports", {"source": source, "name": "docs"}, key=key)
        hub.drain()
        yield hub, key, kb


def page(hub: Rig, key: str, kb: int, **query: Any) -> Any:
    answer = hub.http("GET", f"/kb/{kb}/documents", key=key, query=query)
    assert answer.status == 200, answer.body
    return answer.json


def numbered(hub: Rig, key: str, kb: int, **query: Any) -> list[list[str]]:
    pages: list[list[str]] = []
    while not pages or pages[-1]:
        found = page(hub, key, kb, page=len(pages) + 1, **query)
        pages.append([one["title"] for one in found["items"]])
    return pages[:-1]


def by_cursor(hub: Rig, key: str, kb: int, **query: Any) -> list[str]:
    found = page(hub, key, kb, **query)
    titles = [one["title"] for one in found["items"]]
    while found["next_cursor"] is not None:
        found = page(hub, key, kb, cursor=found["next_cursor"], **query)
        titles += [one["title"] for one in found["items"]]
    return titles


@pytest.mark.parametrize(
    ("query", "count", "total"),
    [
        ({}, 83, 83),
        ({"q": "walr"}, WALRUSES + 13, None),
        ({"q": "WALRUS 0"}, 3, None),
        ({"source": "docs"}, 13, 13),
        ({"source": "docs", "status": "ready"}, 13, None),
        ({"status": "ready"}, 83, 83),
        ({"status": "failed"}, 0, 0),
        ({"q": "nobody"}, 0, None),
        ({"q": "walrus", "source": "docs"}, 13, None),
    ],
)
@pytest.mark.parametrize("size", [4, 13, 200])
def test_numbers_and_cursors_give_every_match_once_and_in_order(
    full: tuple[Rig, str, int], query: dict[str, Any], count: int, total: int | None, size: int
) -> None:
    hub, key, kb = full
    expected = by_cursor(hub, key, kb, page_size=200, **query)
    assert (len(expected), len(set(expected))) == (count, count)
    pages = numbered(hub, key, kb, page_size=size, **query)
    assert [title for one in pages for title in one] == expected
    assert all(len(one) == size for one in pages[:-1])
    assert by_cursor(hub, key, kb, page_size=size, **query) == expected
    assert page(hub, key, kb, page_size=size, **query)["total"] == total


def test_a_cursor_page_looks_at_so_many_documents_and_goes_on_with_the_next(
    full: tuple[Rig, str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    hub, key, kb = full
    expected = by_cursor(hub, key, kb, q="walrus", page_size=200)
    # What bounds a page is a constant of 1,000: fewer documents do for the test.
    monkeypatch.setattr(document_lists, "SCANNED", 4)
    assert by_cursor(hub, key, kb, q="walrus", page_size=5) == expected


def test_a_number_that_lies_too_far_behind_is_refused_in_favour_of_the_cursor(
    full: tuple[Rig, str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    hub, key, kb = full
    monkeypatch.setattr(document_lists, "SCANNED_FOR_NUMBER", 30)
    assert len(page(hub, key, kb, q="walrus", page=1, page_size=5)["items"]) == 5
    answer = hub.http("GET", f"/kb/{kb}/documents", key=key, query={"q": "walrus", "page": 7, "page_size": 5})
    assert (answer.status, answer.code) == (422, "INVALID_REQUEST")
    assert "cursor" in answer.json["error"]["detail"]["errors"][0]["message"]


def test_more_documents_than_a_page_of_the_store_are_all_reached_by_number(hub: Rig, kb: int) -> None:
    puts = []
    for number in range(1100):
        place = f"2027-01-15T08:00:00.{number:04d}Z#d_{number:04d}"
        row = {"pk": f"DOC#d_{number}", "sk": "HEAD", "doc_id": f"d_{number:04d}"}
        puts.append(Put({**row, "list_pk": f"KB#{kb}#0", "list_sk": place}))
    for start in range(0, len(puts), MAX_TRANSACTION):
        hub.ports.table.transact(puts[start : start + MAX_TRANSACTION])
    found = DocumentRows(hub.ports.table).newest(kb, 1, before=None, limit=1101)
    assert [found[0][1], found[-1][1], len(found)] == ["d_1099", "d_0000", 1100]


def test_a_row_says_why_a_later_revision_failed_as_the_document_does(hub: Rig, alice: str, kb: int) -> None:
    path = hub.folder / "imports" / "a.md"
    path.write_text("walrus")
    source = {"type": "dir", "path": str(path.parent)}
    hub.http("POST", f"/kb/{kb}/imports", {"source": source, "name": "docs"}, key=alice)
    hub.drain()
    path.write_text("   ")
    hub.http("POST", f"/kb/{kb}/sources/docs/reload", key=alice)
    hub.drain()
    row = page(hub, alice, kb)["items"][0]
    document = hub.http("GET", f"/documents/{row['doc_id']}", key=alice).json
    listed = hub.http("GET", f"/kb/{kb}/sources/docs/documents", key=alice).json["items"][0]
    assert (row["status"], bool(row["error"])) == ("ready", True)
    assert row["error"] == document["error"] == listed["error"]
    path.write_text("walrus again")
    hub.http("POST", f"/kb/{kb}/sources/docs/reload", key=alice)
    hub.drain()
    assert page(hub, alice, kb)["items"][0]["error"] is None


def test_a_list_needs_reading_rights(hub: Rig, alice: str, bob: str, kb: int) -> None:
    assert hub.http("GET", f"/kb/{kb}/documents", key=bob, query={"q": "x"}).code == "KB_NOT_FOUND"
    lists: DocumentLists = hub.hub.document_lists
    assert lists.page(hub.hub.identity.authenticate(f"Bearer {alice}"), kb, DocumentQuery(5)).items == ()
