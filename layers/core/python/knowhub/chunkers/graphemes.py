"""Where text may be cut without breaking what a reader sees as one character."""

import unicodedata

_ZWJ = "\u200d"
_JOINERS = frozenset("\u200c\u200d\uff9e\uff9f\u0e33\u0eb3")
_MARKS = frozenset({"Mn", "Me", "Mc"})
FIRST_MARK = "\u0300"
"""Every character before it stands by itself, but for a CRLF."""


def is_safe(text: str, position: int, origin: int) -> bool:
    """Whether a cut before `text[position]` keeps CRLF, a base with its marks, emoji sequences and flags whole.

    `origin` is a place known to be safe: flags are paired from there. Needs `origin < position < len(text)`.
    """
    before, after = text[position - 1], text[position]
    if after < FIRST_MARK:
        return not (after == "\n" and before == "\r")
    if before in "\n\r":
        return True
    if before == _ZWJ or _extends(after):
        return False
    if _is_flag_half(after):
        return _flag_halves_before(text, position, origin) % 2 == 0
    return not _joins_syllable(before, after)


def last_safe(text: str, position: int, origin: int) -> int:
    """Move a cut left to the nearest safe place after `origin`, or leave it where there is none."""
    for cut in range(position, origin, -1):
        if is_safe(text, cut, origin):
            return cut
    return position


def _extends(char: str) -> bool:
    if char in _JOINERS or "\U0001f3fb" <= char <= "\U0001f3ff" or "\U000e0020" <= char <= "\U000e007f":
        return True
    return unicodedata.category(char) in _MARKS


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flag_halves_before(text: str, position: int, origin: int) -> int:
    count = 0
    while position - count > origin and _is_flag_half(text[position - count - 1]):
        count += 1
    return count


def _joins_syllable(before: str, after: str) -> bool:
    """Whether two Hangul letters make one syllable (leading, vowel and trailing letters compose)."""
    left, right = _hangul(before), _hangul(after)
    return (left, right) in _SYLLABLE_PAIRS


_SYLLABLE_PAIRS = frozenset(
    {("L", "L"), ("L", "V"), ("L", "S"), ("L", "T"), ("V", "V"), ("V", "T"), ("S", "V"), ("S", "T"), ("T", "T")}
)


def _hangul(char: str) -> str:
    if "\u1100" <= char <= "\u115f" or "\ua960" <= char <= "\ua97c":
        return "L"
    if "\u1160" <= char <= "\u11a7" or "\ud7b0" <= char <= "\ud7c6":
        return "V"
    if "\u11a8" <= char <= "\u11ff" or "\ud7cb" <= char <= "\ud7fb":
        return "T"
    return "S" if "\uac00" <= char <= "\ud7a3" else ""
