"""Small PDF files made by hand, whole and broken."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5

FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"


@dataclass(frozen=True)
class Words:
    """A line of text with its left end and baseline, in points from the bottom left of the page."""

    text: str
    x: float
    y: float
    size: float = 10


def content(words: Sequence[Words]) -> bytes:
    lines = []
    for word in words:
        shown = word.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        lines.append(f"BT /F1 {word.size} Tf 1 0 0 1 {word.x} {word.y} Tm ({shown}) Tj ET")
    return "\n".join(lines).encode("cp1252")


def pdf(
    pages: Sequence[Sequence[Words] | bytes],
    *,
    extra: Mapping[str, str] | None = None,
    page: str = "/MediaBox [0 0 595 842]",
    font: bytes = FONT,
    trailer: str = "",
    catalog: str = "",
) -> bytes:
    """Write a PDF with one object for the catalog, the page tree, the font, then two a page; `extra` objects follow."""
    objects: list[bytes] = [f"<< /Type /Catalog /Pages 2 0 R {catalog} >>".encode()]
    kids = " ".join(f"{4 + 2 * index} 0 R" for index in range(len(pages)))
    objects.extend((f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(), font))
    for index, drawn in enumerate(pages):
        stream = drawn if isinstance(drawn, bytes) else content(drawn)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R {page} /Contents {5 + 2 * index} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    objects.extend(text.encode("latin-1") for text in (extra or {}).values())
    return assemble(objects, trailer)


def assemble(objects: Sequence[bytes], trailer: str = "") -> bytes:
    """Give the objects numbers from 1 and write the table of where they are."""
    data = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    data += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\n".encode()
    return bytes(data + b"startxref\n%d\n%%%%EOF\n" % start)


_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def encrypted(words: Sequence[Words], user_password: bytes) -> bytes:
    """Write a PDF of one page under the standard handler's first revision; an empty password lets everybody read."""
    owner = _rc4(md5((b"owner" + _PADDING)[:32], usedforsecurity=False).digest()[:5], (user_password + _PADDING)[:32])
    rights, identity = struct.pack("<i", -44), b"0123456789abcdef"
    key = md5((user_password + _PADDING)[:32] + owner + rights + identity, usedforsecurity=False).digest()[:5]
    stream_key = md5(key + b"\x05\0\0\0\0", usedforsecurity=False).digest()[:10]
    page = _rc4(stream_key, content(words))
    dictionary = f"<< /Filter /Standard /V 1 /R 2 /P -44 /O <{owner.hex()}> /U <{_rc4(key, _PADDING).hex()}> >>"
    trailer = f"/Encrypt 6 0 R /ID [<{identity.hex()}> <{identity.hex()}>]"
    return pdf([page], extra={"encrypt": dictionary}, trailer=trailer)


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    at = 0
    for number in range(256):
        at = (at + state[number] + key[number % len(key)]) % 256
        state[number], state[at] = state[at], state[number]
    out = bytearray()
    first = second = 0
    for byte in data:
        first = (first + 1) % 256
        second = (second + state[first]) % 256
        state[first], state[second] = state[second], state[first]
        out.append(byte ^ state[(state[first] + state[second]) % 256])
    return bytes(out)
