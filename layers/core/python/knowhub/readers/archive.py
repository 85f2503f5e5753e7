"""Zip archives from strangers: a directory that is checked before anything is inflated, and caps while inflating.

Only what office formats need is accepted: entries stored or deflated, on one disk, without encryption. What is read is
measured byte by byte, whatever the directory claims.
"""

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO

from knowhub.errors import Unreadable

MOST_ENTRIES = 10_000
MOST_ENTRY_BYTES = 100 * 1024 * 1024
MOST_TOTAL_BYTES = 200 * 1024 * 1024
MOST_RATIO = 200
"""Inflated to packed bytes of an entry; XML of repeated cells reaches 60."""
RATIO_FLOOR_BYTES = 1024 * 1024
"""Below it a ratio says nothing: a blank sheet packs well, and this little harms nobody."""

_END = struct.Struct("<4s4H2LH")
_END64_LOCATOR = struct.Struct("<4sLQL")
_END64 = struct.Struct("<4sQ2H2L4Q")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_LONGEST_COMMENT = 0xFFFF
_ELSEWHERE_16, _ELSEWHERE_32 = 0xFFFF, 0xFFFFFFFF
"""A field that holds this value has its real one in the Zip64 record."""
_ENCRYPTED = 0x0001 | 0x0040
_UTF8 = 0x0800
_STORED, _DEFLATED = 0, 8
_STEP_BYTES = 256 * 1024


class BrokenArchive(Unreadable):
    """The archive is damaged or made to do harm; `detail["reason"]` says what it is."""

    def __init__(self, reason: str, message: str) -> None:
        """Give the reason as a stable code and in words."""
        super().__init__(f"the file's archive can't be read: {message}", {"reason": reason})


@dataclass(frozen=True, slots=True)
class Entry:
    """One file in the archive; `size` is what the directory claims of it."""

    name: str
    method: int
    crc: int
    packed: int
    size: int
    offset: int


class Archive:
    """An archive whose directory has been checked; entries are inflated when they are read."""

    def __init__(self, data: bytes) -> None:
        """Check the directory; raises `BrokenArchive`."""
        self._data = data
        self._left = MOST_TOTAL_BYTES
        self._entries = directory(data)
        _refuse_overlaps(data, self._entries)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    @property
    def names(self) -> tuple[str, ...]:
        """List the entries in the order of the directory."""
        return tuple(self._entries)

    def read(self, name: str, most_bytes: int = MOST_ENTRY_BYTES) -> bytes:
        """Inflate an entry; raises `BrokenArchive` where it is absent, damaged or over a cap.

        What all reads of this archive have inflated counts together.
        """
        entry = self._entries.get(name)
        if entry is None:
            raise BrokenArchive("PART_MISSING", f"{name!r} is not in it")
        data = inflate(self._data, entry, min(self._left, most_bytes))
        self._left -= len(data)
        return data


def repacked(archive: Archive, wanted: Callable[[str], bool], changed: Mapping[str, bytes] | None = None) -> bytes:
    """Write the wanted entries anew, not packed, for a library that opens archives by itself.

    What the library gets has been measured, and says one thing to every reader. `changed` are contents to write in
    place of the archive's own.
    """
    from zipfile import ZIP_STORED, ZipFile, ZipInfo  # noqa: PLC0415 - who only checks a directory does without it

    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_STORED) as written:
        for name in filter(wanted, archive.names):
            content = (changed or {}).get(name)
            written.writestr(ZipInfo(name), archive.read(name) if content is None else content)
    return buffer.getvalue()


def directory(data: bytes) -> dict[str, Entry]:
    """Read the central directory without inflating anything; raises `BrokenArchive` for what is refused."""
    start, count = _find(data)
    if count > MOST_ENTRIES:
        raise BrokenArchive("TOO_MANY_ENTRIES", f"{count} entries are more than {MOST_ENTRIES}")
    entries: dict[str, Entry] = {}
    for entry in _walk(data, start, count):
        _refuse_name(entry.name)
        if entry.name in entries:
            raise BrokenArchive("DUPLICATE_ENTRY", f"{entry.name!r} is in it twice")
        entries[entry.name] = entry
    return entries


def inflate(data: bytes, entry: Entry, most_bytes: int) -> bytes:
    """Inflate one entry, stopping at the caps, and compare what came out with what was claimed."""
    start, end = _extent(data, entry)
    packed = memoryview(data)[start:end]
    content = bytes(packed) if entry.method == _STORED else _inflate(packed, entry, most_bytes)
    if len(content) > most_bytes:
        raise BrokenArchive("TOO_LARGE", f"{entry.name!r} has more than {most_bytes} bytes")
    if len(content) != entry.size or zlib.crc32(content) != entry.crc:
        raise BrokenArchive("DAMAGED", f"{entry.name!r} is not what the directory says")
    return content


def _inflate(packed: memoryview, entry: Entry, most_bytes: int) -> bytes:
    allowed = max(RATIO_FLOOR_BYTES, len(packed) * MOST_RATIO)
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    content = bytearray()
    rest: bytes | memoryview = packed
    try:
        while not inflater.eof:
            part = inflater.decompress(rest, _STEP_BYTES)
            content += part
            rest = inflater.unconsumed_tail
            if len(content) > most_bytes:
                raise BrokenArchive("TOO_LARGE", f"{entry.name!r} has more than {most_bytes} bytes")
            if len(content) > allowed:
                raise BrokenArchive("BOMB", f"{entry.name!r} inflates to more than {MOST_RATIO} times its size")
            if not part and not rest and not inflater.eof:
                raise BrokenArchive("DAMAGED", f"{entry.name!r} ends too early")
    except zlib.error as error:
        raise BrokenArchive("DAMAGED", f"{entry.name!r} can't be inflated") from error
    return bytes(content)


