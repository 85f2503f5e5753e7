"""Documents over HTTP: in, read, listed, changed, gone."""

import base64
import json
from typing import Any

import pytest

from tests.hubs import Answer, Rig


def add(hub: Rig, key: str, kb: int, **body: Any) -> Answer:
    return hub.http("POST", f"/kb/{kb}/documents", {"title": "Note", "text": "Plain words.", **body}, key=key)


def multipart(hub: Rig, key: str, kb: int, parts: list[tuple[str, bytes]]) -> Answer:
    body = b"".join(
        b"--edge\r\nContent-Disposition: form-data; " + head.encode() + b"\r\n\r\n" + data + b"\r\n"
        for head, data in parts
    )
    headers = {"Content-Type": "multipart/form-data; boundary=edge"}
    return hub.http("POST", f"/kb/{kb}/documents", key=key, raw=body + b"--edge--\r\n", headers=headers)


def search(hub: Rig, key: str, kb: int, query: str) -> list[dict[str, Any]]:
    hits: list[dict[str, Any]] = hub.http("POST", f"/kb/{kb}/search", {"query": query}, key=key).json["hits"]
    return hits


def test_a_document_is_acknowledged_then_read_then_found(hub: Rig, alice: str, kb: int) -> None:
    answer = add(hub, alice, kb, text="The walrus sleeps on ice.")
    assert answer.status == 202
    assert answer.json["status"] == "pending"
    doc_id = answer.json["doc_id"]
    assert hub.http("GET", f"/jobs/{answer.json['job_id']}", key=alice).json["state"] == "pending"
    hub.drain()
    job = hub.http("GET", f"/jobs/{answer.json['job_id']}", key=alice).json
    assert (job["state"], job["done"], job["total"], job["failed"], job["doc_id"]) == ("completed", 1, 1, 0, doc_id)
    document = hub.http("GET", f"/documents/{doc_id}", key=alice).json
    assert (document["status"], document["revision"], document["chunk_count"]) == ("ready", 1, 1)
    hit = search(hub, alice, kb, "walrus")[0]
    assert (hit["chunk_id"], hit["rank"], hit["text"]) == (f"{doc_id}:1:1", 1, "The walrus sleeps on ice.")
    assert 0 < hit["score"] <= 1
    marked = [hit["text"][span["start"] : span["end"]] for span in hit["highlights"]]
    assert marked == ["walrus"]


def test_a_document_shows_every_member_of_the_contract(hub: Rig, alice: str, kb: int) -> None:
    sent = {"url": "https://example.com/a", "metadata": {"team": "docs", "year": 2026}, "content_type": "text/markdown"}
    doc_id = add(hub, alice, kb, text="# A\n\nwords\n", **sent).json["doc_id"]
    hub.drain()
    document = hub.http("GET", f"/documents/{doc_id}", key=alice).json
    times = {name: document[name] for name in ("created_at", "updated_at")}
    assert document == {
        "doc_id": doc_id,
        "kb_id": kb,
        "title": "Note",
        "name": "Note",
        "content_type": "text/markdown",
        "size": 11,
        "status": "ready",
        "revision": 1,
        "updating": False,
        "chunk_count": 1,
        "source": None,
        "url": "https://example.com/a",
        "evidence_state": None,
        "metadata": {"team": "docs", "year": 2026},
        "losses": [],
        "error": None,
        "attachments": [],
        **times,
    }


