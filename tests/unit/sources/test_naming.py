"""Names and types of what is fetched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.sources.naming import extension, file_name, name_of_address, settled_type


@pytest.mark.parametrize(
    ("path", "content_type", "expected"),
    [
        ("/guide/Intro.md", "text/html", "Intro.md"),
        ("/guide/intro", "text/html", "intro"),
        ("/a%20b.txt", None, "a b.txt"),
        ("/%2e%2e", None, "host.example.txt"),
        ("/a%2Fb%00.md", None, "a_b_.md"),
        ("/", "text/html; charset=utf-8", "index.html"),
        ("", "application/xhtml+xml", "index.html"),
        ("/docs/", "TEXT/HTML", "index.html"),
        ("/docs/", "application/pdf", "document.pdf"),
        ("/docs/", "text/markdown; charset=utf-8", "document.md"),
        ("/docs/", "text/plain", "document.txt"),
        ("/docs/", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "document.docx"),
        ("/docs/", "application/octet-stream", "host.example.txt"),
        ("/docs/", None, "host.example.txt"),
    ],
)
def test_a_name_comes_from_the_path_else_the_type_else_the_host(
    path: str, content_type: str | None, expected: str
) -> None:
    assert name_of_address("host.example", path, content_type) == expected


@pytest.mark.parametrize(
    ("declared", "name", "expected"),
    [
        ("text/html; charset=gbk", "page.md", "text/html; charset=gbk"),
        ("text/plain; charset=gbk", "page.MD", "text/markdown; charset=gbk"),
        ("text/plain", "page.mdx", "text/markdown"),
        ("Text/Plain", "page.txt", "Text/Plain"),
        ("text/plain", "page.html", "text/plain"),
        (None, "page.md", "text/markdown"),
        ("application/octet-stream", "report.PDF", "application/pdf"),
        ("", "noext", "application/octet-stream"),
        ("binary/octet-stream", ".pdf", "application/octet-stream"),
        ("text/ü", "page.txt", "text/plain"),
        ("x" * 300, "page.csv", "text/csv"),
    ],
)
def test_the_declared_type_counts_unless_it_says_nothing(declared: str | None, name: str, expected: str) -> None:
    assert settled_type(declared, name) == expected


@given(st.text(max_size=300))
def test_any_text_makes_one_segment_or_none(text: str) -> None:
    name = file_name(text)
    assert len(name) <= 200
    assert name not in {".", ".."}
    assert not set(name) & set("/\\\0\n\r")
    assert file_name(name) == name


def test_a_long_name_keeps_its_ending() -> None:
    assert extension(file_name("a" * 500 + ".Docx")) == "docx"
    assert len(file_name("a" * 500 + "." + "b" * 50)) == 200
