"""The JSON chunker: every chunk is an object that keeps the way to what it holds.

Sizes are bytes of a chunk in UTF-8. A value that fits is never taken apart; of one that does not, the members are
packed in order, an array's under their indexes. Merging the chunks' objects, and joining the strings that meet, gives
the document back.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator

from knowhub.chunkers.json_packing import OpenChunk, Part
from knowhub.chunkers.json_strings import cut_string
from knowhub.chunkers.options import DEFAULT_JSON_SIZE, ChunkOptions, InvalidChunkSize, check
from knowhub.errors import InvalidRequest, Unreadable
from knowhub.model.chunk import Locator, Piece, Span
from knowhub.model.json_compact import compact, string_of
from knowhub.model.json_spelling import spell
from knowhub.model.json_text import JsonParser, JsonSyntaxError, JsonValue

DEFAULT_SIZE = DEFAULT_JSON_SIZE
"""Bytes of one chunk in UTF-8."""

_LONGEST_PLACE = 200
"""Of a path told in an error: a key may be megabytes long."""

WRAPPER = "content"
"""The key under which a root that is no object stands in the chunks."""

ROOT = "$"
"""The path of a chunk that holds parts of the root itself."""

_MOST_GROWTH = 10
"""How many times longer the chunks together may be than the document, because of the paths that they repeat."""
_GROWTH_ALLOWED = 1_000_000
_BETWEEN = re.compile(r"[ \t\n\r,]*+")
_GAP = 1_000


class ValueTooLarge(InvalidChunkSize):
    """A value that can't be cut does not fit into a chunk together with its path."""


def chunk(text: str, options: ChunkOptions) -> list[Piece]:
    """Cut a JSON document, or with `preserve_lines` a text with one JSON value a line.

    `options.overlap` is checked and has no effect. Raises what `options.check` raises, `ValueTooLarge`, and
    `Unreadable` for text that is no JSON or whose paths would fill the chunks.
    """
    check(text, options)
    root = _records(text) if options.preserve_lines else _document(text)
    places = _Places(text, wrapped=root.kind != "object")
    return [places.piece(part) for part in _cut(text, root, options.size)]


def _document(text: str) -> JsonValue:
    try:
        return JsonParser(text).document()
    except JsonSyntaxError as error:
        raise Unreadable(f"the text is no JSON: {error} at {error.where}", {"reason": "NO_JSON"}) from error


def _records(text: str) -> JsonValue:
    """Read one value a line as the items of an array."""
    records = JsonValue("array", 0, 0, len(text), 0)
    records.items, records.is_plain = [], False
    parser = JsonParser(text)
    start = 0
    for line in text.split("\n"):
        if line.strip():
            try:
                records.items.append(parser.document(start, start + len(line)))
            except JsonSyntaxError as error:
                message = f"the text is not one JSON value a line: {error} at {error.where}"
                raise Unreadable(message, {"reason": "NO_JSON"}) from error
        start += len(line) + 1
    records.size = 2 + sum(item.size for item in records.items) + max(0, len(records.items) - 1)
    return records


def _cut(text: str, root: JsonValue, size: int) -> Iterator[Part]:
    most = _MOST_GROWTH * len(text.encode("utf-8", "surrogatepass")) + _GROWTH_ALLOWED
    if root.kind == "object" and not root.items:
        yield Part("{}", [Span(root.start, root.end)], [])
    for part in _Walk(text, size).parts(root):
        most -= len(part.text)
        if most < 0:
            message = f"the paths of this JSON document are too long for chunks of {size} bytes"
            raise Unreadable(message, {"reason": "PATHS_TOO_LONG"})
        yield part


