"""The mail reader: headers and body as text, attachments as files of their own."""

import email
import re
from contextlib import suppress
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parsedate_to_datetime

from knowhub.errors import Unreadable, UnsupportedMediaType
from knowhub.model.document import Loss
from knowhub.model.extraction import ReadDocument
from knowhub.readers import encoding, html_documents
from knowhub.readers.caps import cap
from knowhub.readers.eml_files import take_out
from knowhub.readers.eml_parts import collect

LIBRARIES = ("email.*", "quopri", "base64", "selectolax.*")

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_LONGEST_HEADER = 2_000
_MOST_RAW_HEADER = 64_000
"""Characters of a header that are decoded: what a hostile one costs grows faster than its length."""
_LONGEST_TITLE = 200
_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "us-ascii": "utf-8", "iso-8859-1": "cp1252", "latin-1": "cp1252"}
"""What mail programs mean by the names that they write."""
_SOFT_BREAK = re.compile(r"(?<!--) \n(?!>)")


def read(data: bytes, name: str) -> ReadDocument:
    """Read a message: sender, receivers, date and subject, then the plain text, or where there is none the HTML.

    Files and messages in it are `attachments`, and those of these messages too; its own are named below its text.
    Raises `Unreadable` where there is no body, no subject and no attachment.
    """
    message = email.message_from_bytes(data)
    parts = collect(message)
    bodies, losses = [], list(parts.losses)
    for part in parts.bodies:
        text, lost = _body(part, name)
        bodies.append(text)
        losses.extend(lost)
    heads, shortened = _headers(message)
    body = "\n\n".join(text.strip("\n") for text in bodies if text.strip())
    if not body and not heads.get("Subject") and not parts.files:
        raise Unreadable("the message has no text", {"reason": "NO_TEXT"})
    named = "".join(f"Attachment: {file.name}\n" for file in parts.files)
    blocks = ("".join(f"{each}: {text}\n" for each, text in heads.items()), f"{body}\n" if body else "", named)
    text, cut = cap("\n".join(block for block in blocks if block))
    files = take_out(parts, lambda each: _metadata(each, _headers(each)[0]))
    return ReadDocument(
        text,
        "fixed",
        title=heads.get("Subject", "")[:_LONGEST_TITLE] or None,
        metadata=_metadata(message, heads),
        losses=(*shortened, *losses, *files.losses, *cut),
        attachments=tuple(files.taken),
    )


def _body(part: Message, name: str) -> tuple[str, tuple[Loss, ...]]:
    raw = part.get_payload(decode=True)
    data = raw if isinstance(raw, bytes) else b""
    if not data.strip():
        return "", ()
    try:
        text, losses = _decoded(part, data)
        if part.get_content_subtype() != "html":
            return _unwrapped(part, text), losses
        # Named from the start: once the process is locked, no module can be imported any more.
        read = html_documents.read(text.encode(), name, "utf-8")
    except (UnsupportedMediaType, Unreadable) as error:
        return "", (Loss("PART_NOT_READ", part.get_content_type(), error.message),)
    return read.text, (*losses, *read.losses)


def _decoded(part: Message, data: bytes) -> tuple[str, tuple[Loss, ...]]:
    """Decode by what the part says of itself if that holds, else by evidence."""
    said = (part.get_content_charset() or "").lower()
    with suppress(UnicodeDecodeError, LookupError, ValueError):
        if said:
            return data.decode(_SUPERSETS.get(said, said)).replace("\r\n", "\n").replace("\r", "\n"), ()
    decoded = encoding.decode(data)
    return decoded.text, decoded.losses


def _unwrapped(part: Message, text: str) -> str:
    """Join the lines that a mail program broke for the way, where it says that it marks them (RFC 3676)."""
    return _SOFT_BREAK.sub(" ", text) if part.get_param("format") == "flowed" else text


def _headers(message: Message) -> tuple[dict[str, str], list[Loss]]:
    """Give the headers that are shown, each on one line, and which of them were cut."""
    heads, losses = {}, []
    for name in _SHOWN:
        raw = str(message.get(name, ""))
        text = _unfolded(raw)
        if len(text) > _LONGEST_HEADER or len(raw) > _MOST_RAW_HEADER:
            text = text[:_LONGEST_HEADER].rstrip()
            detail = f"kept {len(text)} characters of a header that takes {len(raw)} as it was sent"
            losses.append(Loss("HEADER_TRUNCATED", f"header {name}", detail))
        if text:
            heads[name] = text
    return heads, losses


def _unfolded(raw: str) -> str:
    """Decode a header to text on one line; one that is too long is cut between two of its words before."""
    if len(raw) > _MOST_RAW_HEADER:
        raw = raw[:_MOST_RAW_HEADER]
        raw = raw[: max(map(raw.rfind, " \t\n"))] if any(map(raw.__contains__, " \t\n")) else raw
    # The library looks for the end of every word that begins: behind the last end that takes for ever.
    end = raw.rfind("?=") + 2 if "?=" in raw else 0
    try:
        text = str(make_header(decode_header(raw[:end]))) + raw[end:]
    except (MessageError, LookupError, ValueError):
        text = raw
    return " ".join(text.encode(errors="replace").decode().split())


def _metadata(message: Message, heads: dict[str, str]) -> dict[str, object]:
    found: dict[str, object] = {each.lower(): text for each, text in heads.items() if each != "Date"}
    with suppress(ValueError, TypeError, OverflowError):
        found["date"] = parsedate_to_datetime(str(message["Date"])).isoformat()
    return found
