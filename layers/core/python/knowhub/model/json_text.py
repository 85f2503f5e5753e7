"""JSON text as values with their places: read without recursion, spelled again byte for byte where it matters.

Numbers are never turned into machine numbers, so that big integers, `1.50` and `1e400` stay what they are. Members come
in one fixed order, whatever the source's: whole numbers by value, then all other keys by their bytes.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Literal, TypeAlias

from knowhub.errors import Unreadable
from knowhub.model.json_check import is_regular
from knowhub.model.json_spelling import decoded, respelled, spell

MOST_LEVELS = 200
"""Objects and arrays within each other."""

MOST_VALUES = 2_000_000
"""Values in one document: about 400 MB while it is being cut."""

Kind: TypeAlias = Literal["object", "array", "string", "literal"]

_WHITE = r"[ \t\n\r]*+"
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+(?![0-9A-Za-z_.+-])"
_SPACE = re.compile(_WHITE)
_COMMA = re.compile(rf",{_WHITE}")
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_KEY = re.compile(rf'"([^"\\]*+)"{_WHITE}:{_WHITE}')
_SCALAR = re.compile(rf'("[^"\\]*+"|{_NUMBER}|(?:true|false|null)\b){_WHITE}')
_NOT_FINITE_LITERAL = re.compile(r"(?:NaN|-?Infinity)\b")
NOT_FINITE = frozenset({"NaN", "Infinity", "-Infinity"})
_INDEX = re.compile(r"(?:0|[1-9][0-9]*+)\Z")
_BEHIND_DIGITS = ":"
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
    are the members of an object in the fixed order, and `items` alone those of an array. `is_plain` says that the
    compact spelling is what the text has there, but for white space.
    """

    __slots__ = ("at", "end", "is_plain", "items", "keys", "kind", "size", "start")

    def __init__(self, kind: Kind, start: int, at: int, end: int, size: int) -> None:
        """Make a value without members."""
        self.kind: Kind = kind
        self.start = start
        self.at = at
        self.end = end
        self.size = size
        self.is_plain = True
        # Most values have no members: they share two lists that nobody writes to.
        self.keys: list[str] = _NO_KEYS
        self.items: list[JsonValue] = _NO_ITEMS

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


class _Level:
    """A value that is open: what it holds so far, and the key of the member that is being read."""

    __slots__ = ("is_object", "items", "key", "members", "value")

    def __init__(self, value: JsonValue) -> None:
        self.value = value
        self.is_object = value.kind == "object"
        self.key = ""
        self.members: dict[str, JsonValue] = {}
        self.items: list[JsonValue] = []

    def add(self, value: JsonValue) -> None:
        """Take in a value; of equal keys the last one counts, at the place of the first."""
        if self.is_object:
            self.members[self.key] = value
        else:
            self.items.append(value)


