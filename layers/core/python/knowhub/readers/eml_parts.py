"""The parts of a mail message: which are its body and which are files."""

from dataclasses import dataclass, field
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message

from knowhub.model.document import Loss

MOST_PARTS = 1_000
"""Attachments and bodies of one message, those of the messages within it counted with them."""
_MOST_DEPTH = 50
_LONGEST_NAME = 200
_RANK = {"text/plain": 0, "text/html": 1}
_MESSAGES = {"message/rfc822", "message/global"}
_SEALS = {"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"}


@dataclass(frozen=True, slots=True)
class File:
    """A file of a message: its own name without folders, its declared type, and its part, or the message that it is."""

    name: str
    content_type: str
    part: Message
    message: Message | None = None


@dataclass(slots=True)
class Parts:
    """What a message consists of, in its order; `room` is how many more parts there may be."""

    room: int = MOST_PARTS
    bodies: list[Message] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.bodies) + len(self.files)


def collect(message: Message, room: int = MOST_PARTS) -> Parts:
    """Walk a message's parts; of several forms of one text the plainest is taken, without its files being lost."""
    parts = Parts(room)
    _collect(message, parts, _MOST_DEPTH)
    return parts


def _collect(part: Message, parts: Parts, depth: int) -> None:
    if parts.count >= parts.room or not depth:
        if not any(loss.code == "PART_LIMIT" for loss in parts.losses):
            parts.losses.append(
                Loss("PART_LIMIT", part.get_content_type(), "further parts of the message are not read")
            )
        return
    kind = part.get_content_type()
    if kind in _MESSAGES:
        parts.files.append(_message(part))
    elif part.is_multipart():
        inside = [each for each in _payload(part) if isinstance(each, Message)]
        for each in _plainest(inside) if kind == "multipart/alternative" else inside:
            _collect(each, parts, depth - 1)
    elif kind in _RANK and part.get_content_disposition() != "attachment" and not part.get_filename():
        parts.bodies.append(part)
    elif kind in _SEALS:
        parts.losses.append(Loss("PART_NOT_READ", kind, "the message's signature is not read"))
    else:
        parts.files.append(File(_name(part, parts.count + 1), kind, part))


def _payload(part: Message) -> list[object]:
    payload = part.get_payload()
    return list(payload) if isinstance(payload, list) else []


def _plainest(alternatives: list[Message]) -> list[Message]:
    """Drop the forms that only repeat the plainest: a form that holds files besides text is kept for them."""
    ranked = sorted(alternatives, key=lambda part: _RANK.get(part.get_content_type(), 2))
    if not ranked:
        return []
    first, rest = ranked[0], ranked[1:]
    if first.get_content_type() != "text/plain" or _is_blank(first):
        return [each for each in ranked if not (each is first and _is_blank(first))][:1] or [first]
    files = [file for each in rest if each.is_multipart() for file in each.walk() if file.get_filename()]
    calendars = [each for each in rest if each.get_content_maintype() != "text" and not each.is_multipart()]
    return [first, *files, *calendars]


def _is_blank(part: Message) -> bool:
    raw = part.get_payload(decode=True)
    return isinstance(raw, bytes) and not raw.strip()


def _message(part: Message) -> File:
    inside = next((each for each in _payload(part) if isinstance(each, Message)), None)
    subject = "" if inside is None else _safe(str(inside.get("Subject", "")))[: _LONGEST_NAME - 4].strip(". ")
    return File(f"{subject or 'message'}.eml", "message/rfc822", part, inside)


def _name(part: Message, number: int) -> str:
    """Give a file's own name, else one by its number."""
    name = _safe(part.get_filename() or "")[-_LONGEST_NAME:].strip()
    return name if name.strip(". ") else f"part-{number}"


def _safe(raw: str) -> str:
    """Make a file name of a header: the last segment of a path, without what could not be shown on a line."""
    try:
        text = str(make_header(decode_header(raw)))
    except (MessageError, LookupError, ValueError):
        text = raw
    text = text.encode(errors="replace").decode().replace("\\", "/")
    shown = "".join(char if char.isprintable() else " " for char in text.rpartition("/")[2])
    return " ".join(shown.split())
