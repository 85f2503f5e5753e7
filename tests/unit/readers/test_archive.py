"""Zip archives from strangers: what is refused before anything is inflated, and what while it is."""

import io
import os
import struct
import warnings
import zipfile
import zlib

import pytest

from knowhub.readers.archive import MOST_ENTRY_BYTES, Archive, BrokenArchive, directory, repacked
from tests.office_files import archive


def reason(data: bytes, name: str | None = None) -> object:
    def read() -> None:
        opened = Archive(data)
        if name is not None:
            opened.read(name)

    with pytest.raises(BrokenArchive) as refused:
        read()
    return refused.value.detail["reason"]


def changed(data: bytes, old: bytes, new: bytes, count: int = -1) -> bytes:
    assert old in data
    return data.replace(old, new, count)


def test_entries_are_read_as_they_were_written() -> None:
    opened = Archive(archive({"a/b.xml": "text", "c": b"\0" * 10, "größe.xml": "ü"}))
    assert opened.names == ("a/b.xml", "c", "größe.xml")
    assert (opened.read("a/b.xml"), opened.read("c"), opened.read("größe.xml")) == (b"text", b"\0" * 10, "ü".encode())
    assert "c" in opened
    assert "d" not in opened


def test_stored_entries_and_comments_are_fine() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as written:
        written.comment = b"a comment"
        written.writestr("a", "text")
    assert Archive(buffer.getvalue()).read("a") == b"text"


def test_what_a_library_gets_is_what_was_measured() -> None:
    copied = repacked(Archive(archive({"a.xml": "x" * 5000, "big.bin": "y"})), lambda name: name.endswith(".xml"))
    with zipfile.ZipFile(io.BytesIO(copied)) as opened:
        assert opened.namelist() == ["a.xml"]
        assert opened.read("a.xml") == b"x" * 5000
        assert opened.infolist()[0].compress_type == zipfile.ZIP_STORED


def test_large_file_records_are_understood() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as written, written.open("a", "w", force_zip64=True) as entry:
        entry.write(b"text")
    assert Archive(buffer.getvalue()).read("a") == b"text"


def test_more_entries_than_an_office_file_has_are_refused() -> None:
    assert reason(archive(dict.fromkeys(map(str, range(10_001)), ""), method=zipfile.ZIP_STORED)) == "TOO_MANY_ENTRIES"


def test_an_entry_that_inflates_too_far_is_stopped_on_the_way() -> None:
    assert reason(archive({"a": b"\0" * 50_000_000}), "a") == "BOMB"


def test_a_small_entry_may_pack_well() -> None:
    assert Archive(archive({"a": b"\0" * 1_000_000})).read("a") == b"\0" * 1_000_000


def test_the_size_of_an_entry_is_capped() -> None:
    with pytest.raises(BrokenArchive, match="more than 100 bytes"):
        Archive(archive({"a": os.urandom(200)})).read("a", 100)
    with pytest.raises(BrokenArchive, match="more than 100 bytes"):
        Archive(archive({"a": os.urandom(200)}, method=zipfile.ZIP_STORED)).read("a", 100)


def test_all_that_is_read_of_an_archive_counts_together() -> None:
    opened = Archive(archive({"a": bytes(MOST_ENTRY_BYTES)}, method=zipfile.ZIP_STORED))
    assert len(opened.read("a")) + len(opened.read("a")) == 2 * MOST_ENTRY_BYTES
    with pytest.raises(BrokenArchive, match="more than 0 bytes"):
        opened.read("a")


@pytest.mark.parametrize("name", ["../a", "a/../../b", "/etc/passwd", "C:/a", "a\\..\\b", "\\a", "a/.."])
def test_names_that_lead_out_of_the_archive_are_refused(name: str) -> None:
    assert reason(archive({name: "x"})) == "UNSAFE_NAME"


def test_a_name_that_is_there_twice_is_refused() -> None:
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w") as written:
        warnings.simplefilter("ignore")
        written.writestr("a", "1")
        written.writestr("a", "2")
    assert reason(buffer.getvalue()) == "DUPLICATE_ENTRY"


def test_encrypted_entries_are_refused() -> None:
    data = bytearray(archive({"a": "x"}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert reason(bytes(data)) == "ENCRYPTED"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_methods_than_office_files_use_are_refused(method: int) -> None:
    assert reason(archive({"a": "x"}, method=method)) == "METHOD"


def test_a_directory_that_lies_about_a_size_is_refused() -> None:
    data = bytearray(archive({"a": "x" * 1000}))
    struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 24, 5)
    assert reason(bytes(data), "a") == "DAMAGED"


def test_content_that_does_not_fit_its_checksum_is_refused() -> None:
    data = archive({"a": "some text"}, method=zipfile.ZIP_STORED)
    assert reason(changed(data, b"some text", b"same text"), "a") == "DAMAGED"


def test_a_local_header_with_another_name_is_refused() -> None:
    data = archive({"aaaa": "x"})
    assert reason(changed(data, b"aaaa", b"bbbb", 1)) == "DAMAGED"


def test_entries_that_share_bytes_are_refused() -> None:
    """As in the bombs whose directory reaches the same packed bytes under many names."""
    inner = _local("b", b"inner")
    outer = _local("a", inner)
    records = _central("a", inner, 0) + _central("b", b"inner", len(outer) - len(inner))
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 2, 2, len(records), len(outer), 0)
    assert reason(outer + records + end) == "OVERLAP"


def _local(name: str, content: bytes) -> bytes:
    fields = (20, 0, 0, 0, 0, zlib.crc32(content), len(content), len(content), len(name), 0)
    return struct.pack("<4s5H3L2H", b"PK\x03\x04", *fields) + name.encode() + content


def _central(name: str, content: bytes, offset: int) -> bytes:
    head = (20, 20, 0, 0, 0, 0, zlib.crc32(content), len(content), len(content), len(name), 0, 0, 0, 0, 0, offset)
    return struct.pack("<4s6H3L5H2L", b"PK\x01\x02", *head) + name.encode()


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, 0.99])
def test_an_archive_that_is_cut_off_is_refused(share: float) -> None:
    data = archive({"a": os.urandom(2000), "b": "x"})
    assert reason(data[: int(len(data) * share)]) == "DAMAGED"


def test_bytes_before_the_archive_are_refused() -> None:
    assert reason(b"MZ program" + archive({"a": "x"})) == "DAMAGED"


def test_no_entry_is_inflated_for_the_directory() -> None:
    data = bytearray(archive({"a": "x" * 1000}))
    data[34:40] = b"\xff" * 6
    assert list(directory(bytes(data))) == ["a"]
    assert reason(bytes(data), "a") == "DAMAGED"


def test_an_entry_that_is_not_there_is_a_missing_part() -> None:
    assert reason(archive({"a": "x"}), "b") == "PART_MISSING"


def test_an_empty_entry_that_is_deflated_is_empty() -> None:
    assert Archive(archive({"empty.xml": "", "full.xml": "x"})).read("empty.xml") == b""
