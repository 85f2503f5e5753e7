"""Which reader a text gets: its beginning first, then the declared type, then the extension."""

import pytest

from knowhub.errors import InvalidRequest
from knowhub.readers import registry


@pytest.mark.parametrize(
    ("name", "content_type", "expected"),
    [
        ("a.json", None, "json"),
        ("a.JSONL", None, "jsonl"),
        ("a.ndjson", None, "jsonl"),
        ("a.csv", "application/vnd.ms-excel", "csv"),
        ("a.tsv", None, "csv"),
        ("a.htm", None, "html"),
        ("a", "application/json; charset=utf-8", "json"),
        ("a", "application/ld+json", "json"),
        ("a", "application/x-ndjson", "jsonl"),
        ("a", "text/csv", "csv"),
        ("a", "text/tab-separated-values", "csv"),
        ("a", "text/html; charset=gbk", "html"),
        ("a.csv", "text/plain", "csv"),
    ],
)
def test_the_type_decides_then_the_extension(name: str, content_type: str | None, expected: str) -> None:
    assert registry.detect(b"text", name=name, content_type=content_type) == expected


@pytest.mark.parametrize(
    "data",
    [
        b"<!DOCTYPE html>\n<p>x",
        b"\xef\xbb\xbf \n<HTML lang=en>",
        b"<?xml version='1.0'?>\n<!-- a -- b -->\n<!doctype   HTML>",
        "\ufeff<html>".encode("utf-16-le"),
    ],
)
@pytest.mark.parametrize("name", ["a.txt", "a.json", "a.md", "a.csv"])
def test_what_begins_as_html_is_html(data: bytes, name: str) -> None:
    assert registry.detect(data, name=name, content_type="text/plain") == "html"


@pytest.mark.parametrize("text", ["<htmlx>", "<p>x", "text <html>", "<!-- <html>", "<!doctypehtml>"])
def test_what_only_speaks_of_html_is_not(text: str) -> None:
    assert registry.detect(text.encode(), name="a.txt") == "text"


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ('{"a": [1, 2]}\n', "a.txt", "json"),
        ("\ufeff[1]", "a", "json"),
        ('{"a": 1}', "a.html", "json"),
        ('{"a": 1}', "a.md", "markdown"),
        ("[1]", "a.csv", "csv"),
        ("{not json}", "a.txt", "text"),
        ("[" * 100_000 + "]" * 100_000, "a.txt", "text"),
        ("[link](x)", "a.txt", "text"),
        ("12", "a.txt", "text"),
        ("[" + "9" * 10_000 + "]", "a.txt", "json"),
    ],
)
def test_text_without_a_format_of_its_own_is_json_if_it_is_some(text: str, name: str, expected: str) -> None:
    assert registry.detect(text.encode(), name=name) == expected


def test_comments_before_html_are_skipped_in_one_pass() -> None:
    assert registry.detect(b"<!--" * 1_000_000, name="a.txt") == "text"
    assert registry.detect(b"<!--" + b"-" * 4_000_000, name="a.txt") == "text"


def test_another_reader_can_be_asked_for() -> None:
    assert registry.read(b"a,b\n1,2\n", name="a.csv", reader_name="text").text == "a,b\n1,2\n"
    assert registry.read(b"<p>x", name="a.txt", reader_name="html").text == "x"


def test_an_unknown_reader_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(InvalidRequest, match=r"csv, .*html, json, jsonl, markdown, .*text") as refused:
        registry.read(b"x", name="a.txt", reader_name="magic")
    assert refused.value.detail["errors"][0]["loc"] == ["reader"]  # type: ignore[index] # a list of errors
