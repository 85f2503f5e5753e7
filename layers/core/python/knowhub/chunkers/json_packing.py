"""One chunk of JSON while it is being filled: its text grows member by member, and its braces close at the end."""

from collections.abc import Sequence
from dataclasses import dataclass

from knowhub.model.chunk import Span
from knowhub.model.json_spelling import spell


@dataclass(frozen=True, slots=True)
class Part:
    """A finished chunk: its text, the source of each member in it, and the keys that all of them share."""

    text: str
    spans: list[Span]
    path: list[str]


class OpenChunk:
    """Members are added in the order of the document; each opens the objects of its path that are not open yet."""

    def __init__(self, limit: int) -> None:
        """Begin an empty object that may take `limit` bytes."""
        self.spans: list[Span] = []
        self._limit = limit
        self._size = 2
        self._parts: list[str] = ["{"]
        self._open = 0
        self._shared = 0
        self._path: list[str] = []

    def leave(self, depth: int) -> None:
        """Say that the walk went up to this many keys: objects below are not written to any more."""
        while self._open > depth:
            self._parts.append("}")
            self._open -= 1

    def has_room(self, keys: Sequence[str], key: str, size: int) -> bool:
        """Whether a member of so many bytes fits, with the path to it and its comma."""
        more = _bytes(key) + 1 + size + (1 if self.spans else 0)
        return self._size + more + sum(_bytes(each) + 3 for each in keys[self._open :]) <= self._limit

    def add(self, keys: Sequence[str], key: str, spelled: str, span: Span) -> None:
        """Write a member under its path."""
        if self.spans:
            self._parts.append(",")
            self._size += 1
            self._shared = min(self._shared, self._open)
        else:
            self._path, self._shared = [*keys, key], len(keys) + 1
        for each in keys[self._open :]:
            self._parts.append(f"{spell(each)}:{{")
            self._size += _bytes(each) + 3
        self._open = len(keys)
        self._parts.append(f"{spell(key)}:{spelled}")
        self._size += _bytes(key) + 1 + len(spelled.encode())
        self.spans.append(span)

    def part(self) -> Part:
        """Close what is open."""
        self.leave(0)
        return Part("".join([*self._parts, "}"]), self.spans, self._path[: self._shared])


def _bytes(key: str) -> int:
    return len(key) + 2 if key.isascii() and key.isalnum() else len(spell(key).encode())