def test_a_file_is_taken_as_multipart_with_its_name_and_the_title_in_it(hub: Rig, alice: str, kb: int) -> None:
    parts = [
        ('name="metadata"', b'{"team": "docs"}'),
        ('name="file"; filename="guide.md"\r\nContent-Type: text/markdown', "# 指南\r\n\r\n部署很简单。".encode()),
    ]
    answer = multipart(hub, alice, kb, parts)
    assert answer.status == 202
    hub.drain()
    document = hub.http("GET", f"/documents/{answer.json['doc_id']}", key=alice).json
    assert (document["title"], document["name"], document["metadata"]) == ("指南", "guide.md", {"team": "docs"})
    assert "部署很简单" in search(hub, alice, kb, "部署")[0]["text"]


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ([], 422),
        ([('name="title"', b"only a title")], 422),
        ([('name="file"; filename="a.txt"', b"x"), ('name="colour"', b"red")], 422),
        ([('name="file"; filename="a.txt"', b"x"), ('name="metadata"', b"{")], 400),
        ([('name="file"; filename="a.txt"', b"x"), ('name="metadata"', b"[]")], 422),
        ([('name="file"; filename="a.txt"', b"x"), ('name="title"', b"\xff")], 422),
        ([('name="other"; filename="a.txt"', b"x")], 422),
    ],
)
def test_a_form_that_does_not_fit_is_refused(
    hub: Rig, alice: str, kb: int, parts: list[tuple[str, bytes]], status: int
) -> None:
    assert multipart(hub, alice, kb, parts).status == status


def test_a_form_without_a_boundary_is_a_415(hub: Rig, alice: str, kb: int) -> None:
    answer = hub.http(
        "POST", f"/kb/{kb}/documents", key=alice, raw=b"x", headers={"Content-Type": "multipart/form-data"}
    )
    assert answer.status == 415


@pytest.mark.parametrize(
    ("body", "loc"),
    [
        ({"text": 5}, ["body", "text"]),
        ({"title": ""}, ["body", "title"]),
        ({"url": "ftp://example.com"}, ["body", "url"]),
        ({"metadata": []}, ["body", "metadata"]),
        ({"external_id": ""}, ["body", "external_id"]),
        ({"surprise": 1}, ["body", "surprise"]),
    ],
)
def test_a_document_that_does_not_fit_is_a_422_with_its_place(
    hub: Rig, alice: str, kb: int, body: dict[str, Any], loc: list[str]
) -> None:
    answer = add(hub, alice, kb, **body)
    assert answer.status == 422
    assert answer.json["error"]["detail"]["errors"][0]["loc"] == loc


def test_bytes_that_are_no_format_we_read_are_a_415(hub: Rig, alice: str, kb: int) -> None:
    answer = multipart(hub, alice, kb, [('name="file"; filename="a.png"', b"\x89PNG\r\n\x1a\n....")])
    assert (answer.status, answer.code) == (415, "UNSUPPORTED_MEDIA_TYPE")


def test_an_empty_document_fails_with_a_reason(hub: Rig, alice: str, kb: int) -> None:
    sent = add(hub, alice, kb, text=" \n ").json
    hub.drain()
    document = hub.http("GET", f"/documents/{sent['doc_id']}", key=alice).json
    assert document["status"] == "failed"
    assert document["error"]
    job = hub.http("GET", f"/jobs/{sent['job_id']}", key=alice).json
    assert (job["state"], job["failed"], job["error"]) == ("failed", 1, document["error"])


def test_without_an_external_id_each_post_makes_a_document(hub: Rig, alice: str, kb: int) -> None:
    first, second = (add(hub, alice, kb).json["doc_id"] for _ in range(2))
    assert first != second


def test_equal_content_under_an_external_id_changes_nothing(hub: Rig, alice: str, kb: int) -> None:
    first = add(hub, alice, kb, external_id="a").json
    assert add(hub, alice, kb, external_id="a").json["job_id"] == first["job_id"]
    hub.drain()
    again = add(hub, alice, kb, external_id="a").json
    assert (again["doc_id"], again["status"]) == (first["doc_id"], "ready")
    assert hub.http("GET", f"/jobs/{again['job_id']}", key=alice).json["state"] == "completed"
    assert hub.http("GET", f"/documents/{first['doc_id']}", key=alice).json["revision"] == 1


