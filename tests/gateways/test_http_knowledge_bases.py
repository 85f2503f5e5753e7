"""Knowledge bases over HTTP."""

import pytest

from tests.hubs import Rig


def test_a_new_kb_is_answered_whole_with_201(hub: Rig, alice: str) -> None:
    answer = hub.http("POST", "/kb", {"name": " Notes ", "description": "mine"}, key=alice)
    assert answer.status == 201
    assert answer.json == {
        "kb_id": 1,
        "name": "Notes",
        "description": "mine",
        "visibility": "private",
        "role": "owner",
        "owner": "alice",
        "language": None,
        "chunking": {
            "strategy": None,
            "size": 1024,
            "overlap": 0,
            "separators": None,
            "trim_whitespace": False,
            "preserve_lines": None,
        },
        "document_count": 0,
        "chunk_count": 0,
        "created_at": answer.json["created_at"],
        "updated_at": answer.json["created_at"],
    }
    assert hub.http("GET", "/kb/1", key=alice).json == answer.json


def test_a_name_is_unique_among_its_owners_kbs_only(hub: Rig, alice: str, bob: str, kb: int) -> None:
    again = hub.http("POST", "/kb", {"name": "NOTES"}, key=alice)
    assert (again.status, again.code) == (409, "CONFLICT")
    assert hub.http("POST", "/kb", {"name": "Notes"}, key=bob).status == 201


def test_a_deleted_kb_is_gone_at_once_and_its_name_is_free_again(hub: Rig, alice: str, kb: int) -> None:
    assert hub.http("DELETE", f"/kb/{kb}", key=alice).status == 204
    assert hub.http("GET", f"/kb/{kb}", key=alice).code == "KB_NOT_FOUND"
    assert hub.http("DELETE", f"/kb/{kb}", key=alice).code == "KB_NOT_FOUND"
    assert hub.http("POST", "/kb", {"name": "Notes"}, key=alice).json["kb_id"] != kb


def test_a_deleted_kbs_content_is_removed_in_the_background(hub: Rig, alice: str, kb: int) -> None:
    for number in range(3):
        hub.http("POST", f"/kb/{kb}/documents", {"title": f"t{number}", "text": "some words"}, key=alice)
    hub.drain()
    hub.http("DELETE", f"/kb/{kb}", key=alice)
    hub.drain()
    assert hub.index.count(frozenset({kb})) == 0
    assert hub.ports.blobs.list("").keys == ()


def test_the_list_is_paged_by_number_and_by_cursor(hub: Rig, alice: str) -> None:
    for number in range(5):
        hub.http("POST", "/kb", {"name": f"kb {number}"}, key=alice)
    second = hub.http("GET", "/kb", key=alice, query={"page": 2, "page_size": 2}).json
    assert ([one["name"] for one in second["items"]], second["total"]) == (["kb 2", "kb 3"], 5)
    seen: list[str] = []
    query: dict[str, object] = {"page_size": 2}
    while True:
        page = hub.http("GET", "/kb", key=alice, query=query).json
        seen += [one["name"] for one in page["items"]]
        if page["next_cursor"] is None:
            break
        query = {"page_size": 2, "cursor": page["next_cursor"]}
    assert seen == [f"kb {number}" for number in range(5)]


@pytest.mark.parametrize(
    ("query", "loc"),
    [
        ({"page": 0}, ["query", "page"]),
        ({"page_size": 201}, ["query", "page_size"]),
        ({"page_size": 0}, ["query", "page_size"]),
        ({"page": 51, "page_size": 200}, ["query", "page"]),
        ({"cursor": "nonsense"}, ["query", "cursor"]),
        ({"cursor": "WzFd"}, ["query", "cursor"]),
        ({"page": "two"}, ["query", "page"]),
    ],
)
def test_paging_that_does_not_fit_is_a_422_with_its_place(
    hub: Rig, alice: str, query: dict[str, object], loc: list[str]
) -> None:
    answer = hub.http("GET", "/kb", key=alice, query=query)
    assert (answer.status, answer.code) == (422, "INVALID_REQUEST")
    assert answer.json["error"]["detail"]["errors"][0]["loc"] == loc


@pytest.mark.parametrize(
    ("body", "loc"),
    [
        ({}, ["body", "name"]),
        ({"name": ""}, ["body", "name"]),
        ({"name": "x" * 201}, ["body", "name"]),
        ({"name": 7}, ["body", "name"]),
        ({"name": "n", "visibility": "secret"}, ["body", "visibility"]),
        ({"name": "n", "colour": "red"}, ["body", "colour"]),
        ({"name": "n", "chunking": {"size": 10}}, ["body", "chunking", "size"]),
        ({"name": "n", "chunking": {"size": 200, "overlap": 200}}, ["body", "chunking"]),
        ([], ["body"]),
        ("text", ["body"]),
        (None, ["body"]),
    ],
)
def test_a_body_that_does_not_fit_is_a_422_with_its_place(hub: Rig, alice: str, body: object, loc: list[str]) -> None:
    sent = {"raw": b"null"} if body is None else {}
    answer = hub.http("POST", "/kb", body, key=alice, **sent)  # type: ignore[arg-type] # as above
    assert (answer.status, answer.code) == (422, "INVALID_REQUEST")
    assert answer.json["error"]["detail"]["errors"][0]["loc"] == loc


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"{'a': 1}", b"\xff\xfe", b'{"name": NaN}', b'{"name": "\\ud800"}', b"[" * 9000]
)
def test_what_is_not_json_is_a_400(hub: Rig, alice: str, raw: bytes) -> None:
    answer = hub.http("POST", "/kb", key=alice, raw=raw, headers={"Content-Type": "application/json"})
    assert (answer.status, answer.code) == (400, "MALFORMED_JSON")


def test_another_content_type_is_a_415(hub: Rig, alice: str) -> None:
    answer = hub.http("POST", "/kb", key=alice, raw=b"<a/>", headers={"Content-Type": "application/xml"})
    assert (answer.status, answer.code) == (415, "UNSUPPORTED_MEDIA_TYPE")


def test_a_body_over_four_megabytes_is_a_413_that_names_the_limit(hub: Rig, alice: str) -> None:
    answer = hub.http("POST", "/kb", key=alice, raw=b" " * (4 * 1024 * 1024 + 1))
    assert (answer.status, answer.code) == (413, "PAYLOAD_TOO_LARGE")
    assert answer.json["error"]["detail"] == {"limit": 4 * 1024 * 1024}


@pytest.mark.parametrize("kb_id", ["abc", "1.5", "%20"])
def test_an_id_that_is_no_integer_is_a_422(hub: Rig, alice: str, kb_id: str) -> None:
    assert hub.http("GET", f"/kb/{kb_id}", key=alice).status == 422


@pytest.mark.parametrize("kb_id", [-1, 0, 10**30])
def test_an_id_that_no_kb_has_is_a_404(hub: Rig, alice: str, kb_id: int) -> None:
    assert hub.http("GET", f"/kb/{kb_id}", key=alice).code == "KB_NOT_FOUND"
