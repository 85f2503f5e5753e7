"""Damaged files of every format: whatever the damage, a document or a reason, never another error."""

import io
import zipfile
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowhub.errors import Unreadable, UnsupportedMediaType
from knowhub.model.extraction import ReadDocument
from knowhub.readers import doc, docx, eml, pdf, pptx, sheets
from tests import office_files, ole_files, pdf_files
from tests.office_files import archive, cell, paragraph, rows, shape

MAIL = (
    b"From: a@b\nSubject: =?utf-8?b?w7w=?=\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n"
    b"--x\nContent-Type: multipart/alternative; boundary=y\n\n--y\nContent-Type: text/plain; charset=utf-8\n"
    b"Content-Transfer-Encoding: quoted-printable\n\nhi=C3=A4\n--y--\n--x\nContent-Type: application/pdf; "
    b"name*=utf-8''%C3%A4.pdf\nContent-Transfer-Encoding: base64\n\nAAAA\n--x\nContent-Type: message/rfc822\n\n"
    b"Subject: i\n\nz\n--x--\n"
)
ROW = '<table:table-row><table:table-cell office:value-type="date" office:date-value="2024-02-29"/></table:table-row>'
TABLE = "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc><w:tc/></w:tr></w:tbl>"

Read = Callable[[bytes, str], ReadDocument]
PLAIN: dict[str, tuple[Read, bytes]] = {
    "pdf": (pdf.read, pdf_files.pdf([[pdf_files.Words(f"line {at}", 60, 700 - 12 * at) for at in range(5)]])),
    "doc": (doc.read, ole_files.ole(ole_files.word([("text \x13 f \x14 r\x15\r", True), ("中文\r", False)]))),
    "eml": (eml.read, MAIL),
    "docx": (docx.read, office_files.docx(paragraph("x"))),
}
ARCHIVES: dict[str, tuple[Read, bytes]] = {
    "docx": (docx.read, office_files.docx(paragraph("x") + TABLE)),
    "xlsx": (
        sheets.read,
        office_files.xlsx({"T": rows(["a", 1]), "U": f"<sheetData>{cell('A1', 45000, 1)}</sheetData>"}),
    ),
    "ods": (sheets.read, office_files.ods({"T": ROW})),
    "pptx": (pptx.read, office_files.pptx([shape("a", kind="title", at=(1, 2))], notes={1: shape("n")})),
}
DAMAGE = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 20), st.binary(max_size=6)), min_size=1, max_size=6)
"""Where, how many bytes are taken out, and what is put in."""


def damaged(data: bytes, damage: list[tuple[float, int, bytes]]) -> bytes:
    for place, taken, put in damage:
        at = int(place * len(data))
        data = data[:at] + put + data[at + taken :]
    return data


def read_or_refuse(read: Read, data: bytes) -> None:
    with suppress(Unreadable, UnsupportedMediaType):
        assert read(data, "a").text.strip()


@pytest.mark.parametrize("kind", PLAIN)
@settings(max_examples=60, deadline=None)
@given(damage=DAMAGE)
def test_damaged_bytes_give_a_document_or_a_reason(kind: str, damage: list[tuple[float, int, bytes]]) -> None:
    read, data = PLAIN[kind]
    read_or_refuse(read, damaged(data, damage))


@pytest.mark.parametrize("kind", ARCHIVES)
@settings(max_examples=60, deadline=None)
@given(which=st.integers(0, 100), damage=DAMAGE)
def test_damaged_parts_give_a_document_or_a_reason(
    kind: str, which: int, damage: list[tuple[float, int, bytes]]
) -> None:
    read, data = ARCHIVES[kind]
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        parts = {name: opened.read(name) for name in opened.namelist()}
    name = list(parts)[which % len(parts)]
    read_or_refuse(read, archive({**parts, name: damaged(parts[name], damage)}))
