"""Compound files (OLE) and Word's binary documents made by hand."""

import struct
from collections.abc import Mapping, Sequence

SECTOR = 512
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_CUTOFF = 4096
"""Streams below it would need the small sectors, which this writer does without."""


def ole(streams: Mapping[str, bytes]) -> bytes:
    """Write a compound file with these streams beneath its root, each padded to 4096 bytes."""
    padded = {name: data.ljust(_CUTOFF, b"\0") for name, data in streams.items()}
    directory_sectors = -(-(1 + len(padded)) // 4)
    chains: list[int] = [*range(1, directory_sectors), _END]
    starts: dict[str, int] = {}
    for name, data in padded.items():
        starts[name] = len(chains)
        count = -(-len(data) // SECTOR)
        chains.extend([*range(starts[name] + 1, starts[name] + count), _END])
    fat_sectors = 1
    while fat_sectors * 128 < len(chains) + fat_sectors:
        fat_sectors += 1
    fat_at = len(chains)
    table = [*chains, *[_FAT] * fat_sectors]
    table += [_FREE] * (fat_sectors * 128 - len(table))
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6, 0, fat_sectors, 0, 0,
        _CUTOFF, _END, 0, _END, 0,
    )  # fmt: skip
    listed = [fat_at + at for at in range(fat_sectors)] + [_FREE] * (109 - fat_sectors)
    records = _record("Root Entry", 5, child=1 if padded else _FREE)
    for number, (name, data) in enumerate(padded.items(), start=1):
        right = number + 1 if number < len(padded) else _FREE
        records += _record(name, 2, right=right, start=starts[name], size=len(data))
    records = records.ljust(directory_sectors * SECTOR, b"\0")
    body = b"".join(data.ljust(-(-len(data) // SECTOR) * SECTOR, b"\0") for data in padded.values())
    return header + struct.pack("<109I", *listed) + records + body + struct.pack(f"<{len(table)}I", *table)


def _record(name: str, kind: int, *, right: int = _FREE, child: int = _FREE, start: int = _END, size: int = 0) -> bytes:
    raw = (name + "\0").encode("utf-16-le")
    return struct.pack("<64sHBBIII36xIQ", raw, len(raw), kind, 1, _FREE, right, child, start, size)


def word(
    pieces: Sequence[tuple[str, bool]], *, flags: int = 0, version: int = 0xC1, properties: bytes = b""
) -> dict[str, bytes]:
    """Give the streams of a document whose text is in pieces, each with whether it has one byte a character.

    The pieces are stored in the opposite order, so that only the piece table tells how they follow.
    """
    text = bytearray()
    places = []
    for content, narrow in reversed(pieces):
        at = 2048 + len(text)
        text += content.encode("cp1252" if narrow else "utf-16-le")
        places.append((at * 2 | 0x40000000) if narrow else at)
        text += b"\0" * (len(text) % 2)
    places.reverse()
    positions = [0]
    for content, _ in pieces:
        positions.append(positions[-1] + len(content))
    plan = struct.pack(f"<{len(positions)}I", *positions)
    plan += b"".join(struct.pack("<HIH", 0, place, 0) for place in places)
    table = properties + b"\x02" + struct.pack("<I", len(plan)) + plan
    head = bytearray(2048)
    struct.pack_into("<HH", head, 0, 0xA5EC, version)
    struct.pack_into("<H", head, 0x0A, flags)
    struct.pack_into("<I", head, 0x4C, positions[-1])
    struct.pack_into("<II", head, 0x1A2, 0, len(table))
    return {"WordDocument": bytes(head + text), "1Table" if flags & 0x0200 else "0Table": table}


def workbook(
    sheets: Mapping[str, Sequence[Sequence[float | str]]],
    *,
    hidden: Sequence[str] = (),
    beside: Mapping[str, bytes] | None = None,
) -> dict[str, bytes]:
    """Give the stream of an Excel workbook of before 2007, of text and numbers; `beside` adds records to sheets."""
    bodies = [_sheet(rows, (beside or {}).get(name, b"")) for name, rows in sheets.items()]
    start = biff(0x0809, struct.pack("<HHHHII", 0x0600, 0x0005, 0, 0, 0, 0)) + biff(0x0042, b"\xb0\x04")
    end = biff(0x000A, b"")
    listed = [struct.pack("<HBB", int(name in hidden), len(name), 0) + name.encode("latin-1") for name in sheets]
    at = len(start) + sum(4 + 4 + len(entry) for entry in listed) + len(end)
    for entry, body in zip(listed, bodies, strict=True):
        start += biff(0x0085, struct.pack("<I", at) + entry)
        at += len(body)
    return {"Workbook": start + end + b"".join(bodies)}


def _sheet(rows: Sequence[Sequence[float | str]], beside: bytes) -> bytes:
    body = biff(0x0809, struct.pack("<HHHHII", 0x0600, 0x0010, 0, 0, 0, 0))
    for row, values in enumerate(rows):
        for column, value in enumerate(values):
            place = struct.pack("<HHH", row, column, 0)
            if isinstance(value, str):
                body += biff(0x0204, place + struct.pack("<HB", len(value), 1) + value.encode("utf-16-le"))
            else:
                body += biff(0x0203, place + struct.pack("<d", value))
    return body + beside + biff(0x000A, b"")


def shape(kind: int, number: int, text: str) -> list[bytes]:
    """Write the records of a shape: what it is, and its text where it has any."""
    records = [biff(0x005D, struct.pack("<HHHHH12x", 0x15, 0x12, kind, number, 0))]
    if text:
        content = b"\x01" + text.encode("utf-16-le")
        records += [
            biff(0x01B6, struct.pack("<10xHH4x", len(text), 16)),
            biff(0x003C, content),
            biff(0x003C, b"\0" * 16),
        ]
    return records


def biff(kind: int, data: bytes) -> bytes:
    """Write a record of a workbook's stream."""
    return struct.pack("<HH", kind, len(data)) + data
