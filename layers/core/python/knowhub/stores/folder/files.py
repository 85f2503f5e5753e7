"""One blob's file: a head with its content type, then its bytes, so that one rename replaces both.

The head is `khb1`, the content type's length in one byte, and the content type.
"""

import os
from typing import BinaryIO

from knowhub.errors import Internal

_MAGIC = b"khb1"


def head_of(content_type: str) -> bytes:
    """Write the head; a content type has at most 255 ASCII characters."""
    name = content_type.encode("ascii")
    return _MAGIC + bytes([len(name)]) + name


def read_head(file: BinaryIO) -> tuple[str, int]:
    """Read the content type and the number of bytes that follow it; leaves the file before the first of them."""
    start = file.read(len(_MAGIC) + 1)
    if len(start) != len(_MAGIC) + 1 or not start.startswith(_MAGIC):
        raise Internal("A file in the blob folder was not written by knowhub")
    name = file.read(start[-1])
    size = os.fstat(file.fileno()).st_size - file.tell()
    return name.decode("ascii"), size
