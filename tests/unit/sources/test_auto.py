"""What an input turns out to be."""

from pathlib import Path

import pytest

from knowhub.errors import Forbidden, InvalidRequest
from knowhub.ports.sources import Source, SourceItem, SourceSpec
from knowhub.sources.local import LocalFiles
from knowhub.sources.roots import FolderRoot, Roots
from tests.contract.sources_homes import KB, MemoryUploads, opener


def opened(folder: Path, *inputs: str, recursive: bool = False, extensions: tuple[str, ...] = ()) -> Source:
    spec = SourceSpec("auto", inputs, recursive=recursive, extensions=extensions)
    made = opener(roots=Roots(folders=(FolderRoot(str(folder)),)), stores={"file": LocalFiles([str(folder)])})
    return made.open(spec, KB)


def only(source: Source) -> SourceItem:
    page = source.list()
    assert (len(page.items), page.losses, page.cursor) == (1, (), None)
    return page.items[0]


@pytest.mark.parametrize(
    "text",
    [
        "plain words", "https://a.example/ is a good site", "see https://a.example/", "a/relative/path.md",
        "~/notes.md", "/first line\nsecond line", "ftp://a.example/x", "https:", "C:\\notes.md", "\ud800 half a pair",
        "漢字",
    ],
)  # fmt: skip
def test_what_is_nothing_else_is_a_text(tmp_path: Path, text: str) -> None:
    source = opened(tmp_path, text)
    item = only(source)
    content = source.fetch(item)
    assert item.uri.startswith("text://")
    assert content is not None
    assert content.data == text.encode("utf-8", "replace")
    assert item.title


def test_an_address_is_one_whatever_its_case(tmp_path: Path) -> None:
    assert only(opened(tmp_path, "HTTPS://A.example/x")).url == "HTTPS://A.example/x"


def test_a_path_is_a_folder_or_a_file_or_else_a_text(tmp_path: Path) -> None:
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    for name in ("docs/a.md", "docs/b.txt", "docs/deep/c.md"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    paths = (str(tmp_path / "docs"), str(tmp_path / "docs" / "b.txt"), str(tmp_path / "absent"))
    names = [item.name for item in opened(tmp_path, *paths).list().items]
    assert names[:3] == ["a.md", "b.txt", "b.txt"]
    assert names[3].startswith("text-")
    deep = opened(tmp_path, paths[0], recursive=True, extensions=("md",)).list()
    assert [item.name for item in deep.items] == ["a.md", "c.md"]


@pytest.mark.parametrize("entry", ["/etc/passwd", "/", "file:///etc/passwd", "s3://bucket/key", "file:///a/../b"])
def test_a_place_outside_of_the_roots_is_refused_whether_it_is_there_or_not(tmp_path: Path, entry: str) -> None:
    with pytest.raises(Forbidden, match="not open to imports"):
        opened(tmp_path, "fine", entry)


def test_an_address_that_is_never_fetched_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest):
        opened(tmp_path, "https://localhost/")


def test_a_root_that_has_gone_is_a_loss_or_a_text_and_no_refusal(tmp_path: Path) -> None:
    root = tmp_path / "gone"
    assert [loss.code for loss in opened(root, root.as_uri()).list().losses] == ["NOT_FOUND"]
    assert only(opened(root, str(root))).uri.startswith("text://")


def test_an_upload_is_one_where_there_are_uploads() -> None:
    page = opener().open(SourceSpec("auto", ("upload:up_1",)), KB, MemoryUploads({})).list()
    assert [(loss.code, loss.where) for loss in page.losses] == [("NOT_FOUND", "upload:up_1")]


def test_many_small_inputs_fill_a_page(tmp_path: Path) -> None:
    source = opened(tmp_path, *(f"text {number}" for number in range(25)))
    page = source.list(limit=10)
    assert (len(page.items), page.cursor) == (10, "10:")
    assert len(source.list(page.cursor, 100).items) == 15
