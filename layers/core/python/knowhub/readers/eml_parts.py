"""The parts of a mail message: which are its body and which are files."""

from contextlib import suppress
from dataclasses import dataclass, field
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message

from knowhub.model.document import Loss
from knowhub.model.extraction import Attachment

MOST_PARTS = 1_000
"""Attachments and bodies of one message."""
_MOST_DEPTH = 50
_LONGEST_NAME = 200
_RANK = {"text/plain": 0, "text/html": 1}


@dataclass(slots=True)
class Parts:
    """What a message consists of, in its order."""

    bodies: list[Message] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.bodies) + len(self.attachments)


def collect(message: Message) -> Parts:
    """Walk a message's parts; of several forms of one text the plainest is taken, without its files being lost."""
    parts = Parts()
    _collect(message, parts, _MOST_DEPTH)
    return parts


def _collect(part: Message, parts: Parts, depth: int) -> None:
    if parts.count >= MOST_PARTS or not depth:
        if not any(loss.code == "PART_LIMIT" for loss in parts.losses):
            parts.losses.append(
                Loss("PART_LIMIT", part.get_content_type(), "further parts of the message are not read")
            )
        return
    kind = part.get_content_type()
    if kind in {"message/rfc822", "message/global"}:
        parts.attachments.append(_message(part))
    elif part.is_multipart():
        inside = [each for each in _payload(part) if isinstance(each, Message)]
        for each in _plainest(inside) if kind == "multipart/alternative" else inside:
            _collect(each, parts, depth - 1)
    elif kind in _RANK and part.get_content_disposition() != "attachment" and not part.get_filename():
        parts.bodies.append(part)
    else:
        raw = part.get_payload(decode=True)
        data = raw if isinstance(raw, bytes) else b""
        parts.attachments.append(Attachment(_name(part, parts.count + 1), kind, data))


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


def _message(part: Message) -> Attachment:
    inside = next((each for each in _payload(part) if isinstance(each, Message)), None)
    if inside is None:
        return Attachment("message.eml", "message/rfc822", b"")
    subject = _text(str(inside.get("Subject", "")))[: _LONGEST_NAME - 4]
    data = b""
    # The library can't write every message that it could read.
    with suppress(LookupError, ValueError, TypeError, AttributeError):
        data = inside.as_bytes()
    return Attachment(f"{subject or 'message'}.eml", "message/rfc822", data)


def _name(part: Message, number: int) -> str:
    """Give a file's own name without folders, else one by its number."""
    name = _text(part.get_filename() or "").replace("\\", "/").rpartition("/")[2]
    return name[-_LONGEST_NAME:] or f"part-{number}"


def _text(raw: str) -> str:
    try:
        text = str(make_header(decode_header(raw)))
    except (MessageError, LookupError, ValueError):
        text = raw
    return " ".join(text.encode(errors="replace").decode().split())