def _find(data: bytes) -> tuple[int, int]:
    """Find the directory's start and number of entries by the record at the archive's end."""
    at = data.rfind(b"PK\x05\x06", max(0, len(data) - _END.size - _LONGEST_COMMENT))
    if at < 0 or at + _END.size > len(data):
        raise BrokenArchive("DAMAGED", "it has no directory")
    _, disk, first_disk, _, count, size, start, _ = _END.unpack_from(data, at)
    end = at
    if _ELSEWHERE_16 in (count, disk) or _ELSEWHERE_32 in (size, start):
        end, disk, first_disk, count, size, start = _find_large(data, at)
    if disk or first_disk:
        raise BrokenArchive("DAMAGED", "it is a part of several")
    if start + size != end:
        raise BrokenArchive("DAMAGED", "its directory is not where it says")
    return start, count


def _find_large(data: bytes, end: int) -> tuple[int, int, int, int, int, int]:
    """Read the Zip64 end record, whose place the locator before the plain record tells."""
    at = end - _END64_LOCATOR.size
    if at < 0 or not data.startswith(b"PK\x06\x07", at):
        raise BrokenArchive("DAMAGED", "its Zip64 record is missing")
    place = _END64_LOCATOR.unpack_from(data, at)[2]
    if place + _END64.size > at or not data.startswith(b"PK\x06\x06", place):
        raise BrokenArchive("DAMAGED", "its Zip64 record is missing")
    _, _, _, _, disk, first_disk, _, count, size, start = _END64.unpack_from(data, place)
    return place, disk, first_disk, count, size, start


def _walk(data: bytes, at: int, count: int) -> Iterator[Entry]:
    for _ in range(count):
        if at + _CENTRAL.size > len(data) or not data.startswith(b"PK\x01\x02", at):
            raise BrokenArchive("DAMAGED", "its directory is cut off")
        fields = _CENTRAL.unpack_from(data, at)
        flags, method, crc, packed, size = fields[3], fields[4], *fields[7:10]
        name_length, extra_length, comment_length, offset = *fields[10:13], fields[16]
        name_at = at + _CENTRAL.size
        extra_at = name_at + name_length
        name = _name(data[name_at:extra_at], flags)
        if flags & _ENCRYPTED:
            raise BrokenArchive("ENCRYPTED", f"{name!r} is encrypted")
        if method not in {_STORED, _DEFLATED}:
            raise BrokenArchive("METHOD", f"{name!r} is packed by method {method}")
        large = _large_fields(data[extra_at : extra_at + extra_length], (size, packed, offset))
        yield Entry(name, method, crc, large[1], large[0], large[2])
        at = extra_at + extra_length + comment_length


def _name(raw: bytes, flags: int) -> str:
    try:
        return raw.decode("utf-8" if flags & _UTF8 else "cp437")
    except UnicodeDecodeError as error:
        raise BrokenArchive("DAMAGED", "a name in it is no text") from error


def _large_fields(extra: bytes, fields: tuple[int, int, int]) -> list[int]:
    """Take the fields that don't fit 32 bits from the Zip64 record, which has just those, in order."""
    values = list(fields)
    wanted = [at for at, value in enumerate(values) if value == _ELSEWHERE_32]
    while wanted and len(extra) >= 4:  # noqa: PLR2004 - each record's kind and length
        kind, length = struct.unpack_from("<2H", extra)
        body, extra = extra[4 : 4 + length], extra[4 + length :]
        if kind == 1 and len(body) >= 8 * len(wanted):
            for number, at in enumerate(wanted):
                values[at] = int(struct.unpack_from("<Q", body, 8 * number)[0])
            return values
    return values


def _refuse_name(name: str) -> None:
    """Refuse names that would leave the archive, although nothing is ever written under them."""
    parts = name.replace("\\", "/").split("/")
    if not name or "\x00" in name or ".." in parts or not parts[0] or ":" in parts[0]:
        raise BrokenArchive("UNSAFE_NAME", f"the name {name[:100]!r} leads out of it")


def _refuse_overlaps(data: bytes, entries: Mapping[str, Entry]) -> None:
    """Refuse entries that share bytes: that is how few of them inflate to very many."""
    reached = 0
    for entry in sorted(entries.values(), key=lambda entry: entry.offset):
        if entry.offset < reached:
            raise BrokenArchive("OVERLAP", f"{entry.name!r} shares bytes with another")
        _, reached = _extent(data, entry)


def _extent(data: bytes, entry: Entry) -> tuple[int, int]:
    """Find an entry's bytes behind its local header, which must carry the same name."""
    if entry.offset + _LOCAL.size > len(data) or not data.startswith(b"PK\x03\x04", entry.offset):
        raise BrokenArchive("DAMAGED", f"{entry.name!r} is not where the directory says")
    fields = _LOCAL.unpack_from(data, entry.offset)
    flags, name_length, extra_length = fields[2], fields[9], fields[10]
    name_at = entry.offset + _LOCAL.size
    if _name(data[name_at : name_at + name_length], flags) != entry.name:
        raise BrokenArchive("DAMAGED", f"{entry.name!r} has another name at its place")
    start = name_at + name_length + extra_length
    if start + entry.packed > len(data):
        raise BrokenArchive("DAMAGED", f"{entry.name!r} is cut off")
    return start, start + entry.packed
