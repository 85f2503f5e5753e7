"""XML parts: no document types, no entities, no depth without end."""

import pytest

from knowhub.errors import Unreadable
from knowhub.readers.archive import Archive
from knowhub.readers.archive_xml import parse, related, resolve
from tests.office_files import archive, relationships

LAUGHS = b'<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;&b;">]><a>&c;</a>'


def reason(data: bytes) -> object:
    with pytest.raises(Unreadable) as refused:
        parse(data)
    return refused.value.detail["reason"]


@pytest.mark.parametrize(
    "data",
    [
        LAUGHS,
        b'<?xml version="1.0"?>\n<!-- a comment -->' + LAUGHS,
        b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
        LAUGHS.decode().encode("utf-16"),
        b" " * 100_000 + LAUGHS,
    ],
)
def test_a_document_type_is_refused_however_it_is_written(data: bytes) -> None:
    assert reason(data) == "XML_DTD"


@pytest.mark.parametrize("data", [b"", b"text", b"<a>", b"<a></b>", b"<a>&unknown;</a>", b"\0\0", b"<a/><b/>"])
def test_broken_xml_says_so(data: bytes) -> None:
    assert reason(data) == "XML_BROKEN"


def test_depth_is_limited() -> None:
    assert parse(b"<a>" * 256 + b"</a>" * 256).tag == "a"
    assert reason(b"<a>" * 257 + b"</a>" * 257) == "TOO_DEEP"
    assert reason(b"<a>" * 100_000 + b"</a>" * 100_000) == "TOO_DEEP"


def test_very_many_attributes_take_no_longer_than_their_bytes() -> None:
    attributes = " ".join(f'a{number}="1"' for number in range(50_000))
    assert len(parse(f"<a {attributes}/>".encode()).keys()) == 50_000


def test_comments_and_instructions_are_no_content() -> None:
    assert "".join(parse(b"<a>x<!-- y -->z<?pi w?></a>").itertext()) == "xz"


@pytest.mark.parametrize(
    ("folder", "target", "expected"),
    [
        ("word", "styles.xml", "word/styles.xml"),
        ("ppt/slides", "../notesSlides/n1.xml", "ppt/notesSlides/n1.xml"),
        ("word", "/word/a%20b.xml", "word/a b.xml"),
        ("", "word/document.xml", "word/document.xml"),
        ("word", "../../../etc/passwd", "../../etc/passwd"),
    ],
)
def test_targets_name_entries(folder: str, target: str, expected: str) -> None:
    assert resolve(folder, target) == expected


def test_links_out_of_the_file_are_left_out() -> None:
    links = relationships([("styles", "styles.xml"), ("image", "http://a.example/x")], external=["http://a.example/x"])
    found = related(Archive(archive({"word/_rels/document.xml.rels": links})), "word/document.xml")
    assert [link.path for link in found.values()] == ["word/styles.xml"]
