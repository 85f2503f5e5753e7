"""Front matter: the block of metadata at the head of a Markdown file.

A small, safe part of YAML is read: `key: value`, lists in brackets or one item a line, quoted strings, numbers,
booleans and null. Whatever goes beyond that leaves the whole block where it is, as text. Between lines of `+++` it is
TOML, the tables of which become keys with dots.
"""

import datetime as dt
import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping

from knowhub.model.document import Loss

_FENCE = re.compile(r"---[ \t]*\Z")
_TOML_FENCE = re.compile(r"\+\+\+[ \t]*\Z")
_LONGEST_TOML = 100_000
_MEANT = re.compile(r"[\[{&*!|>%@\"'?]|- |[^\s].*?:(?:\s|\Z)|:")
"""How a line begins that is meant for metadata, and is no prose between two rules."""
_END = re.compile(r"(?:---|\.\.\.)[ \t]*\Z")
_ENTRY = re.compile(r"([A-Za-z0-9_][\w .-]*?)[ \t]*:(?:[ \t]+(.*))?\Z")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)\Z")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?\Z")
_COMMENT = re.compile(r"[ \t]+#.*\Z")
_CONSTANTS: tuple[tuple[frozenset[str], object], ...] = (
    (frozenset({"true", "True", "TRUE"}), True),
    (frozenset({"false", "False", "FALSE"}), False),
    (frozenset({"null", "Null", "NULL", "~", ""}), None),
)
_BEYOND = frozenset("{}&*!|>%@`[]")
"""Marks with which a plain value can't begin in YAML: flow maps, anchors, tags, block scalars."""
MOST_LINES = 1000
_LONGEST_NUMBER = 300


class _Beyond(Exception):
    """The block uses more of YAML than is read here."""


def split(text: str) -> tuple[dict[str, object], str, tuple[Loss, ...]]:
    """Take front matter off the text: its entries, what follows it, and a loss where it could not be read.

    Text without front matter, and text whose front matter is beyond this reader, comes back whole.
    """
    head, _, _ = text.partition("\n")
    if _TOML_FENCE.match(head):
        return _split_toml(text)
    if not _FENCE.match(head):
        return {}, text, ()
    lines = text.split("\n", MOST_LINES)
    end = next((at for at, line in enumerate(lines[1:MOST_LINES], 1) if _END.match(line)), 0)
    if not end or not _looks_like_entries(lines[1:end]):
        return {}, text, ()
    try:
        entries = _parse(lines[1:end])
    except _Beyond as beyond:
        return {}, text, (Loss("FRONT_MATTER_UNREADABLE", str(beyond), "the front matter was kept as text"),)
    return entries, "\n".join(lines[end + 1 :]).lstrip("\n"), ()


def _looks_like_entries(lines: list[str]) -> bool:
    """Whether the first line with words is an entry or meant for one: a rule may begin a text as well."""
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    return not first or bool(_ENTRY.match(first) or _MEANT.match(first))


def _split_toml(text: str) -> tuple[dict[str, object], str, tuple[Loss, ...]]:
    lines = text.split("\n", MOST_LINES)
    end = next((at for at, line in enumerate(lines[1:MOST_LINES], 1) if _TOML_FENCE.match(line)), 0)
    if not end:
        return {}, text, ()
    block = "\n".join(lines[1:end])
    try:
        entries = dict(_flat(_toml(block), ""))
    except (_Beyond, ValueError, RecursionError) as error:
        said = error if isinstance(error, _Beyond) else f"lines 2 to {end}"
        return {}, text, (Loss("FRONT_MATTER_UNREADABLE", str(said), "the front matter was kept as text"),)
    return entries, "\n".join(lines[end + 1 :]).lstrip("\n"), ()


def _toml(block: str) -> dict[str, object]:
    if len(block) > _LONGEST_TOML:
        raise _Beyond("line 1")
    return tomllib.loads(block)


def _flat(table: Mapping[str, object], path: str) -> Iterator[tuple[str, object]]:
    """Walk the entries of a table and those in it, by keys joined with dots."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{path}{key}.")
        elif isinstance(value, list):
            yield f"{path}{key}", [_simple(each) for each in value]
        else:
            yield f"{path}{key}", _simple(value)


def _simple(value: object) -> object:
    if isinstance(value, list | dict):
        raise _Beyond("a list of lists or tables")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _parse(lines: list[str]) -> dict[str, object]:
    entries: dict[str, object] = {}
    items: list[object] | None = None
    for number, line in enumerate(lines, 2):
        where = f"line {number}"
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        item = _ITEM.match(line)
        if item is not None and items is not None:
            items.append(_scalar(item.group(1), where))
            continue
        entry = _ENTRY.match(line)
        if entry is None or entry.group(1) in entries:
            raise _Beyond(where)
        key, raw = entry.group(1), _without_comment(entry.group(2) or "")
        items = [] if not raw else None
        entries[key] = items if items is not None else _value(raw, where)
    return {key: value if value != [] else None for key, value in entries.items()}


def _without_comment(raw: str) -> str:
    stripped = raw.strip()
    if stripped.startswith("#"):
        return ""
    return stripped if stripped[:1] in ("'", '"') else _COMMENT.sub("", stripped)


def _value(raw: str, where: str) -> object:
    if raw == "[]":
        return ()
    if raw.startswith("[") and raw.endswith("]"):
        return [_scalar(item, where) for item in _split_items(raw[1:-1], where)]
    return _scalar(raw, where)


_FLOW_ITEM = re.compile(r"\s*(\"(?:[^\"\\]|\\.)*+\"|'(?:[^']|'')*+'|[^,\"'\[\]{}]*+)\s*(?:,|\Z)")


def _split_items(inside: str, where: str) -> list[str]:
    items = []
    position = 0
    while position < len(inside):
        match = _FLOW_ITEM.match(inside, position)
        if match is None:
            raise _Beyond(where)
        items.append(match.group(1).strip())
        position = match.end()
    return items


def _scalar(raw: str, where: str) -> object:
    plain = _without_comment(raw)
    if plain.startswith('"'):
        return _double_quoted(plain, where)
    if plain.startswith("'"):
        return _single_quoted(plain, where)
    for spellings, constant in _CONSTANTS:
        if plain in spellings:
            return constant
    number = _NUMBER.match(plain) if len(plain) <= _LONGEST_NUMBER else None
    if number is not None:
        return float(plain) if number.group(1) else int(plain)
    if plain[0] in _BEYOND or ": " in plain or plain.endswith(":") or plain.startswith(("- ", "? ")):
        raise _Beyond(where)
    return plain


def _double_quoted(raw: str, where: str) -> str:
    try:
        value = json.loads(raw)
    except ValueError as error:
        raise _Beyond(where) from error
    return str(value)


def _single_quoted(raw: str, where: str) -> str:
    inside = raw[1:-1]
    if len(raw) < 2 or not raw.endswith("'") or "'" in inside.replace("''", ""):  # noqa: PLR2004 - the two quotes
        raise _Beyond(where)
    return inside.replace("''", "'")
