"""JSON text as values with their places: read without recursion, spelled again byte for byte where it matters.

Numbers are never turned into machine numbers, so that big integers, `1.50` and `1e400` stay what they are. Members come
in one fixed order, whatever the source's: whole numbers by value, then all other keys by their bytes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Literal, TypeAlias

from knowhub.errors import Unreadable
from knowhub.model.json_spelling import decoded, respelled, spell

MOST_LEVELS = 200
"""Objects and arrays within each other."""

MOST_VALUES = 2_000_000
"""Values in one document: about 400 MB while it is being cut."""

Kind: TypeAlias = Literal["object", "array", "string", "literal"]

_SPACE = re.compile(r"[ \t\n\r]*+")
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+(?![0-9A-Za-z_.+-])")
_LITERAL = re.compile(r"(?:true|false|null|NaN|-?Infinity)\b")
_NOT_FINITE = frozenset({"NaN", "Infinity", "-Infinity"})
_INDEX = re.compile(r"(?:0|[1-9][0-9]*+)\Z")
_LONGEST_NAME = 60


class JsonSyntaxError(ValueError):
    """The text is no JSON; `where` is the line and the column, from 1, at which it stops being some."""

    def __init__(self, text: str, position: int, expected: str) -> None:
        """Say what was expected at a position of the text."""
        line = text.count("\n", 0, position) + 1
        self.where = f"line {line}, column {position - text.rfind(chr(10), 0, position)}"
        super().__init__(f"{expected} expected")


class JsonValue:
    """One value: its place in the text, and the bytes that it takes in compact spelling.

    `start` is where its key begins if it has one, `at` where it begins itself; `end` is exclusive. `keys` and `items`
    are the members of an object in the fixed order, and `items` alone those of an array.
    """

    __slots__ = ("at", "end", "items", "keys", "kind", "size", "start")

    def __init__(self, kind: Kind, start: int, at: int) -> None:
        """Open a value; who reads it fills in the rest."""
        self.kind: Kind = kind
        self.start = start
        self.at = at
        self.end = at
        self.size = 2
        # Most values have no members: they share two lists that nobody writes to.
        self.keys: list[str] = [] if kind == "object" else _NO_KEYS
        self.items: list[JsonValue] = [] if kind in ("object", "array") else _NO_ITEMS

    def members(self) -> Iterator[tuple[str, "JsonValue"]]:
        """Give the members in order; those of an array have their index as key."""
        keys = self.keys if self.kind == "object" else map(str, range(len(self.items)))
        return zip(keys, self.items, strict=True)


_NO_KEYS: list[str] = []
_NO_ITEMS: list[JsonValue] = []


@dataclass(slots=True)
class Oddities:
    """What a document holds that JSON has no place for: how often, and the text position of the first."""

    duplicate_keys: int = 0
    first_duplicate: tuple[int, str] = (0, "")
    not_finite: int = 0
    first_not_finite: tuple[int, str] = (0, "")


@dataclass(slots=True)
class JsonParser:
    """Reads values from one text; `oddities` fills as it goes."""

    text: str
    oddities: Oddities = field(default_factory=Oddities)
    _count: int = 0
    _key_sizes: dict[str, int] = field(default_factory=dict)

    def document(self, start: int = 0, end: int | None = None) -> JsonValue:
        """Read the one value that the text, or a range of it, consists of.

        Of equal keys in one object the last counts. Raises `JsonSyntaxError`, and `Unreadable` for a text that goes
        beyond `MOST_LEVELS` or `MOST_VALUES`.
        """
        stop = len(self.text) if end is None else end
        value = self._value(start)
        rest = self._skip(value.end)
        if rest < stop or value.end > stop:
            raise JsonSyntaxError(self.text, min(rest, stop), "the end of the value")
        return value

    def _value(self, position: int) -> JsonValue:
        open_values: list[JsonValue] = []
        seen: list[dict[str, int]] = []
        start: int | None = None
        while True:
            position = self._skip(position)
            value = self._begin(position, position if start is None else start)
            start = None
            if value.kind in ("object", "array"):
                self._check_depth(len(open_values) + 1, value)
                position = self._skip(value.at + 1)
                if not self.text.startswith(_CLOSING[value.kind], position):
                    open_values.append(value)
                    seen.append({})
                    if value.kind == "object":
                        start, position = self._key(value, seen[-1], position)
                    continue
                value.end = position + 1
            while open_values:
                parent = open_values[-1]
                self._attach(parent, value, seen[-1])
                position = self._skip(value.end)
                if self.text.startswith(",", position):
                    position += 1
                    if parent.kind == "object":
                        start, position = self._key(parent, seen[-1], self._skip(position))
                    break
                value = self._close(open_values.pop(), seen.pop(), position)
            else:
                return value

    def _check_depth(self, depth: int, value: JsonValue) -> None:
        if depth > MOST_LEVELS:
            line = self.text.count("\n", 0, value.at) + 1
            message = f"the JSON nests deeper than {MOST_LEVELS} levels at line {line}"
            raise Unreadable(message, {"reason": "TOO_DEEP"})

    def _begin(self, at: int, start: int) -> JsonValue:
        self._count += 1
        if self._count > MOST_VALUES:
            raise Unreadable(f"the JSON holds more than {MOST_VALUES} values", {"reason": "TOO_MANY_VALUES"})
        mark = self.text[at : at + 1]
        if mark == "{":
            return JsonValue("object", start, at)
        if mark == "[":
            return JsonValue("array", start, at)
        if mark == '"':
            return self._string(at, start)
        match = _NUMBER.match(self.text, at) or _LITERAL.match(self.text, at)
        if match is None:
            raise JsonSyntaxError(self.text, at, "a value")
        value = JsonValue("literal", start, at)
        value.end = match.end()
        value.size = value.end - at
        if match.group() in _NOT_FINITE:
            value.size += 2
            self._note_not_finite(at, match.group())
        return value

    def _note_not_finite(self, at: int, spelling: str) -> None:
        self.oddities.first_not_finite = self.oddities.first_not_finite if self.oddities.not_finite else (at, spelling)
        self.oddities.not_finite += 1

    def _string(self, at: int, start: int) -> JsonValue:
        value = JsonValue("string", start, at)
        written = self._written(at)
        value.end = at + len(written)
        value.size = len(respelled(written, self._decode(at, written)).encode())
        return value

    def _written(self, at: int) -> str:
        match = _STRING.match(self.text, at)
        if match is None:
            raise JsonSyntaxError(self.text, at, "a string with an end")
        return match.group()

    def _decode(self, at: int, written: str) -> str:
        try:
            return decoded(written)
        except ValueError as error:
            raise JsonSyntaxError(self.text, at, "a string with valid escapes") from error

    def _key(self, parent: JsonValue, seen: dict[str, int], position: int) -> tuple[int, int]:
        """Read a key and its colon; the member's place is kept until its value is there."""
        if not self.text.startswith('"', position):
            raise JsonSyntaxError(self.text, position, "a key in double quotes")
        written = self._written(position)
        key = self._decode(position, written)
        colon = self._skip(position + len(written))
        if not self.text.startswith(":", colon):
            raise JsonSyntaxError(self.text, colon, "a colon")
        if key in seen:
            if not self.oddities.duplicate_keys:
                self.oddities.first_duplicate = (position, key[:_LONGEST_NAME])
            self.oddities.duplicate_keys += 1
        parent.keys.append(key)
        return position, colon + 1

    @staticmethod
    def _attach(parent: JsonValue, value: JsonValue, seen: dict[str, int]) -> None:
        if parent.kind == "array":
            parent.items.append(value)
            return
        key = parent.keys[-1]
        if key in seen:
            parent.keys.pop()
            parent.items[seen[key]] = value
            return
        seen[key] = len(parent.items)
        parent.items.append(value)

    def _close(self, value: JsonValue, seen: dict[str, int], position: int) -> JsonValue:
        if not self.text.startswith(_CLOSING[value.kind], position):
            raise JsonSyntaxError(self.text, position, f"a comma or {_CLOSING[value.kind]}")
        value.end = position + 1
        if value.kind == "object":
            value.keys = sorted(value.keys, key=_order)
            value.items = [value.items[seen[key]] for key in value.keys]
        value.size = 1 + len(value.items) + sum(map(_SIZE, value.items)) + sum(map(self._key_size, value.keys))
        return value

    def _key_size(self, key: str) -> int:
        size = self._key_sizes.get(key)
        if size is None:
            size = self._key_sizes[key] = len(spell(key).encode()) + 1
        return size

    def _skip(self, position: int) -> int:
        match = _SPACE.match(self.text, position)
        return match.end() if match else position


