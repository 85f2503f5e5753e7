"""Text formats that say by their beginning what they are: HTML and JSON."""

import json
import re

_HEAD_BYTES = 4096
_MOST_BYTES = 20 * 1024 * 1024
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_HTML = re.compile(r"(?:<!doctype\s+html|<html)(?=[\s>])", re.IGNORECASE)
_BEFORE_HTML = re.compile(r"\s++|<\?xml[^>]*+>|<!--(?:[^-]|-(?!->))*+-->")
_CLOSING = {"{": "}", "[": "]"}


def is_html(data: bytes) -> bool:
    """Whether a document begins as HTML does, behind comments and an XML declaration."""
    head = _head(data)
    position = 0
    while (match := _BEFORE_HTML.match(head, position)) is not None:
        position = match.end()
    return _HTML.match(head, position) is not None


def is_json(data: bytes) -> bool:
    """Whether a document in UTF-8 is one JSON object or array."""
    text = data.removeprefix(b"\xef\xbb\xbf").strip()
    opening = text[:1].decode("latin-1")
    if text[-1:].decode("latin-1") != _CLOSING.get(opening) or len(text) > _MOST_BYTES:
        return False
    try:
        json.loads(text, parse_int=str)
    except (ValueError, RecursionError):
        return False
    return True


def _head(data: bytes) -> str:
    head = data[:_HEAD_BYTES]
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return head[len(mark) :].decode(encoding, errors="ignore")
    return head.decode("latin-1")
