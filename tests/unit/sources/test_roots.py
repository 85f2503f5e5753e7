"""What imports may read: nothing by default, and one answer for everything else."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.errors import Forbidden
from knowhub.sources.roots import BucketRoot, FolderRoot, Roots, file_uri, path_of

KB = 7
ROOTS = Roots(
    buckets=(
        BucketRoot("company", "docs/", frozenset({KB})),
        BucketRoot("open"),
        BucketRoot("hub-raw"),
        BucketRoot("hub-logs", "x"),
    ),
    folders=(FolderRoot("/srv/docs"), FolderRoot("/srv/team", frozenset({8}))),
    own_buckets=frozenset({"hub-raw", "hub-logs"}),
)

REFUSED = [
    "", "docs/a.md", "./a.md", "~/a.md", "/", "/srv", "/srv/docs", "/srv/docs-other/a.md", "/srv/team/a.md",
    "/srv/docs/../team/a.md", "/srv/docs/..", "/srv/docs/a\0.md", "/etc/passwd", "/srv/docs/" + "a" * 5000,
    "file:///etc/passwd", "file://host/srv/docs/a.md", "file:/srv/docs/a.md", "file:///srv/docs/%2e%2e/team/a.md",
    "file:///srv/docs/..%2fteam/a.md", "file:///srv/docs/a.md?x", "file:///srv/docs/a%00.md",
    "s3://company/docs", "s3://company/docs/", "s3://company/other/a.md", "s3://company/docs-other/a.md",
    "s3://company/docs/../other/a.md", "s3://company/docs//a.md", "s3://company/docs/./a.md",
    "s3://company/docs/a\n.md", "s3://company/docs/" + "a" * 1100, "s3://other/docs/a.md", "s3://hub-raw/raw/1/d/x",
    "s3://hub-logs/x/a.md", "s3://", "s3://company", "s3:///docs/a.md", "s3://COMPANY/docs/a.md",
    "s3://company@evil/docs/a.md", "s3://arn:aws:s3:::company/docs/a.md", "S3://company/docs/a.md",
]  # fmt: skip


@pytest.mark.parametrize("reference", REFUSED)
def test_everything_outside_is_one_and_the_same_refusal(reference: str) -> None:
    with pytest.raises(Forbidden) as caught:
        ROOTS.locate(reference, KB, folder=False)
    assert (caught.value.message, caught.value.detail) == ("This place is not open to imports", {})


@pytest.mark.parametrize(
    ("reference", "folder", "expected"),
    [
        ("/srv/docs/a.md", False, "file:///srv/docs/a.md"),
        ("/srv//docs/./b/ü a.md", False, "file:///srv/docs/b/%C3%BC%20a.md"),
        ("file:///srv/docs/%61.md", False, "file:///srv/docs/a.md"),
        ("file://localhost/srv/docs/a.md", False, "file:///srv/docs/a.md"),
        ("/srv/docs/", True, "file:///srv/docs"),
        ("/srv/docs/sub/", True, "file:///srv/docs/sub"),
        ("s3://company/docs/a b.md", False, "s3://company/docs/a b.md"),
        ("s3://company/docs", True, "s3://company/docs"),
        ("s3://company/docs/sub/", True, "s3://company/docs/sub"),
        ("s3://open", True, "s3://open/"),
        ("s3://open/", True, "s3://open/"),
        ("s3://open/any/key", False, "s3://open/any/key"),
    ],
)
def test_what_is_open_has_one_uri(reference: str, folder: bool, expected: str) -> None:
    assert ROOTS.locate(reference, KB, folder=folder) == expected


def test_a_root_is_open_to_its_own_kbs_only() -> None:
    assert ROOTS.locate("/srv/team/a.md", 8, folder=False) == "file:///srv/team/a.md"
    for reference in ("/srv/team/a.md", "s3://company/docs/a.md"):
        with pytest.raises(Forbidden):
            ROOTS.locate(reference, 9, folder=False)


def test_without_roots_nothing_is_open() -> None:
    for reference in ("/srv/docs/a.md", "s3://open/a"):
        with pytest.raises(Forbidden):
            Roots().locate(reference, KB, folder=False)


@given(st.lists(st.sampled_from(["..", ".", "", "docs", "srv", "a", "%2e%2e", "\\"]), max_size=6))
def test_no_path_leads_out_of_its_root(segments: list[str]) -> None:
    for prefix in ("/srv/docs/", "file:///srv/docs/"):
        try:
            uri = ROOTS.locate(prefix + "/".join(segments), KB, folder=True)
        except Forbidden:
            continue
        assert os.path.normpath(path_of(uri)).startswith("/srv/docs")


@given(
    st.binary(min_size=1, max_size=12).filter(lambda name: not {b"/"[0], 0} & set(name) and name not in {b".", b".."})
)
def test_a_files_uri_leads_back_to_any_name(name: bytes) -> None:
    path = "/srv/" + os.fsdecode(name)
    assert path_of(file_uri(path)) == path
