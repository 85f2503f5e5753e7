"""The grammar of blob keys: what every store takes, and nothing that one of them would twist.

Beside what the port names, lone surrogates and the two non-characters U+FFFE and U+FFFF are refused: the service's XML
can't carry them.
"""

import base64
import binascii
import re

from knowhub.errors import InvalidRequest
from knowhub.ports.blobs import MAX_KEY_BYTES

_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\\\\\ud800-\udfff\ufffe\uffff]")


def check_key(key: str) -> None:
    """Refuse what is no key."""
    _check_characters(key)
    if any(segment in {"", ".", ".."} for segment in key.split("/")):
        raise _refusal("A blob key consists of segments joined by /, none of them empty, . or ..")


def check_prefix(prefix: str) -> None:
    """Refuse what no key can start with for its characters or its length."""
    _check_characters(prefix)


def cursor_after(key: str) -> str:
    """Make the cursor of a page whose last key this is."""
    return base64.urlsafe_b64encode(key.encode()).decode()


def key_of(cursor: str) -> str:
    """Read the key back that a page ended with; raises `InvalidRequest` for what is no cursor."""
    try:
        key = base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True).decode()
    except (UnicodeError, binascii.Error) as error:
        raise _refusal("This is no cursor of a list of blobs") from error
    # A bucket may hold keys that others wrote, and a page may end with one: only what no key can hold is refused.
    _check_characters(key)
    if not key:
        raise _refusal("This is no cursor of a list of blobs")
    return key


def _check_characters(text: str) -> None:
    if _FORBIDDEN.search(text):
        raise _refusal("A blob key holds no control characters, backslashes and lone surrogates")
    if len(text.encode()) > MAX_KEY_BYTES:
        raise _refusal(f"A blob key is at most {MAX_KEY_BYTES} bytes of UTF-8")


def _refusal(message: str) -> InvalidRequest:
    return InvalidRequest(message, {"errors": [{"loc": ["key"], "type": "blob_key", "message": message}]})
