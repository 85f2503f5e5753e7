"""Proxy answers with a JSON body."""

import json
from collections.abc import Mapping
from typing import Any


def json_answer(status: int, body: Any, request_id: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Build an answer; a body of None is an empty one."""
    content = {} if body is None else {"Content-Type": "application/json"}
    return {
        "statusCode": status,
        "headers": {**content, "X-Request-Id": request_id, **(headers or {})},
        "body": "" if body is None else json.dumps(body, ensure_ascii=False),
        "isBase64Encoded": False,
    }


def refusal(
    status: int, code: str, message: str, request_id: str, headers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Refuse a path or method in the shape in which every error is written outside of JSON-RPC."""
    error = {"code": code, "message": message, "detail": {}, "request_id": request_id}
    return json_answer(status, {"error": error}, request_id, headers)
