"""What goes over the pipes between the reader and its child: frames with their length before them, JSON in them.

An answer is data from a process that hostile bytes may have taken over, so it is checked member by member.
"""

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any, BinaryIO, cast

from knowhub.model.document import Loss
from knowhub.model.extraction import MOST_ATTACHMENTS, Attachment, Place, ReadDocument

HEAD = struct.Struct(">I")
"""The length of what follows, in bytes."""

MOST_BYTES = 512 * 1024 * 1024
"""Of an answer, and of each frame: text and places of the largest document that is kept are below it."""

LOCKED, UNLOCKED = b"locked", b"unlocked"
"""What the process says once it is ready: whether the kernel locked it."""


class BrokenFrame(Exception):
    """The other side stopped, or sent what is not in the protocol."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a document was not read: `kind` is `unreadable` or `unsupported`, `spent` that the child ends itself."""

    kind: str
    message: str
    detail: Mapping[str, object]
    spent: bool = False


def frame(payload: bytes) -> bytes:
    """Put the length before a payload."""
    return HEAD.pack(len(payload)) + payload


def read_frame(stream: BinaryIO) -> bytes | None:
    """Read one frame; None at the end of the stream, and `BrokenFrame` where it ends within a frame."""
    head = stream.read(HEAD.size)
    if not head:
        return None
    length = frame_length(head)
    payload = stream.read(length)
    if len(payload) < length:
        raise BrokenFrame("the stream ended within a frame")
    return payload


def frame_length(head: bytes) -> int:
    """Unpack a length; raises `BrokenFrame` for one over the limit."""
    if len(head) < HEAD.size:
        raise BrokenFrame("the stream ended within a length")
    length = int(HEAD.unpack(head)[0])
    if length > MOST_BYTES:
        raise BrokenFrame(f"a frame of {length} bytes")
    return length


def encode_failure(failure: Failure) -> bytes:
    """Write a failure as the one frame of an answer."""
    members = {"kind": failure.kind, "message": failure.message, "detail": dict(failure.detail), "spent": failure.spent}
    return json.dumps({"failure": members}).encode()


def encode_document(document: ReadDocument) -> list[bytes]:
    """Write a document: one frame of JSON, then one for each attachment's bytes."""
    members = {
        "text": document.text,
        "chunker_name": document.chunker_name,
        "title": document.title,
        "metadata": dict(document.metadata),
        "losses": [astuple(loss) for loss in document.losses],
        "encoding": document.encoding,
        "preserve_lines": document.preserve_lines,
        "header_lines": document.header_lines,
        "places": [
            (each.start, each.end, each.page, each.box, each.sheet, each.row, each.slide) for each in document.places
        ],
        "breaks": document.breaks,
        "attachments": [
            (each.name, each.content_type, each.within, dict(each.metadata)) for each in document.attachments
        ],
    }
    return [json.dumps(members).encode(), *(each.data for each in document.attachments)]


def decode_answer(payload: bytes) -> dict[str, Any] | Failure:
    """Read the first frame of an answer: a document's members or a failure; raises `BrokenFrame`."""
    try:
        members = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise BrokenFrame("an answer that is not JSON") from error
    if not isinstance(members, dict):
        raise BrokenFrame("an answer that is no object")
    failure = members.get("failure")
    if failure is None:
        return members
    if not isinstance(failure, dict) or not isinstance(failure.get("detail"), dict):
        raise BrokenFrame("a failure without its detail")
    return Failure(
        str(failure.get("kind")), str(failure.get("message")), failure["detail"], failure.get("spent") is True
    )


def attachment_count(members: Mapping[str, Any]) -> int:
    """Say how many frames follow; raises `BrokenFrame` for too many."""
    attachments = members.get("attachments")
    if not isinstance(attachments, list) or len(attachments) > MOST_ATTACHMENTS:
        raise BrokenFrame("attachments that are no list, or too many")
    return len(attachments)


def decode_document(members: Mapping[str, Any], contents: Sequence[bytes]) -> ReadDocument:
    """Build the document of an answer; raises `BrokenFrame` where a member is missing or of another type."""
    try:
        return ReadDocument(
            text=_text(members["text"]),
            chunker_name=_text(members["chunker_name"]),
            title=_optional(members["title"], str),
            metadata={_text(key): value for key, value in members["metadata"].items()},
            losses=tuple(Loss(_text(code), _text(where), _text(detail)) for code, where, detail in members["losses"]),
            encoding=_optional(members["encoding"], str),
            preserve_lines=members["preserve_lines"] is True,
            header_lines=_number(members["header_lines"]),
            places=tuple(map(_place, members["places"])),
            breaks=tuple(map(_number, members["breaks"])),
            attachments=tuple(
                _attachment(at, values, data)
                for at, (values, data) in enumerate(zip(members["attachments"], contents, strict=True))
            ),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BrokenFrame("an answer with a member missing or of another type") from error


def _attachment(at: int, values: Sequence[Any], data: bytes) -> Attachment:
    name, content_type, within, metadata = values
    if within is not None and not 0 <= _number(within) < at:
        raise ValueError(within)
    return Attachment(
        _text(name), _text(content_type), data, within, {_text(key): _text(value) for key, value in metadata.items()}
    )


def _place(values: Sequence[Any]) -> Place:
    start, end, page, box, sheet, row, slide = values
    return Place(
        start=_number(start),
        end=_number(end),
        page=_optional(page, int),
        box=None if box is None else _box(box),
        sheet=_optional(sheet, str),
        row=_optional(row, int),
        slide=_optional(slide, int),
    )


def _box(values: Sequence[Any]) -> tuple[float, float, float, float]:
    left, top, right, bottom = (float(value) for value in values)
    return left, top, right, bottom


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(type(value))
    # A text that can't be encoded could be stored nowhere.
    value.encode()
    return value


def _number(value: object) -> int:
    if type(value) is not int:
        raise TypeError(type(value))
    return value


def _optional(value: object, kind: type) -> Any:
    if value is not None and type(value) is not kind:
        raise TypeError(type(value))
    return cast("Any", value)
