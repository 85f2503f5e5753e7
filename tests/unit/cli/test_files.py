"""What a walk sends, what it passes over, and as what."""

import os
from pathlib import Path

import pytest

from knowhub.readers import registry
from knowhub_cli.files import MAX_BYTES, TYPES, UNKNOWN, Found, Skipped, content_type, discover


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path.resolve()


def write(path: Path, data: bytes = b"text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def found(folder: Path, path: Path) -> list[str]:
    return [each.external_id for each in discover(path, folder) if isinstance(each, Found)]


def skipped(folder: Path, path: Path) -> dict[str, str]:
    return {each.path.name: each.reason for each in discover(path, folder) if isinstance(each, Skipped)}


def test_a_folder_is_walked_in_the_order_of_names(folder: Path) -> None:
    for name in ("b.md", "a/z.md", "a/b/c.txt", "c.md"):
        write(folder / "docs" / name)
    assert found(folder, folder / "docs") == ["docs/a/b/c.txt", "docs/a/z.md", "docs/b.md", "docs/c.md"]


def test_everything_that_is_passed_over_is_said(folder: Path) -> None:
    write(folder / ".git" / "config")
    write(folder / "node_modules" / "x.js")
    write(folder / ".env")
    write(folder / "empty.md", b"")
    os.truncate(write(folder / "large.md"), MAX_BYTES + 1)
    (folder / "link.md").symlink_to(write(folder / "real.md"))
    os.mkfifo(folder / "pipe")
    assert found(folder, folder) == ["real.md"]
    assert skipped(folder, folder) == {
        ".env": "is hidden",
        ".git": "is never ingested",
        "empty.md": "is empty",
        "large.md": "is larger than 100 MB",
        "link.md": "is a link",
        "node_modules": "is never ingested",
        "pipe": "is no regular file",
    }


def test_a_file_of_exactly_the_limit_is_taken(folder: Path) -> None:
    os.truncate(write(folder / "large.md"), MAX_BYTES)
    assert [each for each in discover(folder, folder) if isinstance(each, Found)] == [
        Found(folder / "large.md", "large.md", MAX_BYTES)
    ]


def test_a_link_in_a_circle_ends_the_walk(folder: Path) -> None:
    write(folder / "a" / "x.md")
    (folder / "a" / "back").symlink_to(folder)
    assert found(folder, folder) == ["a/x.md"]


def test_a_file_that_is_named_itself_is_taken_even_if_hidden(folder: Path) -> None:
    assert found(folder, write(folder / ".notes.md")) == [".notes.md"]


def test_what_does_not_exist_is_a_failure(folder: Path) -> None:
    assert list(discover(folder / "gone", folder)) == [Skipped(folder / "gone", "does not exist", fault=True)]


def test_a_name_that_is_not_utf_8_is_a_failure(folder: Path) -> None:
    write(Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.md")))
    (entry,) = discover(folder, folder)
    assert isinstance(entry, Skipped)
    assert (entry.reason, entry.fault) == ("its name is not UTF-8", True)


def test_one_file_has_one_id_however_it_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder / "docs" / "a.md")
    monkeypatch.chdir(folder)
    spellings = [Path("docs"), Path("docs/"), Path("./docs/a.md"), Path("docs/../docs/a.md"), folder / "docs"]
    assert [found(folder, path) for path in spellings] == [["docs/a.md"]] * 5


def test_files_of_the_same_name_in_two_folders_have_two_ids(folder: Path) -> None:
    write(folder / "a" / "README.md")
    write(folder / "b" / "README.md")
    assert found(folder, folder / "a") + found(folder, folder / "b") == ["a/README.md", "b/README.md"]


def test_a_file_outside_the_folder_has_its_whole_path_as_id(folder: Path) -> None:
    path = write(folder / "there" / "a.md")
    assert found(folder / "here", path) == [path.as_posix()]


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.md", "Größe".encode(), "text/markdown"),
        ("a.TXT", b"\xef\xbb\xbfmarked", "text/plain"),
        ("a.json", b"{}", "application/json"),
        ("a.csv", "Größe".encode("latin-1"), "text/csv"),
        ("a.pdf", b"%PDF-1.7 plain", "application/pdf"),
        ("Makefile", b"all:", "text/plain"),
        ("Makefile", "größer:".encode(), "text/plain"),
        ("blob", b"\xff\xfe\x00", UNKNOWN),
        ("blob", b"a\0b", UNKNOWN),
        ("a.unheard-of", b"", UNKNOWN),
    ],
)
def test_a_type_follows_the_name_and_else_the_bytes(name: str, data: bytes, expected: str) -> None:
    assert content_type(Path(name), data) == expected


@pytest.mark.parametrize("suffix", sorted(TYPES))
def test_no_type_that_is_declared_leads_the_hub_to_another_reader_than_the_name(suffix: str) -> None:
    by_name = registry.detect(b"x", name=f"a{suffix}")
    assert registry.detect(b"x", name=f"a{suffix}", content_type=TYPES[suffix]) == by_name


def test_a_title_is_no_longer_than_a_title_may_be() -> None:
    assert Found(Path("a" * 400), "x", 1).title == "a" * 300
