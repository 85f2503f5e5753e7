"""What a queue refuses before it asks its store: one set of limits for every implementation.

The character rules are those of Amazon SQS; the embedded queue keeps them so that what runs there runs everywhere.
"""

import re
from collections.abc import Iterable

from knowhub.errors import InvalidRequest, PayloadTooLarge
from knowhub.ports.queue import (
    MAX_BATCH,
    MAX_BODY_BYTES,
    MAX_DELAY_SECONDS,
    MAX_VISIBILITY_SECONDS,
    MAX_WAIT_SECONDS,
    OutgoingMessage,
)

_FORBIDDEN_IN_BODY = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NAME = re.compile(r"[!-~]{1,128}")


def check_outgoing(messages: Iterable[OutgoingMessage], *, fifo: bool) -> None:
    """Refuse the send if any message breaks a rule of the port; nothing may be sent before."""
    for place, message in enumerate(messages):
        _check_body(place, message.body)
        _check_name(place, "group", message.group)
        _check_name(place, "deduplication_id", message.deduplication_id)
        if fifo:
            _check_fifo(place, message)
        else:
            _check_standard(place, message)


def check_receive(*, limit: int, visibility_seconds: int, wait_seconds: float) -> None:
    """Refuse a receive whose figures no implementation takes."""
    if not 1 <= limit <= MAX_BATCH:
        raise _refusal("limit", f"A receive takes 1 to {MAX_BATCH} messages")
    if not 1 <= visibility_seconds <= MAX_VISIBILITY_SECONDS:
        raise _refusal("visibility_seconds", f"The visibility time-out is 1 to {MAX_VISIBILITY_SECONDS} seconds")
    if not 0 <= wait_seconds <= MAX_WAIT_SECONDS:
        raise _refusal("wait_seconds", f"A receive waits 0 to {MAX_WAIT_SECONDS} seconds")


def check_visibility(seconds: int) -> None:
    """Refuse a change of visibility to less than nothing or more than 12 hours."""
    if not 0 <= seconds <= MAX_VISIBILITY_SECONDS:
        raise _refusal("seconds", f"The visibility time-out is changed to 0 to {MAX_VISIBILITY_SECONDS} seconds")


def _check_body(place: int, body: str) -> None:
    if not body:
        raise _refusal(f"messages.{place}.body", "A message has a body")
    if _FORBIDDEN_IN_BODY.search(body):
        raise _refusal(f"messages.{place}.body", "A message's body holds no control characters and no lone surrogates")
    if len(body.encode()) > MAX_BODY_BYTES:
        raise PayloadTooLarge(f"A message is at most {MAX_BODY_BYTES} bytes", {"limit": MAX_BODY_BYTES})


def _check_name(place: int, member: str, value: str | None) -> None:
    if value is not None and not _NAME.fullmatch(value):
        raise _refusal(f"messages.{place}.{member}", "1 to 128 printable ASCII characters without spaces are allowed")


def _check_fifo(place: int, message: OutgoingMessage) -> None:
    if message.group is None:
        raise _refusal(f"messages.{place}.group", "A message of a FIFO queue names its group")
    if message.delay_seconds:
        raise _refusal(f"messages.{place}.delay_seconds", "A FIFO queue delays no single message")


def _check_standard(place: int, message: OutgoingMessage) -> None:
    if message.deduplication_id is not None:
        raise _refusal(f"messages.{place}.deduplication_id", "A standard queue can't drop duplicates")
    if not 0 <= message.delay_seconds <= MAX_DELAY_SECONDS:
        raise _refusal(f"messages.{place}.delay_seconds", f"A delay is 0 to {MAX_DELAY_SECONDS} seconds")


def _refusal(place: str, message: str) -> InvalidRequest:
    return InvalidRequest(message, {"errors": [{"loc": place.split("."), "type": "queue", "message": message}]})
