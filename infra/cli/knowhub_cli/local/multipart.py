"""`multipart/form-data` with one file, as a browser sends it to a presigned address."""

import re
from dataclasses import dataclass
from email.message import Message
from typing import Final

from knowhub.errors import InvalidRequest

_MAX_FIELDS: Final = 40
_DISPOSITION: Final = re.compile(rb"^content-disposition:\s*form-data\s*;(.*)$", re.IGNORECASE)
_TYPE: Final = re.compile(rb"^content-type:\s*(.+?)\s*$", re.IGNORECASE)
_NAME: Final = re.compile(rb'(?:^|[;\s])name="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Form:
    """The fields before the member `file`, and that member; what follows it is ignored, as S3 does."""

    fields: dict[str, str]
    content_type: str
    data: bytes


def parse_form(content_type: str, body: bytes) -> Form:
    """Read the form; raises `InvalidRequest` where it is none or has no member `file`."""
    boundary = _boundary(content_type)
    fields: dict[str, str] = {}
    for head, start, end in _parts(body, boundary):
        name, part_type = _described(head)
        if name == "file":
            return Form(fields, fields.get("Content-Type") or part_type, body[start:end])
        if len(fields) >= _MAX_FIELDS:
            raise InvalidRequest("The form has too many fields")
        fields[name] = body[start:end].decode("utf-8", "replace")
    raise InvalidRequest("The form has no member 'file'")


def _boundary(content_type: str) -> bytes:
    message = Message()
    message["Content-Type"] = content_type
    boundary = message.get_param("boundary")
    if message.get_content_type() != "multipart/form-data" or not isinstance(boundary, str) or not boundary:
        raise InvalidRequest("An upload is a multipart/form-data request with a boundary")
    return boundary.encode("latin-1", "replace")


def _parts(body: bytes, boundary: bytes) -> "list[tuple[bytes, int, int]]":
    """Find each part's head and where its data lies; the body is not copied, it may be large."""
    parts: list[tuple[bytes, int, int]] = []
    mark = b"\r\n--" + boundary
    # The first boundary may stand at the very beginning, where no line end comes before it.
    position = len(mark) - 2 if body.startswith(mark[2:]) else _after(body, mark, 0)
    while position >= 0 and not body.startswith(b"--", position):
        head_end = body.find(b"\r\n\r\n", position)
        end = -1 if head_end < 0 else body.find(mark, head_end + 2)
        if end < 0:
            raise InvalidRequest("The form ends within a part")
        parts.append((body[position:head_end], min(head_end + 4, end), end))
        position = end + len(mark)
    return parts


def _after(body: bytes, mark: bytes, start: int) -> int:
    found = body.find(mark, start)
    return -1 if found < 0 else found + len(mark)


def _described(head: bytes) -> tuple[str, str]:
    name, content_type = "", "application/octet-stream"
    for line in head.split(b"\r\n"):
        if (disposition := _DISPOSITION.match(line)) and (found := _NAME.search(disposition[1])):
            name = found[1].decode("utf-8", "replace")
        elif stated := _TYPE.match(line):
            content_type = stated[1].decode("latin-1")
    if not name:
        raise InvalidRequest("A part of the form has no name")
    return name, content_type
