"""Streamed answers in the form that Lambda's HTTP integration takes, and the same answers whole."""

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

_END_OF_PRELUDE = b"\0" * 8


def as_stream(answer: Mapping[str, Any], body: Iterator[bytes]) -> Iterator[bytes]:
    """Give the prelude (status and headers as JSON, eight NUL bytes), the answer's own body, then the stream.

    Closing the result closes the stream.
    """
    prelude = json.dumps({"statusCode": answer["statusCode"], "headers": _headers(answer)}).encode()
    try:
        yield prelude + _END_OF_PRELUDE
        own = answer.get("body") or ""
        if own:
            yield base64.b64decode(own) if answer.get("isBase64Encoded") else own.encode()
        yield from body
    finally:
        close = getattr(body, "close", None)
        if close is not None:
            close()


def joined(answer: Mapping[str, Any], body: Iterator[bytes]) -> dict[str, Any]:
    """Give the answer with the whole stream as its body, where the platform can't stream."""
    return {**answer, "body": b"".join(body).decode(), "isBase64Encoded": False}


def _headers(answer: Mapping[str, Any]) -> dict[str, str]:
    many = {name: ", ".join(values) for name, values in (answer.get("multiValueHeaders") or {}).items()}
    return {**many, **(answer.get("headers") or {})}
