"""What a blob store refuses before it does anything, keys apart: one set of limits for every implementation."""

import re

from knowhub.errors import InvalidRequest
from knowhub.ports.blob_keys import check_key
from knowhub.ports.blobs import MAX_PAGE, MAX_UPLOAD_BYTES, MAX_UPLOAD_SECONDS

_CONTENT_TYPE = re.compile(r"[!-~](?:[ -~]{0,253}[!-~])?")


def check_content_type(content_type: str) -> None:
    """Refuse what can't be stored and given back as it is."""
    if not _CONTENT_TYPE.fullmatch(content_type):
        raise _refusal("content_type", "A content type is 1 to 255 printable ASCII characters")


def check_page(limit: int) -> None:
    """Refuse a page of no keys or of too many."""
    if not 1 <= limit <= MAX_PAGE:
        raise _refusal("limit", f"A page has 1 to {MAX_PAGE} keys")


def check_upload(key: str, *, content_type: str, max_bytes: int, seconds: int) -> None:
    """Refuse an upload that can't be promised as it is asked for."""
    check_key(key)
    check_content_type(content_type)
    if "${filename}" in key:
        raise _refusal("key", "The service would replace ${filename} in the key by what the client says")
    if not 1 <= max_bytes <= MAX_UPLOAD_BYTES:
        raise _refusal("max_bytes", f"An upload is of 1 to {MAX_UPLOAD_BYTES} bytes")
    if not 1 <= seconds <= MAX_UPLOAD_SECONDS:
        raise _refusal("seconds", f"An upload ticket lives 1 to {MAX_UPLOAD_SECONDS} seconds")


def _refusal(place: str, message: str) -> InvalidRequest:
    return InvalidRequest(message, {"errors": [{"loc": [place], "type": "blob", "message": message}]})
