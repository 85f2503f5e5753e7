"""Formats that their first bytes tell, whatever the name says; of archives, what they declare of themselves."""

from collections.abc import Callable
from types import MappingProxyType

from knowhub.readers import archive_types, doc_types

_SIGNATURES: tuple[tuple[bytes, int, str], ...] = (
    (b"%PDF-", 0, "application/pdf"),
    (b"PK\x03\x04", 0, "application/zip"),
    (b"PK\x05\x06", 0, "application/zip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0, "application/x-ole-storage"),
    (b"\x89PNG\r\n\x1a\n", 0, "image/png"),
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"GIF87a", 0, "image/gif"),
    (b"GIF89a", 0, "image/gif"),
    (b"WEBP", 8, "image/webp"),
    (b"II*\x00", 0, "image/tiff"),
    (b"MM\x00*", 0, "image/tiff"),
    (b"\x1f\x8b", 0, "application/gzip"),
    (b"BZh", 0, "application/x-bzip2"),
    (b"\xfd7zXZ\x00", 0, "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", 0, "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", 0, "application/vnd.rar"),
    (b"\x7fELF", 0, "application/x-elf"),
    (b"MZ\x90\x00", 0, "application/x-msdownload"),
    (b"SQLite format 3\x00", 0, "application/vnd.sqlite3"),
    (b"{\\rtf", 0, "application/rtf"),
    (b"OggS", 0, "application/ogg"),
    (b"ID3", 0, "audio/mpeg"),
    (b"fLaC", 0, "audio/flac"),
    (b"ftyp", 4, "video/mp4"),
    (b"WAVE", 8, "audio/wav"),
    (b"\x1aE\xdf\xa3", 0, "video/webm"),
    (b"wOFF", 0, "font/woff"),
    (b"wOF2", 0, "font/woff2"),
)
_TEXT_LIKE = frozenset({"application/x-bzip2", "audio/mpeg", "video/mp4", "image/webp", "audio/wav", "application/ogg"})
"""Types whose signature is made of letters that may begin a text as well; these need a byte that no text has."""

_CONTAINERS: MappingProxyType[str, Callable[[bytes], str]] = MappingProxyType(
    {"application/zip": archive_types.media_type, "application/x-ole-storage": doc_types.media_type}
)
_HEAD_BYTES = 4096
_PDF_HEADER_BYTES = 1024
"""A PDF header may stand anywhere in these first bytes (ISO 32000-1, annex H)."""


def sniff(data: bytes) -> str | None:
    """Name the binary format that the first bytes tell; None where they may be text."""
    head = data[:_HEAD_BYTES]
    for signature, offset, media_type in _SIGNATURES:
        if head.startswith(signature, offset) and (media_type not in _TEXT_LIKE or _has_binary(head)):
            inside = _CONTAINERS.get(media_type)
            return media_type if inside is None else inside(data)
    return "application/pdf" if _is_late_pdf(head) else None


def _has_binary(head: bytes) -> bool:
    return b"\x00" in head


def _is_late_pdf(head: bytes) -> bool:
    """Whether a PDF header follows bytes that are no text."""
    at = head.find(b"%PDF-", 0, _PDF_HEADER_BYTES)
    return at > 0 and any(byte > 127 or byte == 0 for byte in head[: at + 64])  # noqa: PLR2004 - beyond ASCII
