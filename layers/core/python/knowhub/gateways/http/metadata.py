"""What metadata a document may have: JSON that every store can hold, small enough to travel with each hit."""

import json
import math
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import AfterValidator

MAX_BYTES = 16_000
MAX_DEPTH = 8
MAX_KEY = 128
_TOO_LARGE = 10**38


def fits(value: dict[str, Any]) -> dict[str, Any]:
    """Give metadata back as it is; raises `ValueError` with what is wrong."""
    for fault in _faults(value, 1):
        raise ValueError(fault)
    if len(json.dumps(value, ensure_ascii=False).encode()) > MAX_BYTES:
        raise ValueError(f"metadata has at most {MAX_BYTES} bytes")
    return value


def _faults(value: Any, depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH:
        yield f"metadata is nested at most {MAX_DEPTH} deep"
        return
    if isinstance(value, dict):
        if not all(0 < len(key) <= MAX_KEY for key in value):
            yield f"a key of metadata has 1 to {MAX_KEY} characters"
        value = list(value.values())
    if isinstance(value, list):
        for member in value:
            yield from _faults(member, depth + 1)
    elif isinstance(value, (int, float)) and not (math.isfinite(value) and abs(value) < _TOO_LARGE):
        yield "a number of metadata is finite and below 10^38"


Metadata = Annotated[dict[str, Any], AfterValidator(fits)]
