"""Values of JSON text spelled without white space, their members in the fixed order and their numbers as written."""

import re
from collections.abc import Iterator

from knowhub.model.json_spelling import decoded, respelled, spell
from knowhub.model.json_text import CLOSING, NOT_FINITE, JsonValue

_PLAIN_TOKENS = re.compile(r'"[^"]*+"|[^" \t\n\r]++')


def string_of(text: str, value: JsonValue) -> str:
    """Give the characters of a string value."""
    return decoded(text[value.at : value.end])


def compact(text: str, value: JsonValue) -> str:
    """Spell a value; its bytes in UTF-8 are its `size`."""
    parts: list[str] = []
    waiting: list[JsonValue | str] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            parts.append(item)
        elif item.is_plain:
            parts.append(_plain(text, item))
        elif item.items:
            waiting.extend(_backwards(item))
        else:
            parts.append(_scalar(text, item))
    return "".join(parts)


def _plain(text: str, value: JsonValue) -> str:
    """Take a value from the text, without the white space between its strings."""
    written = text[value.at : value.end]
    return written if len(written.encode()) == value.size else "".join(_PLAIN_TOKENS.findall(written))


def _backwards(value: JsonValue) -> Iterator[JsonValue | str]:
    """Give what a value with members consists of, from its end."""
    yield CLOSING[value.kind]
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
    return f'"{written}"' if written in NOT_FINITE else written
