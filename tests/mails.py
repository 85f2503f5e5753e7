"""Mails with files and mails in them, as tests need them."""

import hashlib
from collections.abc import Mapping
from email.message import EmailMessage


def mail(
    body: str = "Hello\n",
    files: Mapping[str, bytes] | None = None,
    mails: tuple[EmailMessage, ...] = (),
    **headers: str,
) -> EmailMessage:
    """Write a mail with these headers, whose names have `_` for `-`, these files and these mails."""
    message = EmailMessage()
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(body)
    for name, data in (files or {}).items():
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    for each in mails:
        message.add_attachment(each)
    # One that came by itself would differ from one time to the next.
    if message.is_multipart():
        message.set_boundary(hashlib.sha256(repr((body, files, headers)).encode()).hexdigest()[:20])
    return message
