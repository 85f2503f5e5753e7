"""What every blob store promises: the port's text as tests, run on each home."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from knowhub.errors import InvalidRequest, NotFound
from knowhub.ports.blobs import MAX_UPLOAD_BYTES, Blobs
from tests.contract.blobs_homes import folder_blobs, s3_blobs, s3_client

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

HOMES = ("folder", "s3")

BAD_KEYS = [
    "",
    "/",
    "/a",
    "a/",
    "a//b",
    ".",
    "..",
    "../a",
    "a/../b",
    "a/./b",
    "a\\b",
    "line\nfeed",
    "nul\x00",
    "half\ud800",
    "k" * 901,
    "é" * 451,
]

GOOD_KEYS = [
    "a",
    ".hidden",
    "...",
    "a b/c d",
    "k" * 900,
    "汉" * 300,
    "/".join(["deep"] * 180),
    "CON/nul.txt",
    "a@",
    "a+",
    "%41",
    "100%",
    "#?&=+,;:'\"<>|*~",
    "e\u0301 or é",
    "😀/🏳️‍🌈",
]


@pytest.fixture(scope="module")
def service() -> Iterator["S3Client"]:
    with s3_client() as client:
        yield client


@pytest.fixture(params=HOMES)
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Blobs:
    if request.param == "folder":
        return folder_blobs(tmp_path)
    return s3_blobs(request.getfixturevalue("service"), f"bucket-{uuid4().hex}")


def all_pages(blobs: Blobs, prefix: str, limit: int) -> list[list[str]]:
    pages, cursor = [], None
    while True:
        page = blobs.list(prefix, cursor=cursor, limit=limit)
        pages.append(list(page.keys))
        cursor = page.cursor
        if cursor is None:
            return pages


class TestOneBlob:
    @pytest.mark.parametrize("data", [b"", b"a", bytes(range(256)), b"\n" * 3_000_000], ids=["none", "a", "all", "3M"])
    def test_bytes_come_back_as_they_went(self, blobs: Blobs, data: bytes) -> None:
        blobs.put("raw/kb/doc/1", data)
        assert blobs.get("raw/kb/doc/1") == data

    @pytest.mark.parametrize("key", GOOD_KEYS)
    def test_a_key_is_kept_as_it_is(self, blobs: Blobs, key: str) -> None:
        blobs.put(key, key.encode())
        assert blobs.get(key) == key.encode()
        assert blobs.list("").keys == (key,)
        blobs.delete([key])
        assert blobs.list("").keys == ()

    @pytest.mark.parametrize("key", BAD_KEYS)
    def test_what_is_no_key_is_refused_everywhere(self, blobs: Blobs, key: str) -> None:
        for call in (
            lambda: blobs.put(key, b""),
            lambda: blobs.get(key),
            lambda: blobs.stat(key),
            lambda: blobs.copy(key, "a"),
            lambda: blobs.copy("a", key),
            lambda: blobs.delete(["a", key]),
            lambda: blobs.presign_upload(key, content_type="text/plain", max_bytes=1, seconds=1),
        ):
            with pytest.raises(InvalidRequest):
                call()

    def test_a_second_put_replaces_bytes_and_type(self, blobs: Blobs) -> None:
        blobs.put("a", b"long before", content_type="text/plain")
        blobs.put("a", b"now", content_type="text/html; charset=utf-8")
        info = blobs.stat("a")
        assert info is not None
        assert (blobs.get("a"), info.size, info.content_type) == (b"now", 3, "text/html; charset=utf-8")

    def test_what_is_not_there_is_not_found(self, blobs: Blobs) -> None:
        blobs.put("a/b", b"")
        for key in ("b", "a", "a/b/c"):
            with pytest.raises(NotFound) as refusal:
                blobs.get(key)
            assert refusal.value.code == "BLOB_NOT_FOUND"
            assert blobs.stat(key) is None

    def test_a_blob_is_described_without_a_type_given(self, blobs: Blobs) -> None:
        blobs.put("a", b"12345")
        info = blobs.stat("a")
        assert info is not None
        assert (info.key, info.size, info.content_type) == ("a", 5, "application/octet-stream")

    def test_keys_that_look_alike_are_apart(self, blobs: Blobs) -> None:
        keys = ["a", "A", "a/b", "a/B", "a@", "a+", "a+/b", "%61", "é", "e\u0301", "a.b", "a-b", "a%2fb"]
        for key in keys:
            blobs.put(key, key.encode())
        assert [blobs.get(key) for key in keys] == [key.encode() for key in keys]
        assert list(blobs.list("").keys) == sorted(keys, key=str.encode)

    @pytest.mark.parametrize("content_type", ["", " ", "text/plain\n", "tëxt", "t" * 256])
    def test_a_content_type_that_can_not_be_kept_is_refused(self, blobs: Blobs, content_type: str) -> None:
        with pytest.raises(InvalidRequest):
            blobs.put("a", b"", content_type=content_type)


class TestCopy:
    def test_a_copy_has_the_bytes_and_the_type(self, blobs: Blobs) -> None:
        blobs.put("uploads/ä 1", b"data" * 1000, content_type="text/csv")
        blobs.copy("uploads/ä 1", "raw/kb/%31")
        info = blobs.stat("raw/kb/%31")
        assert info is not None
        assert (blobs.get("raw/kb/%31"), info.content_type) == (b"data" * 1000, "text/csv")
        assert blobs.get("uploads/ä 1") == b"data" * 1000

    def test_a_copy_replaces_its_target(self, blobs: Blobs) -> None:
        blobs.put("a", b"new", content_type="text/plain")
        blobs.put("b", b"old and longer", content_type="text/html")
        blobs.copy("a", "b")
        assert blobs.get("b") == b"new"

    def test_a_copy_of_nothing_is_not_found_and_leaves_the_target(self, blobs: Blobs) -> None:
        blobs.put("b", b"old")
        with pytest.raises(NotFound):
            blobs.copy("a", "b")
        assert blobs.get("b") == b"old"

    def test_a_copy_onto_itself_changes_nothing(self, blobs: Blobs) -> None:
        blobs.put("a", b"data", content_type="text/plain")
        blobs.copy("a", "a")
        assert blobs.get("a") == b"data"
        with pytest.raises(NotFound):
            blobs.copy("absent", "absent")


class TestDelete:
    def test_a_deleted_blob_is_gone_and_may_come_again(self, blobs: Blobs) -> None:
        blobs.put("a/b", b"1")
        blobs.delete(["a/b"])
        assert blobs.stat("a/b") is None
        blobs.put("a/b", b"2")
        assert blobs.get("a/b") == b"2"

    def test_absent_and_repeated_keys_are_no_error(self, blobs: Blobs) -> None:
        blobs.put("a", b"")
        blobs.delete([])
        blobs.delete(["absent", "a", "a", "a/below", "no/such/folder"])
        assert blobs.list("").keys == ()

    def test_its_neighbours_stay(self, blobs: Blobs) -> None:
        for key in ("a", "a/b", "a/b/c", "a/bc"):
            blobs.put(key, b"")
        blobs.delete(["a/b"])
        assert blobs.list("").keys == ("a", "a/b/c", "a/bc")

    def test_more_than_one_call_of_the_service_may_hold_all_go(self, blobs: Blobs) -> None:
        kept = [f"many/{number:04}" for number in range(4)]
        for key in kept:
            blobs.put(key, b"")
        blobs.delete([*(f"absent/{number}" for number in range(1100)), *kept[1:]])
        assert blobs.list("").keys == ("many/0000",)


class TestList:
    KEYS = ("a", "a!b", "a-b/c", "a/b", "a/b/c", "a/c", "a0", "b/é", "b/z", "b/😀", "b/\uffee", "c" * 300 + "/x")

    @pytest.fixture
    def filled(self, blobs: Blobs) -> Blobs:
        for key in reversed(self.KEYS):
            blobs.put(key, b"")
        return blobs

    @pytest.mark.parametrize("limit", [1, 2, 5, 12, 1000])
    def test_pages_give_all_keys_in_the_order_of_their_bytes(self, filled: Blobs, limit: int) -> None:
        pages = all_pages(filled, "", limit)
        assert [key for page in pages for key in page] == sorted(self.KEYS, key=str.encode)
        assert {len(page) for page in pages[:-1]} <= {limit}
        assert len(pages[-1]) > 0

    @pytest.mark.parametrize("prefix", ["", "a", "a/", "a/b", "a/b/", "b/\u00e9", "c" * 250, "nothing", "a!b/", "/"])
    @pytest.mark.parametrize("limit", [1, 1000])
    def test_a_prefix_may_end_anywhere(self, filled: Blobs, prefix: str, limit: int) -> None:
        expected = sorted((key for key in self.KEYS if key.startswith(prefix)), key=str.encode)
        assert [key for page in all_pages(filled, prefix, limit) for key in page] == expected

    def test_a_page_goes_on_after_a_key_that_has_been_removed(self, filled: Blobs) -> None:
        first = filled.list("a", limit=3)
        filled.delete([first.keys[-1]])
        filled.put("a!a", b"")
        second = filled.list("a", cursor=first.cursor, limit=2)
        assert first.keys + second.keys == ("a", "a!b", "a-b/c", "a/b", "a/b/c")

    @pytest.mark.parametrize("cursor", ["", "no cursor", "%%%", "gA==", "AAAA"])
    def test_what_is_no_cursor_is_refused(self, blobs: Blobs, cursor: str) -> None:
        with pytest.raises(InvalidRequest):
            blobs.list("", cursor=cursor)

    @pytest.mark.parametrize("limit", [0, -1, 1001])
    def test_a_page_size_out_of_range_is_refused(self, blobs: Blobs, limit: int) -> None:
        with pytest.raises(InvalidRequest):
            blobs.list("", limit=limit)

    @pytest.mark.parametrize("prefix", ["back\\slash", "\x00", "k" * 901])
    def test_what_no_key_starts_with_is_refused_as_a_prefix(self, blobs: Blobs, prefix: str) -> None:
        with pytest.raises(InvalidRequest):
            blobs.list(prefix)


class TestUploads:
    def test_a_ticket_says_where_and_until_when(self, blobs: Blobs) -> None:
        ticket = blobs.presign_upload("uploads/1", content_type="text/plain", max_bytes=10, seconds=600)
        assert ticket.url.startswith("http")
        assert ticket.fields["key"] == "uploads/1"
        assert all(isinstance(value, str) for value in ticket.fields.values())
        assert ticket.expires_at > min(time.time(), 1_800_000_000)

    @pytest.mark.parametrize(
        "wish",
        [
            {"max_bytes": 0},
            {"max_bytes": MAX_UPLOAD_BYTES + 1},
            {"seconds": 0},
            {"seconds": 43_201},
            {"content_type": ""},
            {"key": "uploads/${filename}"},
        ],
        ids=repr,
    )
    def test_a_ticket_that_can_not_be_kept_is_refused(self, blobs: Blobs, wish: dict[str, object]) -> None:
        arguments = {"key": "uploads/1", "content_type": "text/plain", "max_bytes": 10, "seconds": 60, **wish}
        with pytest.raises(InvalidRequest):
            blobs.presign_upload(arguments.pop("key"), **arguments)  # type: ignore[arg-type]  # one of them is wrong