def test_the_old_revision_stays_until_the_new_one_is_whole(hub: Rig, alice: str, kb: int) -> None:
    doc_id = add(hub, alice, kb, external_id="a", text="old walrus").json["doc_id"]
    hub.drain()
    add(hub, alice, kb, external_id="a", text="new narwhal")
    document = hub.http("GET", f"/documents/{doc_id}", key=alice).json
    assert (document["status"], document["updating"], document["revision"]) == ("ready", True, 1)
    assert [hit["text"] for hit in search(hub, alice, kb, "walrus")] == ["old walrus"]
    hub.drain()
    assert search(hub, alice, kb, "walrus") == []
    assert [hit["chunk_id"] for hit in search(hub, alice, kb, "narwhal")] == [f"{doc_id}:2:1"]
    assert hub.index.count(frozenset({kb})) == 1
    assert len(hub.ports.blobs.list("raw/").keys) == 1


def test_a_failed_update_leaves_the_older_revision_and_says_why(hub: Rig, alice: str, kb: int) -> None:
    doc_id = add(hub, alice, kb, external_id="a", text="old walrus").json["doc_id"]
    hub.drain()
    add(hub, alice, kb, external_id="a", text=" ")
    hub.drain()
    document = hub.http("GET", f"/documents/{doc_id}", key=alice).json
    assert (document["status"], document["revision"], document["updating"]) == ("ready", 1, False)
    assert document["error"]
    assert search(hub, alice, kb, "walrus")


def test_a_deleted_document_is_gone_from_every_route_at_once(hub: Rig, alice: str, kb: int) -> None:
    doc_id = add(hub, alice, kb, text="a walrus").json["doc_id"]
    hub.drain()
    assert hub.http("DELETE", f"/documents/{doc_id}", key=alice).status == 204
    assert hub.http("GET", f"/documents/{doc_id}", key=alice).code == "DOCUMENT_NOT_FOUND"
    assert hub.http("GET", f"/documents/{doc_id}/chunks", key=alice).code == "DOCUMENT_NOT_FOUND"
    assert hub.http("DELETE", f"/documents/{doc_id}", key=alice).code == "DOCUMENT_NOT_FOUND"
    assert hub.http("GET", f"/kb/{kb}/documents", key=alice).json["items"] == []
    assert search(hub, alice, kb, "walrus") == []
    assert hub.http("GET", f"/kb/{kb}", key=alice).json["document_count"] == 0
    hub.drain()
    assert hub.index.count(frozenset({kb})) == 0
    assert hub.ports.blobs.list("").keys == ()


def test_a_document_comes_back_under_a_new_revision(hub: Rig, alice: str, kb: int) -> None:
    doc_id = add(hub, alice, kb, external_id="a", text="a walrus").json["doc_id"]
    hub.drain()
    hub.http("DELETE", f"/documents/{doc_id}", key=alice)
    add(hub, alice, kb, external_id="a", text="a walrus")
    hub.drain()
    assert [hit["chunk_id"] for hit in search(hub, alice, kb, "walrus")] == [f"{doc_id}:2:1"]
    assert hub.index.count(frozenset({kb})) == 1
    assert hub.http("GET", f"/documents/{doc_id}/chunks", key=alice).json["total"] == 1


def test_a_foreign_and_an_absent_document_are_the_same_answer(hub: Rig, alice: str, bob: str, kb: int) -> None:
    foreign_id = add(hub, alice, kb).json["doc_id"]
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/chunks")):
        foreign = hub.http(method, f"/documents/{foreign_id}{path}", key=bob)
        absent = hub.http(method, f"/documents/d_absent{path}", key=bob)
        assert foreign.status == absent.status == 404
        assert foreign.code == absent.code == "DOCUMENT_NOT_FOUND"
        assert foreign.json["error"]["message"] == absent.json["error"]["message"]


