"""Chunks as JSON objects: the one form in which stored chunks are kept, in files and in engines."""

import json
from dataclasses import fields
from typing import Any

from knowhub.model.chunk import Chunk, Locator

_CHUNK_MEMBERS = tuple(field.name for field in fields(Chunk))


def locator_members(locator: Locator) -> dict[str, Any]:
    """Give a locator's members, those that its format lacks left out."""
    return {name: value for name in Locator._fields if (value := getattr(locator, name)) is not None}


def encode_chunk(chunk: Chunk) -> str:
    """Write a chunk as one line of JSON; raises `TypeError` or `ValueError` for metadata that is not JSON."""
    members = {name: value for name in _CHUNK_MEMBERS if (value := getattr(chunk, name)) is not None}
    members |= {"locator": locator_members(chunk.locator), "metadata": dict(chunk.metadata)}
    return json.dumps(members, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def decode_chunk(text: str) -> Chunk:
    """Read what `encode_chunk` wrote; raises `ValueError`, `KeyError` or `TypeError` for anything else."""
    members: dict[str, Any] = json.loads(text)
    place: dict[str, Any] = members.pop("locator")
    if "boxes" in place:
        place["boxes"] = tuple(tuple(box) for box in place["boxes"])
    return Chunk(locator=Locator(**place), **members)
