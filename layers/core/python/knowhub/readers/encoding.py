"""From bytes to text: which encoding they are in, by evidence, and what could not be decoded.

In order: byte order mark, strict UTF-8, UTF-16 by its null bytes, the East Asian encodings by legibility, and at the
end UTF-8 with a few broken bytes or Windows-1252. Null bytes mean that a text is UTF-16, or that it is none; very few
of them are damage to a text.
"""

import re
from dataclasses import dataclass

from knowhub.errors import UnsupportedMediaType
from knowhub.model.document import Loss
from knowhub.readers.legacy_encodings import by_legibility

SAMPLE_BYTES = 64 * 1024
"""How much of a document decides; a guess from the head is checked by decoding the whole."""

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_MOST_CONTROL_CHARACTERS = 0.02
_MOST_NULLS = 0.001
"""Share of a text's characters that may be null; a single one may be in any of several lines."""
_ONE_SIDED = 20
"""How many times more null bytes one side of the pairs has."""
_MOSTLY = 0.9
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_THREE_BYTES = re.compile("[\u0800-\U0010ffff]")
_FEWEST_PAIRS = 3
"""Characters of two bytes that make a text UTF-8 against its declaration: fewer may be letters of what it declares."""
_MOST_BROKEN = 0.05
"""Share of the characters beyond ASCII that may be broken in a text that is UTF-8 but for some bytes."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with line feeds only, the encoding's name as Python knows it, and what was replaced."""

    text: str
    encoding: str
    losses: tuple[Loss, ...] = ()


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """Decode a text document; raises `UnsupportedMediaType` where the bytes are no text.

    `declared` is the encoding that the document or its sender names, as Python spells it. It comes right behind a byte
    order mark, but bytes that are not in it, and tell another encoding without a loss, are believed more.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _finish(data[len(mark) :], encoding)
    if declared is None or _cannot_be(declared, data):
        return _by_evidence(data)
    stated = _finish(data, declared)
    if not stated.losses:
        return stated
    told = _by_evidence(data)
    return stated if told.losses else told


def _by_evidence(data: bytes) -> Decoded:
    has_nulls = b"\x00" in data[:SAMPLE_BYTES]
    if has_nulls:
        found = _utf16_by_nulls(data)
        return _finish(data, found or _without_nulls(data.replace(b"\x00", b"")))
    return _finish(data, _without_nulls(data))


def _without_nulls(data: bytes) -> str:
    if _decodes(data, "utf-8"):
        return "utf-8"
    return by_legibility(data) or ("utf-8" if _is_nearly_utf8(data) else "cp1252")


def _cannot_be(declared: str, data: bytes) -> bool:
    """Whether the bytes contradict an encoding in which most bytes decode to something.

    UTF-16 and UTF-32 have null bytes, and what is valid UTF-8 beyond ASCII is hardly ever a text in anything else.
    """
    if declared.startswith(("utf-16", "utf-32")):
        return b"\x00" not in data[:SAMPLE_BYTES]
    return not declared.startswith("utf-8") and _is_surely_utf8(data, 1 if declared == "cp1252" else _FEWEST_PAIRS)


def _is_surely_utf8(data: bytes, fewest_pairs: int) -> bool:
    """Whether bytes are strict UTF-8 with a character of three bytes, or with so many of two."""
    if data.isascii():
        return False
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return len(data) - len(text) >= fewest_pairs or _THREE_BYTES.search(text) is not None


def _finish(data: bytes, encoding: str) -> Decoded:
    losses: tuple[Loss, ...] = ()
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, errors="replace")
        count = text.count("\ufffd")
        losses = (Loss("UNDECODABLE_BYTES", f"{encoding} text", f"{count} places could not be decoded"),)
    _refuse_garbage(text)
    nulls = text.count("\x00")
    if nulls:
        line = text.count("\n", 0, text.index("\x00")) + 1
        losses = (*losses, Loss("UNDECODABLE_BYTES", f"line {line}", f"{nulls} null characters stand as U+FFFD"))
        text = text.replace("\x00", "\ufffd")
    return Decoded(text.replace("\r\n", "\n").replace("\r", "\n"), encoding, losses)


def _refuse_garbage(text: str) -> None:
    sample = text[:SAMPLE_BYTES].replace("\x00", "", 1)
    nulls = text.count("\x00")
    if nulls > max("\n" in text, _MOST_NULLS * len(text)) or len(
        _CONTROL.findall(sample)
    ) > _MOST_CONTROL_CHARACTERS * len(sample):
        raise UnsupportedMediaType("the bytes are no text: they hold control characters", {"type": "binary"})


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _is_nearly_utf8(data: bytes) -> bool:
    text = data.decode("utf-8", errors="replace")
    beyond = sum(char > "\x7f" for char in text)
    return text.count("\ufffd") <= _MOST_BROKEN * beyond


def _utf16_by_nulls(data: bytes) -> str | None:
    """Tell UTF-16 by null bytes on one side of the pairs only: each character below 256 has one there."""
    sample = data[:SAMPLE_BYTES]
    first, second = sample[::2].count(0), sample[1::2].count(0)
    if len(data) % 2 or min(first, second) * _ONE_SIDED > max(first, second):
        return None
    encoding = "utf-16-le" if second > first else "utf-16-be"
    text = sample.decode(encoding, errors="ignore")
    return (
        encoding if sum(map(str.isprintable, text)) >= _MOSTLY * len(text.replace("\n", "").replace("\r", "")) else None
    )