def test_a_foreign_and_an_absent_job_are_the_same_answer(hub: Rig, alice: str, bob: str, kb: int) -> None:
    job_id = add(hub, alice, kb).json["job_id"]
    assert hub.http("GET", f"/jobs/{job_id}", key=bob).code == "JOB_NOT_FOUND"
    assert hub.http("GET", "/jobs/job_absent", key=bob).code == "JOB_NOT_FOUND"


def test_the_list_is_newest_first_and_its_pages_join_without_gap_or_repeat(hub: Rig, alice: str, kb: int) -> None:
    for number in range(7):
        add(hub, alice, kb, title=f"Note {number}")
    first = hub.http("GET", f"/kb/{kb}/documents", key=alice, query={"page_size": 3}).json
    assert ([one["title"] for one in first["items"]], first["total"]) == (["Note 6", "Note 5", "Note 4"], 7)
    titles = [one["title"] for one in first["items"]]
    cursor = first["next_cursor"]
    while cursor is not None:
        page = hub.http("GET", f"/kb/{kb}/documents", key=alice, query={"page_size": 3, "cursor": cursor}).json
        titles += [one["title"] for one in page["items"]]
        cursor = page["next_cursor"]
    assert titles == [f"Note {number}" for number in range(6, -1, -1)]
    numbered = hub.http("GET", f"/kb/{kb}/documents", key=alice, query={"page_size": 3, "page": 3}).json
    assert [one["title"] for one in numbered["items"]] == ["Note 0"]


def test_the_list_filters_by_status_and_by_the_beginning_of_the_title(hub: Rig, alice: str, kb: int) -> None:
    add(hub, alice, kb, title="Alpha", text=" ")
    hub.drain()
    add(hub, alice, kb, title="Beta")
    failed = hub.http("GET", f"/kb/{kb}/documents", key=alice, query={"status": "failed"}).json
    assert ([one["title"] for one in failed["items"]], failed["total"]) == (["Alpha"], 1)
    found = hub.http("GET", f"/kb/{kb}/documents", key=alice, query={"q": "bET"}).json
    assert ([one["title"] for one in found["items"]], found["total"]) == (["Beta"], None)


def test_a_cursor_of_another_list_is_refused(hub: Rig, alice: str, kb: int) -> None:
    for _ in range(3):
        add(hub, alice, kb)
    cursor = hub.http("GET", f"/kb/{kb}/documents", key=alice, query={"page_size": 1}).json["next_cursor"]
    other = hub.http("GET", f"/kb/{kb}/documents", key=alice, query={"cursor": cursor, "status": "ready"})
    assert other.status == 422


def test_chunks_are_listed_in_order_with_their_places(hub: Rig, alice: str) -> None:
    kb = hub.http("POST", "/kb", {"name": "Small", "chunking": {"size": 100}}, key=alice).json["kb_id"]
    text = " ".join(f"Sentence number {number} ends here." for number in range(40))
    doc_id = add(hub, alice, kb, text=text).json["doc_id"]
    assert hub.http("GET", f"/documents/{doc_id}/chunks", key=alice).json["items"] == []
    hub.drain()
    page = hub.http("GET", f"/documents/{doc_id}/chunks", key=alice, query={"page_size": 200}).json
    assert [one["index"] for one in page["items"]] == list(range(1, page["total"] + 1))
    for one in page["items"]:
        locator = one["locator"]
        assert text[locator["char_start"] : locator["char_end"]].strip() == one["text"].strip()
    second = hub.http("GET", f"/documents/{doc_id}/chunks", key=alice, query={"page_size": 2, "page": 2}).json
    assert [one["index"] for one in second["items"]] == [3, 4]


def test_a_public_kb_takes_no_documents_from_callers(hub: Rig, alice: str) -> None:
    public = hub.http("POST", "/kb", {"name": "Public", "visibility": "public"}, key=alice).json["kb_id"]
    assert add(hub, alice, public).code == "FORBIDDEN"


