"""The sources port's text, on every source."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowhub.errors import InvalidRequest, SourceFailed
from knowhub.model.document import Loss
from knowhub.ports.sources import MAX_PAGE, Source, SourceItem
from tests.contract.sources_homes import KINDS, Bench, bench, s3_with_bucket

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client


@pytest.fixture(scope="module")
def s3() -> Iterator["S3Client"]:
    with s3_with_bucket() as client:
        yield client


@pytest.fixture(params=KINDS)
def home(request: pytest.FixtureRequest, tmp_path: Path, s3: "S3Client") -> Iterator[Bench]:
    with bench(request.param, tmp_path, s3) as made:
        yield made


def walk(source: Source, limit: int = 100) -> tuple[list[SourceItem], list[Loss]]:
    """Read a whole listing."""
    items: list[SourceItem] = []
    losses: list[Loss] = []
    cursor = None
    for _ in range(10_000):
        page = source.list(cursor, limit)
        assert page.declared == len(page.items) + len(page.losses) <= limit
        items += page.items
        losses += page.losses
        cursor = page.cursor
        if cursor is None:
            # A page holds items and losses apart, so their order among each other is the pages'.
            return items, sorted(losses, key=lambda loss: loss.where)
    raise AssertionError("the listing does not end")


class TestListing:
    def test_every_document_is_offered_under_a_stable_identity(self, home: Bench) -> None:
        first, second = walk(home.open()), walk(home.open())
        assert first == second
        assert [item.external_id for item in first[0]] == home.expected
        assert len({item.external_id for item in first[0]}) == len(first[0])

    @pytest.mark.parametrize("limit", [1, 2, 3, MAX_PAGE])
    def test_pages_of_any_size_give_the_same(self, home: Bench, limit: int) -> None:
        assert walk(home.open(), limit) == walk(home.open())

    def test_another_process_goes_on_where_a_cursor_stands(self, home: Bench) -> None:
        page = home.open().list(limit=1)
        rest: list[SourceItem] = []
        cursor = page.cursor
        while cursor is not None:
            following = home.open().list(cursor, 2)
            rest += following.items
            cursor = following.cursor
        assert [*page.items, *rest] == walk(home.open())[0]

    def test_listing_changes_nothing(self, home: Bench) -> None:
        source = home.open()
        page = source.list(limit=1)
        source.list(page.cursor, 2)
        assert source.list(limit=1) == page

    def test_what_is_not_there_is_a_loss_with_its_place(self, home: Bench) -> None:
        losses = walk(home.open())[1]
        assert sorted((loss.code, loss.where) for loss in losses) == sorted(home.losses)
        assert all(loss.detail for loss in losses)

    @pytest.mark.parametrize("limit", [0, -1, MAX_PAGE + 1])
    def test_a_page_of_another_size_is_refused(self, home: Bench, limit: int) -> None:
        with pytest.raises(InvalidRequest):
            home.open().list(None, limit)

    @pytest.mark.parametrize("cursor", ["!", "-1", "99999999999999", "ünknown", "\ud800", "1:!:"])
    def test_what_is_no_cursor_is_refused(self, home: Bench, cursor: str) -> None:
        with pytest.raises(InvalidRequest):
            home.open().list(cursor)


class TestItems:
    def test_an_item_has_the_systems_metadata_as_json(self, home: Bench) -> None:
        for item in walk(home.open())[0]:
            assert (item.metadata["doc_id"], item.metadata["uri"]) == (item.external_id, item.uri)
            assert json.loads(json.dumps(dict(item.metadata))) == item.metadata

    def test_a_name_is_one_segment_and_a_title_says_something(self, home: Bench) -> None:
        for item in walk(home.open())[0]:
            assert item.title.strip()
            assert item.name
            assert not set(item.name) & set("/\\\0\n")

    def test_a_known_size_is_the_contents(self, home: Bench) -> None:
        source = home.open()
        for item in walk(source)[0]:
            content = source.fetch(item)
            assert content is not None
            assert item.size in {None, len(content.data)}


class TestFetching:
    def test_every_item_gives_its_bytes_and_their_type(self, home: Bench) -> None:
        source = home.open()
        fetched = [source.fetch(item) for item in walk(source)[0]]
        assert [content and content.data for content in fetched] == home.contents
        assert [content and content.content_type for content in fetched] == home.types

    def test_another_process_fetches_what_was_listed_here(self, home: Bench) -> None:
        item = walk(home.open())[0][-1]
        content = home.open().fetch(item)
        assert content is not None
        assert content.data == home.contents[-1]

    def test_what_is_known_is_not_read_again(self, home: Bench) -> None:
        source = home.open()
        for item in walk(source)[0]:
            content = source.fetch(item)
            assert content is not None
            if content.version is not None:
                assert source.fetch(item, content.version) is None

    def test_another_version_is_read(self, home: Bench) -> None:
        source = home.open()
        for item, expected in zip(walk(source)[0], home.contents, strict=True):
            for known in ("some other version", '{"address": 5}', "[]", ""):
                content = source.fetch(item, known)
                assert content is not None
                assert content.data == expected

    def test_a_version_that_a_listing_names_is_the_fetched_ones(self, home: Bench) -> None:
        source = home.open()
        for item in walk(source)[0]:
            content = source.fetch(item)
            assert content is not None
            assert item.version in {None, content.version}

    def test_an_item_that_is_not_there_any_more_concerns_itself_only(self, home: Bench) -> None:
        source = home.open()
        items = walk(source)[0]
        home.remove_first()
        if items[0].uri.startswith("text:"):
            # A text is a part of what was asked for, so it can't go.
            return
        with pytest.raises(SourceFailed) as caught:
            home.open().fetch(items[0])
        assert caught.value.detail["reason"] in {"NOT_FOUND", "STATUS"}
        assert caught.value.detail["transient"] is False
        content = source.fetch(items[-1])
        assert content is not None
        assert content.data == home.contents[-1]


NAMES = st.text("ab.-_ é漢/", min_size=1, max_size=8).map(lambda text: "/".join(filter(None, text.split("/"))))


def _usable(paths: list[str]) -> list[str]:
    """Leave out what can't all be in one folder: dotted segments, and a file where another needs a folder."""
    kept = [path for path in paths if path and not {".", ".."} & set(path.split("/"))]
    return [path for path in dict.fromkeys(kept) if not any(other.startswith(f"{path}/") for other in kept)]


@pytest.mark.parametrize("kind", ["dir of a bucket", "dir of this machine"])
@given(paths=st.lists(NAMES, max_size=12).map(_usable), limit=st.integers(1, 4), data=st.data())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_folder_is_listed_in_the_order_of_the_paths_bytes_from_any_place_on(
    kind: str,
    tmp_path_factory: pytest.TempPathFactory,
    s3: "S3Client",
    paths: list[str],
    limit: int,
    data: st.DataObject,
) -> None:
    with bench(kind, tmp_path_factory.mktemp("files"), s3) as home:
        home.fill(paths)
        items, losses = walk(home.open(), limit)
        assert losses == []
        assert [item.metadata["file_path"] for item in items] == sorted(paths, key=os.fsencode)
        if items:
            keep = data.draw(st.integers(1, len(items)))
            page = home.open().list(None, keep)
            later = [] if page.cursor is None else list(home.open().list(page.cursor, MAX_PAGE).items)
            assert [*page.items, *later] == items
