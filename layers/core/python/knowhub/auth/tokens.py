"""JSON Web Tokens taken apart, in the compact form; nothing here is believed yet."""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_SHAPE = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\Z")
_LONGEST = 8192
"""Characters; the headers of a whole request have 10,240 bytes at most."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a token says, the bytes that its signature is over, and the signature."""

    header: Mapping[str, Any]
    claims: Mapping[str, Any]
    signed: bytes
    signature: bytes


def looks_like_token(text: str) -> bool:
    """Tell whether a text has a signed token's shape."""
    return len(text) <= _LONGEST and _SHAPE.match(text) is not None


def parts(token: str) -> Parts | None:
    """Take a token apart; None for what is none, or asks for an extension that would change its meaning."""
    if not looks_like_token(token):
        return None
    head, body, tail = token.split(".")
    try:
        header, claims = json.loads(decoded(head)), json.loads(decoded(body))
        signature = decoded(tail)
    except (ValueError, RecursionError):
        return None
    if not isinstance(header, dict) or not isinstance(claims, dict) or "crit" in header:
        return None
    return Parts(header, claims, f"{head}.{body}".encode(), signature)


def decoded(text: str) -> bytes:
    """Decode base64url without padding, of which one spelling only is taken; raises `ValueError`."""
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError("no base64url") from error
    if base64.urlsafe_b64encode(data).rstrip(b"=").decode() != text:
        raise ValueError("no canonical base64url")
    return data
