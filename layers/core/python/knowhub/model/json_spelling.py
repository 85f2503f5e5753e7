"""Strings as JSON spells them."""

import json
import re

_SURROGATE = re.compile("[\ud800-\udfff]")
_DECODER = json.JSONDecoder(strict=False)
_ENCODER = json.JSONEncoder(ensure_ascii=False)


def spell(text: str) -> str:
    """Write a string as JSON; half a surrogate pair stays an escape, since bytes can't hold it."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    spelled = _ENCODER.encode(text)
    if spelled.isascii():
        return spelled
    return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", spelled)


def respelled(written: str, decoded: str) -> str:
    """Spell a string; one without escapes and with visible characters alone is spelled that way already."""
    return written if len(written) == len(decoded) + 2 and decoded.isprintable() else spell(decoded)


def decoded(written: str) -> str:
    """Read a quoted string; a raw line end or tab within it is taken as it stands."""
    if "\\" not in written:
        return written[1:-1]
    return str(_DECODER.decode(written))
