"""Folders and files of this machine: options, limits, and nothing outside."""

import os
from pathlib import Path
from typing import cast

import pytest

from knowhub.errors import Forbidden, SourceFailed
from knowhub.ports.sources import (
    FileContent,
    Files,
    FoundFile,
    SourceContent,
    SourceItem,
    SourcePage,
    SourceSpec,
    UploadedFile,
)
from knowhub.ports.sources_rules import unreadable
from knowhub.sources.local import LocalFiles
from knowhub.sources.roots import FolderRoot, Roots
from tests.contract.sources_homes import KB, MemoryUploads, opener


def listed(folder: Path, limit: int = 100, *, recursive: bool = False, extensions: tuple[str, ...] = ()) -> SourcePage:
    made = opener(roots=Roots(folders=(FolderRoot(str(folder)),)), stores={"file": LocalFiles([str(folder)])})
    spec = SourceSpec("dir", (str(folder),), recursive=recursive, extensions=extensions)
    return made.open(spec, KB).list(limit=limit)


def paths(page: SourcePage) -> list[object]:
    return [item.metadata["file_path"] for item in page.items]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.md", "B.MD", "c.txt", "sub/d.md", "sub/e", "node_modules/f.md", ".git/g.md", ".hidden.md"):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    return tmp_path / "docs"


def test_subfolders_are_read_only_if_asked_for(folder: Path) -> None:
    assert paths(listed(folder)) == [".hidden.md", "B.MD", "a.md", "c.txt"]
    assert paths(listed(folder, recursive=True)) == [".hidden.md", "B.MD", "a.md", "c.txt", "sub/d.md", "sub/e"]


def test_extensions_are_compared_without_case_and_what_has_others_is_no_loss(folder: Path) -> None:
    (folder / "link.txt").symlink_to(folder / "a.md")
    page = listed(folder, recursive=True, extensions=("md",))
    assert (paths(page), page.losses) == ([".hidden.md", "B.MD", "a.md", "sub/d.md"], ())


def test_a_page_may_be_empty_and_go_on(folder: Path) -> None:
    page = listed(folder, 1, extensions=("txt",))
    assert (page.items, page.cursor is not None) == ((), True)


def test_a_folder_that_is_not_there_fails_as_a_whole(tmp_path: Path) -> None:
    with pytest.raises(SourceFailed) as caught:
        listed(tmp_path / "absent")
    assert caught.value.detail["reason"] == "NOT_FOUND"