_SIZE = attrgetter("size")
_CLOSING: dict[Kind, str] = {"object": "}", "array": "]", "string": '"', "literal": ""}


def string_of(text: str, value: JsonValue) -> str:
    """Give the characters of a string value."""
    return decoded(text[value.at : value.end])


def compact(text: str, value: JsonValue) -> str:
    """Spell a value without white space, its members in the fixed order and its numbers as they were written.

    Its bytes in UTF-8 are its `size`.
    """
    parts: list[str] = []
    waiting: list[JsonValue | str] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            parts.append(item)
        elif item.kind in ("string", "literal"):
            parts.append(_scalar(text, item))
        elif item.items:
            waiting.extend(_backwards(item))
        else:
            parts.append("{}" if item.kind == "object" else "[]")
    return "".join(parts)


def _backwards(value: JsonValue) -> Iterator[JsonValue | str]:
    """Give what a value with members consists of, from its end."""
    yield _CLOSING[value.kind]
    keys = value.keys if value.kind == "object" else None
    for number in range(len(value.items) - 1, -1, -1):
        yield value.items[number]
        if keys is not None:
            yield f"{spell(keys[number])}:"
        if number:
            yield ","
    yield "{" if keys is not None else "["


def _scalar(text: str, value: JsonValue) -> str:
    written = text[value.at : value.end]
    if value.kind == "string":
        return respelled(written, decoded(written))
    return f'"{written}"' if written in _NOT_FINITE else written


def _order(key: str) -> tuple[int, int, str]:
    """Order whole numbers by value and all else by code points, which is the order of the bytes in UTF-8."""
    return (0, len(key), key) if _INDEX.match(key) else (1, 0, key)
