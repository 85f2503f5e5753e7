"""Which reader a document gets, and what it makes of it."""

import io
import zipfile

import pytest

from knowhub.errors import InvalidRequest, Unreadable, UnsupportedMediaType
from knowhub.readers import registry
from knowhub.readers.caps import cap


def archive(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as opened:
        for name in names:
            opened.writestr(name, "x")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "content_type", "expected"),
    [
        ("a.md", None, "markdown"),
        ("A.MD", None, "markdown"),
        ("a.markdown", None, "markdown"),
        ("a.mdx", None, "markdown"),
        ("a.txt", None, "text"),
        ("a", None, "text"),
        ("a.unknown", None, "text"),
        (".md", None, "text"),
        ("folder.md/a.txt", None, "text"),
        ("a.txt", "text/markdown; charset=utf-8", "markdown"),
        ("a.md", "text/plain", "markdown"),
        ("a.md", "application/octet-stream", "markdown"),
        ("a", "Text/Markdown", "markdown"),
    ],
)
def test_the_type_decides_then_the_extension(name: str, content_type: str | None, expected: str) -> None:
    assert registry.detect(b"text", name=name, content_type=content_type) == expected


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (archive("a.txt"), "application/zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 50, "ole-storage"),
        (b"\x89PNG\r\n\x1a\n\0", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBP", "image/webp"),
        (b"\x1f\x8b\x08", "application/gzip"),
        (b"\0\0\0\x18ftypmp42", "video/mp4"),
    ],
)
def test_bytes_of_another_format_are_refused_by_its_name(data: bytes, media_type: str) -> None:
    with pytest.raises(UnsupportedMediaType, match=media_type):
        registry.read(data, name="a.md", content_type="text/markdown")


@pytest.mark.parametrize(
    "text", ["BZh is a prefix", "ID3 tags explained", "OggS", "%PDF is a format", "the %PDF-1.7 header"]
)
def test_texts_that_speak_of_formats_are_texts(text: str) -> None:
    assert registry.read(text.encode(), name="a.txt").text == text


def test_text_is_kept_as_it_stands() -> None:
    document = registry.read(b"  one\r\n\ttwo\n", name="a.txt")
    assert (document.text, document.chunker_name, document.encoding) == ("  one\n\ttwo\n", "fixed", "utf-8")
    assert (document.title, document.losses, dict(document.metadata)) == (None, (), {})


def test_markdown_gives_its_front_matter_and_title_apart() -> None:
    document = registry.read(b"---\ntitle: Handbook\ntags: [a, b]\n---\n\n# Other\n\nbody\n", name="a.md")
    assert document.text == "# Other\n\nbody\n"
    assert document.metadata == {"title": "Handbook", "tags": ["a", "b"]}
    assert (document.title, document.chunker_name) == ("Handbook", "markdown")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# First ##\n\n# Second\n", "First"),
        ("```\n# code\n```\n# Real\n", "Real"),
        ("## Part\n\ntext", None),
        ("#\n\ntext", None),
        ("text", None),
        ("# 使用手册\n", "使用手册"),
    ],
)
def test_the_first_heading_is_the_title(text: str, title: str | None) -> None:
    assert registry.read(text.encode(), name="a.md").title == title


def test_unreadable_front_matter_is_a_loss_and_stays() -> None:
    document = registry.read(b"---\nkey: {a: 1}\n---\nbody\n", name="a.md")
    assert document.text.startswith("---\nkey: {a: 1}")
    assert [loss.code for loss in document.losses] == ["FRONT_MATTER_UNREADABLE"]


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\xef\xbb\xbf", "\u3000\n".encode()])
def test_a_document_without_text_fails_with_a_reason(data: bytes) -> None:
    with pytest.raises(Unreadable) as refused:
        registry.read(data, name="a.txt")
    assert refused.value.detail["reason"] in {"EMPTY", "NO_TEXT"}


def test_markdown_with_nothing_but_front_matter_fails() -> None:
    with pytest.raises(Unreadable):
        registry.read(b"---\ntitle: x\n---\n", name="a.md")


def test_a_reader_can_be_asked_for_by_name() -> None:
    assert registry.read(b"# x", name="a.txt", reader_name="markdown").chunker_name == "markdown"
    with pytest.raises(InvalidRequest, match=r"known are .*markdown, .*text"):
        registry.read(b"# x", name="a.txt", reader_name="magic")


def test_a_text_over_the_cap_is_cut_at_a_line() -> None:
    text, losses = cap("一行\n二行\n三行\n", limit=17)
    assert text == "一行\n二行\n"
    assert [(loss.code, loss.where) for loss in losses] == [("TEXT_TRUNCATED", "line 2")]
    assert losses[0].detail == "kept 14 of 21 bytes of text"


def test_a_single_line_over_the_cap_is_cut_between_characters() -> None:
    text, losses = cap("汉" * 10, limit=16)
    assert text == "汉" * 5
    assert losses[0].where == "line 1"


def test_a_text_at_the_cap_is_whole() -> None:
    assert cap("汉字\n", limit=7) == ("汉字\n", ())
