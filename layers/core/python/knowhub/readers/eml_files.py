"""The files of a mail and of the mails within it, as far as they are taken out of it."""

from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message

from knowhub.model.document import Loss
from knowhub.model.extraction import MOST_ATTACHMENTS, Attachment
from knowhub.readers.eml_parts import MOST_PARTS, File, Parts, collect

MOST_MAILS_DEEP = 4
"""Mails within mails: files of a mail that lies deeper are not taken."""

MOST_BYTES = 200 * 1024 * 1024
MOST_FILE_BYTES = 100 * 1024 * 1024
"""Of all files together and of one: the limits of an archive that is unpacked."""

Describe = Callable[[Message], Mapping[str, object]]


@dataclass(slots=True)
class Files:
    """What was taken out of a mail, the mail's own files first, and what was not."""

    taken: list[Attachment] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    size: int = 0


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A file that is not taken yet: the place of the mail that holds it, the names on the way, the mails around it."""

    file: File
    within: int | None
    path: str
    depth: int


def take_out(parts: Parts, describe: Describe) -> Files:
    """Take files out of a mail, and those of the mails among them; `describe` gives the metadata of a message.

    What is over a limit is a loss `ATTACHMENT_LIMIT` with its name.
    """
    files, room = Files(), MOST_PARTS - parts.count
    waiting = deque(_Waiting(file, None, file.name, 1) for file in parts.files)
    while waiting:
        one = waiting.popleft()
        message = one.file.message
        if not _take(files, one, {} if message is None else describe(message)) or message is None:
            continue
        inner = collect(message, room)
        room -= inner.count
        place = f"attachment {one.path!r}"
        files.losses += [Loss(loss.code, f"{place}: {loss.where}", loss.detail) for loss in inner.losses]
        at = len(files.taken) - 1
        waiting.extend(_Waiting(each, at, f"{one.path}/{each.name}", one.depth + 1) for each in inner.files)
    return files


def _take(files: Files, one: _Waiting, metadata: Mapping[str, object]) -> bool:
    """Take a file, or say why not; its bytes are made only where there is room for another."""
    why, data = None, b""
    if one.depth > MOST_MAILS_DEEP:
        why = f"it lies within more than {MOST_MAILS_DEEP} mails"
    elif len(files.taken) >= MOST_ATTACHMENTS:
        why = f"the first {MOST_ATTACHMENTS} of a mail are read"
    else:
        data = _bytes(one.file)
        if len(data) > MOST_FILE_BYTES or files.size + len(data) > MOST_BYTES:
            why = f"its {len(data)} bytes are too many"
    if why is not None:
        files.losses.append(Loss("ATTACHMENT_LIMIT", f"attachment {one.path!r}", why))
        return False
    files.size += len(data)
    files.taken.append(Attachment(one.file.name, one.file.content_type, data, one.within, metadata))
    return True


def _bytes(file: File) -> bytes:
    if file.message is None:
        raw = file.part.get_payload(decode=True)
        return raw if isinstance(raw, bytes) else b""
    # The library can't write every message that it could read.
    with suppress(LookupError, ValueError, TypeError, AttributeError):
        return file.message.as_bytes()
    return b""
