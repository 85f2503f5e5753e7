"""How a blob key becomes a path that every file system keeps apart, and back.

Each segment is written in the characters `a-z 0-9 - _ .`; every other byte of its UTF-8 becomes `%xx`, capital letters
too, so that neither a file system that ignores case nor one that normalises Unicode can mix up two keys. A folder has
the bare name and a file ends in `@`, so `a` and `a/b` live side by side. A segment too long for one name goes on in a
folder whose name ends in `+`. Neither mark is ever written for a character of a key.
"""

import re
from urllib.parse import unquote

NAME_CHARACTERS = 120
"""Of a written segment in one name: well below the 255 bytes of most file systems and the 143 of encrypted ones."""

FILE_MARK = "@"
LONG_MARK = "+"

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_.")


def path_of(key: str) -> tuple[str, ...]:
    """Give the names of the key's folders and, last, of its file."""
    *folders, leaf = key.split("/")
    names = [name for segment in folders for name in _names(segment)]
    *long, last = _names(leaf)
    return (*names, *long, last + FILE_MARK)


def segment_of(written: str) -> str | None:
    """Read a written segment, marks removed and parts joined; None for what `path_of` never writes."""
    try:
        segment = unquote(written, errors="strict")
    except UnicodeDecodeError:
        return None
    return segment if segment and _written(segment) == written else None


def _names(segment: str) -> list[str]:
    *long, last = _chunks(_written(segment))
    return [*(chunk + LONG_MARK for chunk in long), last]


def _written(segment: str) -> str:
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02x}" for byte in segment.encode())


def _chunks(written: str) -> list[str]:
    # At most 40 escapes or 120 plain characters: an escape is never cut.
    chunks = [""]
    for token in re.findall(r"%..|[^%]", written):
        if len(chunks[-1]) + len(token) > NAME_CHARACTERS:
            chunks.append("")
        chunks[-1] += token
    return chunks