class _Walk:
    """One walk over a document, which fills chunk after chunk."""

    def __init__(self, text: str, size: int) -> None:
        self._text = text
        self._size = size
        self._chunk = OpenChunk(size)

    def parts(self, root: JsonValue) -> Iterator[Part]:
        """Visit values in order, and descend into those alone that fit no chunk."""
        levels = [root.members() if root.kind == "object" else iter([(WRAPPER, root)])]
        path = _Path()
        while levels:
            member = next(levels[-1], None)
            if member is None:
                levels.pop()
                path.leave()
                self._chunk.leave(path.depth)
                continue
            key, value = member
            if path.alone(key) + value.size <= self._size:
                yield from self._whole(path, key, value)
            elif value.items:
                path.enter(key)
                levels.append(value.members())
            else:
                yield from self._scalar(path, key, value)
        yield from self._flush()

    def _whole(self, path: "_Path", key: str, value: JsonValue) -> Iterator[Part]:
        if not self._chunk.has_room(path.keys, key, value.size):
            yield from self._flush()
        self._chunk.add(path.keys, key, compact(self._text, value), Span(value.start, value.end))

    def _scalar(self, path: "_Path", key: str, value: JsonValue) -> Iterator[Part]:
        """Cut a string under its path; its last part leaves its chunk open for what follows."""
        overhead = path.alone(key)
        if value.kind != "string":
            raise self._too_large([*path.keys, key], overhead + value.size)
        yield from self._flush()
        characters = string_of(self._text, value)
        verbatim = len(characters) == value.end - value.at - 2
        for start, end in cut_string(characters, self._size - overhead - 2):
            if end <= start:
                raise self._too_large([*path.keys, key], overhead + len(spell(characters[start : start + 1]).encode()))
            yield from self._flush()
            first = value.start if not start else value.at + 1 + start
            last = value.end if end == len(characters) else value.at + 1 + end
            span = Span(first, last) if verbatim else Span(value.start, value.end)
            self._chunk.add(path.keys, key, spell(characters[start:end]), span)

    def _flush(self) -> Iterator[Part]:
        if self._chunk.spans:
            yield self._chunk.part()
            self._chunk = OpenChunk(self._size)

    def _too_large(self, keys: list[str], needed: int) -> InvalidRequest:
        place = ".".join(keys)
        place = place if len(place) <= _LONGEST_PLACE else f"{place[:_LONGEST_PLACE]}…"
        message = f'json value at "{place}" requires {needed} bytes, exceeds chunk size {self._size}'
        error = {"loc": ["chunking", "size"], "type": "value_error", "message": message}
        return ValueTooLarge(message, {"errors": [error]})


class _Path:
    """The keys from the root to the value in hand, and what they cost in a chunk of their own."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self._costs = [2]

    @property
    def depth(self) -> int:
        """How many keys there are."""
        return len(self.keys)

    def alone(self, key: str) -> int:
        """Count the bytes of a chunk that holds one member under this path, without its value."""
        return self._costs[-1] + len(spell(key).encode()) + 1

    def enter(self, key: str) -> None:
        """Go down into a member."""
        self._costs.append(self.alone(key) + 2)
        self.keys.append(key)

    def leave(self) -> None:
        """Go up, if that is possible."""
        if self.keys:
            self.keys.pop()
            self._costs.pop()


class _Places:
    """Makes pieces of parts: spans that touch become one, and lines are counted once for the whole text."""

    def __init__(self, text: str, *, wrapped: bool) -> None:
        self._text = text
        self._steps = 1 if wrapped else 0
        self._line_ends = [match.start() for match in re.finditer("\n", text)]

    def piece(self, part: Part) -> Piece:
        spans = self._joined(sorted(part.spans, key=lambda span: span.start))
        start, end = spans[0].start, spans[-1].end
        lines = bisect_left(self._line_ends, start) + 1, bisect_left(self._line_ends, end - 1) + 1
        path = ".".join(part.path[self._steps :])
        locator = Locator(start, end, *lines, json_path=path or ROOT)
        return Piece(part.text, own_spans=tuple(spans), locator=locator, chunk_type="json")

    def _joined(self, spans: list[Span]) -> list[Span]:
        joined: list[Span] = []
        for span in spans:
            if joined and self._touch(joined[-1].end, span.start):
                joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
            else:
                joined.append(span)
        return joined

    def _touch(self, end: int, start: int) -> bool:
        if start <= end:
            return True
        match = _BETWEEN.match(self._text, end, min(start, end + _GAP))
        return match is not None and match.end() == start