@dataclass(slots=True)
class JsonParser:
    """Reads values from one text; `oddities` fills as it goes."""

    text: str
    oddities: Oddities = field(default_factory=Oddities)
    _count: int = 0
    _key_sizes: dict[str, int] = field(default_factory=dict)

    def check(self) -> None:
        """Do all that `document` does for the whole text, but give no value, which is much faster."""
        if not is_regular(self.text, most_levels=MOST_LEVELS, most_values=MOST_VALUES):
            self.document()

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
        """Read a value; `start` is where it begins with its key, and `at` where without."""
        levels: list[_Level] = []
        start = at = self._skip(position)
        while True:
            value, position = self._begin(at, start, len(levels))
            if value.end == value.at:
                levels.append(_Level(value))
            else:
                while levels and (comma := _COMMA.match(self.text, position)) is None:
                    levels[-1].add(value)
                    value = self._close(levels.pop(), position)
                    position = self._skip(value.end)
                if not levels or comma is None:
                    return value
                levels[-1].add(value)
                position = comma.end()
            start = at = position
            if levels[-1].is_object:
                at = self._key(levels[-1], start)

    def _begin(self, at: int, start: int, depth: int) -> tuple[JsonValue, int]:
        """Read a scalar, or the beginning of what has members; also say where white space behind it ends."""
        self._count += 1
        if self._count > MOST_VALUES:
            raise Unreadable(f"the JSON holds more than {MOST_VALUES} values", {"reason": "TOO_MANY_VALUES"})
        match = _SCALAR.match(self.text, at)
        if match is None:
            return self._open(at, start, depth) if self.text.startswith(("{", "["), at) else self._odd(at, start)
        written = match.group(1)
        if written[0] != '"':
            return JsonValue("literal", start, at, match.end(1), len(written)), match.end()
        if not written.isprintable():
            return self._odd(at, start)
        size = len(written) if written.isascii() else len(written.encode())
        return JsonValue("string", start, at, match.end(1), size), match.end()

    def _open(self, at: int, start: int, depth: int) -> tuple[JsonValue, int]:
        """Begin an object or an array, which ends where it begins as long as it is open."""
        kind: Kind = "object" if self.text[at] == "{" else "array"
        if depth >= MOST_LEVELS:
            line = self.text.count("\n", 0, at) + 1
            message = f"the JSON nests deeper than {MOST_LEVELS} levels at line {line}"
            raise Unreadable(message, {"reason": "TOO_DEEP"})
        value = JsonValue(kind, start, at, at, 2)
        position = self._skip(at + 1)
        if self.text.startswith(CLOSING[kind], position):
            value.end = position + 1
            position = self._skip(value.end)
        return value, position

    def _odd(self, at: int, start: int) -> tuple[JsonValue, int]:
        """Read a string that may have to be spelled otherwise, or a number that JSON has not."""
        value = JsonValue("string", start, at, at, 0)
        value.is_plain = False
        if self.text.startswith('"', at):
            written = self._written(at)
            value.size = len(respelled(written, self._decode(at, written)).encode())
        else:
            match = _NOT_FINITE_LITERAL.match(self.text, at)
            if match is None:
                raise JsonSyntaxError(self.text, at, "a value")
            written = match.group()
            value.kind, value.size = "literal", len(written) + 2
            self._note_not_finite(at, written)
        value.end = at + len(written)
        return value, self._skip(value.end)

    def _note_not_finite(self, at: int, spelling: str) -> None:
        self.oddities.first_not_finite = self.oddities.first_not_finite if self.oddities.not_finite else (at, spelling)
        self.oddities.not_finite += 1

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

    def _key(self, level: _Level, position: int) -> int:
        """Read a key and its colon, and say where the value begins."""
        match = _KEY.match(self.text, position)
        key, at = (match.group(1), match.end()) if match else self._odd_key(level, position)
        if key in level.members:
            if not self.oddities.duplicate_keys:
                self.oddities.first_duplicate = (position, key[:_LONGEST_NAME])
            self.oddities.duplicate_keys += 1
            level.value.is_plain = False
        if key not in self._key_sizes:
            self._key_sizes[key] = len(spell(key).encode()) + 1
        if not key.isprintable():
            level.value.is_plain = False
        level.key = key
        return at

    def _odd_key(self, level: _Level, position: int) -> tuple[str, int]:
        level.value.is_plain = False
        if not self.text.startswith('"', position):
            raise JsonSyntaxError(self.text, position, "a key in double quotes")
        written = self._written(position)
        key = self._decode(position, written)
        colon = self._skip(position + len(written))
        if not self.text.startswith(":", colon):
            raise JsonSyntaxError(self.text, colon, "a colon")
        return key, self._skip(colon + 1)

    def _close(self, level: _Level, position: int) -> JsonValue:
        value = level.value
        if not self.text.startswith(CLOSING[value.kind], position):
            raise JsonSyntaxError(self.text, position, f"a comma or {CLOSING[value.kind]}")
        value.end = position + 1
        value.items = level.items
        if level.is_object:
            value.keys = _in_order(level.members)
            value.items = [level.members[key] for key in value.keys]
            value.is_plain = value.is_plain and value.keys == list(level.members)
        value.is_plain = value.is_plain and all(map(_IS_PLAIN, value.items))
        value.size = 1 + len(value.items) + sum(map(_SIZE, value.items))
        value.size += sum(map(self._key_sizes.__getitem__, value.keys))
        return value

    def _skip(self, position: int) -> int:
        match = _SPACE.match(self.text, position)
        return match.end() if match else position


_SIZE = attrgetter("size")
_IS_PLAIN = attrgetter("is_plain")
CLOSING: dict[Kind, str] = {"object": "}", "array": "]", "string": '"', "literal": ""}
"""The mark behind the members of a value."""


def _in_order(keys: Collection[str]) -> list[str]:
    """Sort whole numbers by value and all else by code points, which is the order of the bytes in UTF-8."""
    found = sorted(keys)
    if found[0] < _BEHIND_DIGITS:
        found.sort(key=_order)
    return found


def _order(key: str) -> tuple[int, int, str]:
    return (0, len(key), key) if _INDEX.match(key) else (1, 0, key)
