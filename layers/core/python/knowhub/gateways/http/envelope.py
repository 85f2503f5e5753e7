"""The error envelope of the HTTP interface and its one table from error code to status."""

import json
from collections.abc import Mapping
from typing import Any

from knowhub.errors import KnowhubError, Retryable

STATUS: Mapping[str, int] = {
    "UNAUTHENTICATED": 401,
    "FORBIDDEN": 403,
    "MALFORMED_JSON": 400,
    "INVALID_REQUEST": 422,
    "METHOD_NOT_ALLOWED": 405,
    "CONFLICT": 409,
    "PAYLOAD_TOO_LARGE": 413,
    "UNSUPPORTED_MEDIA_TYPE": 415,
    "UNREADABLE_DOCUMENT": 422,
    "RATE_LIMITED": 429,
    "SOURCE_FAILED": 502,
    "UNAVAILABLE": 503,
    "SEARCH_UNAVAILABLE": 503,
    "INTERNAL": 500,
}
"""Codes that end in `_NOT_FOUND` are 404; a code without a line here is 500."""


def status_of(code: str) -> int:
    """Give the status of an error code."""
    return 404 if code.endswith("_NOT_FOUND") else STATUS.get(code, 500)


def envelope(error: KnowhubError, request_id: str) -> dict[str, Any]:
    """Write an error as every answer shows it; an internal one shows nothing of the inside."""
    inside = status_of(error.code) == STATUS["INTERNAL"]
    return {
        "error": {
            "code": "INTERNAL" if inside else error.code,
            "message": "Something went wrong on our side" if inside else error.message,
            "detail": {} if inside else error.detail,
            "request_id": request_id,
        }
    }


def headers_of(error: KnowhubError) -> dict[str, str]:
    """Give the headers that an error calls for."""
    if error.code == "UNAUTHENTICATED":
        return {"WWW-Authenticate": "Bearer"}
    return {"Retry-After": str(error.retry_after)} if isinstance(error, Retryable) else {}


def error_answer(error: KnowhubError, request_id: str) -> dict[str, Any]:
    """Build the whole proxy answer of an error."""
    return {
        "statusCode": status_of(error.code),
        "headers": {"Content-Type": "application/json", "X-Request-Id": request_id, **headers_of(error)},
        "body": json.dumps(envelope(error, request_id), ensure_ascii=False),
        "isBase64Encoded": False,
    }