def test_a_name_that_is_no_utf8_is_a_loss(folder: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.md")).write_bytes(b"x")
    assert [loss.code for loss in listed(folder).losses] == ["BAD_NAME"]


def test_a_folder_that_cannot_be_opened_is_a_loss_with_all_that_is_beneath(folder: Path) -> None:
    deep = folder
    for _ in range(101):
        deep = deep / "x"
    deep.mkdir(parents=True)
    (deep / "a.md").write_bytes(b"x")
    losses = listed(folder, recursive=True).losses
    assert [loss.code for loss in losses] == ["TOO_DEEP"]
    assert losses[0].where.endswith("/x/")


def test_a_link_is_not_followed_even_where_it_takes_a_files_place_later(folder: Path) -> None:
    secret = folder.parent / "secret.md"
    secret.write_text("secret", encoding="utf-8")
    files = LocalFiles([str(folder)])
    uri = (folder / "a.md").as_uri()
    (folder / "a.md").unlink()
    (folder / "a.md").symlink_to(secret)
    with pytest.raises(SourceFailed):
        files.get(uri, max_bytes=100)
    assert files.stat(uri) is None


def test_a_link_is_not_followed_in_the_middle_of_a_path(folder: Path) -> None:
    (folder.parent / "away").mkdir()
    (folder.parent / "away" / "d.md").write_text("secret", encoding="utf-8")
    (folder / "linked").symlink_to(folder.parent / "away")
    files = LocalFiles([str(folder)])
    with pytest.raises(SourceFailed):
        files.get((folder / "linked" / "d.md").as_uri(), max_bytes=100)
    assert not files.has_folder((folder / "linked").as_uri())


def test_a_root_may_itself_be_reached_through_a_link(folder: Path) -> None:
    alias = folder.parent / "alias"
    alias.symlink_to(folder)
    assert paths(listed(alias)) == [".hidden.md", "B.MD", "a.md", "c.txt"]


def test_the_store_itself_reads_nothing_outside_of_its_folders(folder: Path) -> None:
    files = LocalFiles([str(folder)])
    for uri in (folder.parent.as_uri(), "file:///etc/passwd", folder.as_uri() + "/../x"):
        with pytest.raises((Forbidden, SourceFailed)):
            files.get(uri, max_bytes=10)


def test_a_pipe_does_not_hold_the_reader_up(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with pytest.raises(SourceFailed):
        LocalFiles([str(folder)]).get((folder / "pipe").as_uri(), max_bytes=10)


def test_a_file_that_has_grown_over_the_limit_is_not_read_whole(folder: Path) -> None:
    files = LocalFiles([str(folder)])
    with pytest.raises(SourceFailed) as caught:
        files.get((folder / "a.md").as_uri(), max_bytes=3)
    assert caught.value.detail == {"reason": "TOO_LARGE", "transient": False, "limit": 3}


def test_another_content_of_the_same_size_is_another_version(folder: Path) -> None:
    files, uri = LocalFiles([str(folder)]), (folder / "a.md").as_uri()
    before = files.stat(uri)
    status = (folder / "a.md").stat()
    (folder / "a.md").write_text("A.MD", encoding="utf-8")
    os.utime(folder / "a.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    after = files.stat(uri)
    assert before is not None
    assert after is not None
    assert (before.size, before.version != after.version) == (after.size, True)


def test_a_scheme_without_a_store_is_as_closed_as_any_place() -> None:
    made = opener(roots=Roots(folders=(FolderRoot("/srv"),)))
    for spec in (SourceSpec("file", ("/srv/a",)), SourceSpec("dir", ("/srv",)), SourceSpec("auto", ("/srv/a",))):
        with pytest.raises(Forbidden, match="not open to imports"):
            made.open(spec, KB)


def test_an_upload_that_this_import_may_not_read_is_a_loss_and_gives_nothing() -> None:
    spec = SourceSpec("file", ("upload:up_1",))
    item = SourceItem("upload:up_1", "upload:up_1", "a.md", "a.md")
    for uploads in (MemoryUploads({}), None):
        source = opener().open(spec, KB, uploads)
        assert [(loss.code, loss.where) for loss in source.list().losses] == [("NOT_FOUND", "upload:up_1")]
        with pytest.raises(SourceFailed) as caught:
            source.fetch(item)
        assert (caught.value.detail["reason"], caught.value.detail["transient"]) == ("NOT_FOUND", False)


def test_an_upload_brings_its_own_title_address_and_metadata_and_is_read_once() -> None:
    described = UploadedFile("a.md", "text/markdown", 3, "A title", "https://a.example/a", {"team": "sea", "uri": "x"})
    source = opener().open(SourceSpec("file", ("upload:up_1",)), KB, MemoryUploads({"up_1": (described, b"# A")}))
    item = source.list().items[0]
    assert (item.title, item.url, item.metadata["team"]) == ("A title", "https://a.example/a", "sea")
    assert item.metadata["uri"] == "upload:up_1"
    content = source.fetch(item)
    assert content is not None
    assert source.fetch(item, content.version) is None


class Silent:
    """A store that does not answer at first."""

    def __init__(self) -> None:
        self.answers = False

    def stat(self, _: str) -> FoundFile | None:
        raise unreadable(transient=True)

    def get(self, _: str, **__: int) -> FileContent:
        if not self.answers:
            raise unreadable(transient=True)
        return FileContent(b"x", None, "1")


def test_a_file_whose_store_does_not_answer_is_offered_and_fetching_it_tells() -> None:
    store = Silent()
    roots = Roots(folders=(FolderRoot("/srv"),))
    source = opener(roots=roots, stores={"file": cast("Files", store)}).open(SourceSpec("file", ("/srv/a b.md",)), KB)
    page = source.list()
    assert ([item.name for item in page.items], page.losses) == (["a b.md"], ())
    with pytest.raises(SourceFailed) as caught:
        source.fetch(page.items[0])
    assert caught.value.detail["transient"]
    store.answers = True
    assert source.fetch(page.items[0]) == SourceContent(b"x", "a b.md", "text/markdown", "1")


@pytest.mark.parametrize("name", ["a\x01.md", "a\nb.md", "\x7f.md"])
def test_a_name_with_a_control_character_is_a_loss_in_a_folder_and_refused_by_itself(folder: Path, name: str) -> None:
    (folder / name).write_text("x", encoding="utf-8")
    assert [loss.code for loss in listed(folder).losses] == ["BAD_NAME"]
    roots = Roots(folders=(FolderRoot(str(folder)),))
    made = opener(roots=roots, stores={"file": LocalFiles([str(folder)])})
    with pytest.raises(Forbidden):
        made.open(SourceSpec("file", (str(folder / name),)), KB)
