"""Chunks as JSON objects: the one form in which stored chunks are kept."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from knowhub.model.chunk import Chunk, Locator


def locator_members(locator: Locator) -> dict[str, object]:
    """Give a locator's members, those that its format lacks left out."""
    return {name: value for name, value in asdict(locator).items() if value is not None}


def encode_chunk(chunk: Chunk) -> str:
    """Write a chunk as one line of JSON."""
    members = {**asdict(chunk), "metadata": dict(chunk.metadata), "locator": locator_members(chunk.locator)}
    return json.dumps(members, ensure_ascii=False, separators=(",", ":"))


def decode_chunk(text: str) -> Chunk:
    """Read what `encode_chunk` wrote."""
    members: dict[str, Any] = json.loads(text)
    return Chunk(**{**members, "locator": _locator(members["locator"])})


def _locator(members: Mapping[str, Any]) -> Locator:
    boxes = members.get("boxes")
    return Locator(**{**members, "boxes": None if boxes is None else tuple(tuple(box) for box in boxes)})