def test_counts_follow_every_change(hub: Rig, alice: str, kb: int) -> None:
    doc_id = add(hub, alice, kb, external_id="a", text="one").json["doc_id"]
    add(hub, alice, kb, text=" ")
    hub.drain()
    counted = hub.http("GET", f"/kb/{kb}", key=alice).json
    assert (counted["document_count"], counted["chunk_count"]) == (2, 1)
    hub.http("DELETE", f"/documents/{doc_id}", key=alice)
    counted = hub.http("GET", f"/kb/{kb}", key=alice).json
    assert (counted["document_count"], counted["chunk_count"]) == (1, 0)


@pytest.mark.parametrize(
    "metadata",
    [
        {"x": 1e999},
        {"x": 10**40},
        {"": 1},
        {"k" * 129: 1},
        {"x": "y" * 20_000},
        {"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": {"i": 1}}}}}}}}},
    ],
)
def test_metadata_that_no_store_could_keep_is_refused_in_the_callers_words(
    hub: Rig, alice: str, kb: int, metadata: dict[str, Any]
) -> None:
    raw = json.dumps({"title": "t", "text": "x", "metadata": metadata}).replace("Infinity", "1e999").encode()
    answer = hub.http("POST", f"/kb/{kb}/documents", key=alice, raw=raw)
    assert answer.status == 422
    fault = answer.json["error"]["detail"]["errors"][0]
    assert fault["loc"] == ["body", "metadata"]
    assert "operation" not in answer.json["error"]["message"] + fault["message"]


def test_a_page_of_large_metadata_fits_into_an_answer(hub: Rig, alice: str, kb: int) -> None:
    for number in range(20):
        add(hub, alice, kb, title=str(number), metadata={"海": "象" * 5000})
    assert len(hub.http("GET", f"/kb/{kb}/documents", key=alice).body) < 400_000


@pytest.mark.parametrize("path", ["/documents/{}", "/documents/{}/chunks", "/documents/{}/content", "/jobs/{}"])
def test_an_id_too_long_to_be_ours_is_absent(hub: Rig, alice: str, path: str) -> None:
    answer = hub.http("GET", path.format("x" * 3000), key=alice)
    assert answer.status == 404
    assert answer.code.endswith("_NOT_FOUND")


@pytest.mark.parametrize(
    ("what", "path"), [("kb", "/kb"), ("documents:1:::", "/kb/1/documents"), ("chunks:d", "/documents/d/chunks")]
)
@pytest.mark.parametrize("place", ["abc", "-5", "9" * 5000, "١", "\ud800", ""])
def test_a_made_up_cursor_is_refused(hub: Rig, alice: str, kb: int, what: str, path: str, place: str) -> None:
    cursor = base64.urlsafe_b64encode(json.dumps([what, place]).encode()).decode()
    answer = hub.http("GET", path, key=alice, query={"cursor": cursor})
    assert answer.status == 422
    assert answer.json["error"]["detail"]["errors"][0]["loc"] == ["query", "cursor"]


def test_a_form_has_each_part_once(hub: Rig, alice: str, kb: int) -> None:
    file = ('name="file"; filename="a.txt"', b"x")
    assert multipart(hub, alice, kb, [file, file]).status == 422
    assert multipart(hub, alice, kb, [file, ('name="title"', b"a"), ('name="title"', b"b")]).status == 422


def test_an_overlong_boundary_is_no_fault_of_ours(hub: Rig, alice: str, kb: int) -> None:
    headers = {"Content-Type": "multipart/form-data; boundary=" + "x" * 300}
    assert hub.http("POST", f"/kb/{kb}/documents", key=alice, raw=b"x", headers=headers).status in {415, 422}


@pytest.mark.parametrize("title", ["a\x00b", "a\nb", "a\x1bb"])
def test_a_title_is_one_line_without_control_characters(hub: Rig, alice: str, kb: int, title: str) -> None:
    assert add(hub, alice, kb, title=title).status == 422
