"""Which reader bytes get, whatever their name says, without any library and without inflating them."""

import re
import zipfile

import pytest

from knowhub.errors import UnsupportedMediaType
from knowhub.readers import registry
from knowhub.readers.sniffing import sniff
from tests.office_files import archive, docx, ods, paragraph, pptx, rows, shape, xlsx
from tests.ole_files import ole, word
from tests.pdf_files import Words, pdf

TYPES = "application/vnd.openxmlformats-officedocument"


def declaring(content_type: str) -> bytes:
    return archive({"[Content_Types].xml": f'<Types><Override PartName="/a" ContentType="{content_type}"/></Types>'})


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (pdf([[Words("x", 1, 1)]]), "pdf"),
        (b"\x00junk\n%PDF-1.4\n", "pdf"),
        (docx(paragraph("x")), "docx"),
        (xlsx({"T": rows(["x"])}), "sheets"),
        (pptx([shape("x")]), "pptx"),
        (ods({"T": ""}), "sheets"),
        (ole(word([("x", True)])), "doc"),
        (ole({"Workbook": b"x"}), "sheets"),
        (ole({"Book": b"x"}), "sheets"),
        (ole({"EncryptionInfo": b"x", "EncryptedPackage": b"x"}), "doc"),
        (declaring("application/vnd.ms-word.document.macroEnabled.main+xml"), "docx"),
        (declaring("application/vnd.ms-excel.sheet.macroEnabled.main+xml"), "sheets"),
        (declaring(f"{TYPES}.presentationml.slideshow.main+xml"), "pptx"),
        (declaring(f"{TYPES}.wordprocessingml.template.main+xml"), "docx"),
        (docx(paragraph("x"))[:-40], "docx"),
        (archive({"[Content_Types].xml": "x", "word/document.xml": "x", "../a": "x"}), "docx"),
    ],
)
@pytest.mark.parametrize(("name", "content_type"), [("a.md", "text/markdown"), ("a", None), ("a.xls", "text/csv")])
def test_the_bytes_decide(data: bytes, expected: str, name: str, content_type: str | None) -> None:
    assert registry.detect(data, name=name, content_type=content_type) == expected


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (archive({"a.txt": "x"}), "application/zip"),
        (archive({}), "application/zip"),
        (archive({"[Content_Types].xml": "<Types/>", "word/document.xml": "x"}), "application/zip"),
        (declaring("application/vnd.ms-excel.sheet.binary.macroEnabled.main"), "application/zip"),
        (archive({"mimetype": "application/epub+zip"}), "application/epub+zip"),
        (archive({"mimetype": "application/vnd.oasis.opendocument.text"}), "opendocument.text"),
        (archive({"lib/a.class": "x", "META-INF/MANIFEST.MF": "x"}), "application/zip"),
        (ole({"PowerPoint Document": b"x"}), "ole-storage"),
        (ole({"__properties_version1.0": b"x"}), "ole-storage"),
        (b"\x89PNG\r\n\x1a\n\0", "image/png"),
        (b"MZ\x90\x00\x03", "msdownload"),
        (b"\x7fELF\x02", "elf"),
    ],
)
@pytest.mark.parametrize("name", ["a.docx", "a.pdf", "a.txt"])
def test_what_no_reader_takes_is_refused_by_its_type(data: bytes, media_type: str, name: str) -> None:
    with pytest.raises(UnsupportedMediaType, match=re.escape(media_type)):
        registry.detect(data, name=name)


def test_mail_is_told_by_type_or_extension() -> None:
    assert registry.detect(b"Subject: x\n\nbody", name="a.EML") == "eml"
    assert registry.detect(b"Subject: x\n\nbody", name="a", content_type="message/rfc822") == "eml"
    assert registry.detect(b"Subject: x\n\nbody", name="a.txt") == "text"


def test_content_types_with_a_document_type_or_a_bomb_in_them_are_not_followed() -> None:
    doctype = '<!DOCTYPE a [<!ENTITY b "b">]><Types><Override ContentType="x.wordprocessingml.main+xml"/></Types>'
    for content in (doctype, " " * 50_000_000):
        data = archive({"[Content_Types].xml": content}, method=zipfile.ZIP_DEFLATED)
        assert sniff(data) == "application/zip"


def test_other_parts_are_not_inflated_to_tell_the_type() -> None:
    data = bytearray(docx(paragraph("x" * 5000)))
    at = data.index(b"word/document.xml") + len("word/document.xml")
    data[at : at + 20] = b"\xff" * 20
    assert registry.detect(bytes(data), name="a") == "docx"


def test_a_reader_in_a_process_of_its_own_needs_one() -> None:
    with pytest.raises(UnsupportedMediaType, match="not read in this place"):
        registry.read(docx(paragraph("x")), name="a.docx")


def test_a_word_file_within_a_workbook_does_not_make_it_one() -> None:
    assert registry.detect(ole({"Workbook": b"x", "WordDocument": b"y"}), name="a") == "sheets"
