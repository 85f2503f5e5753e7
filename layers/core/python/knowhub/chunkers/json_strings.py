"""Cutting one long string so that each part, spelled as JSON, takes so many bytes at most."""

from collections.abc import Iterator

from knowhub.chunkers.boundaries import cut_in_window

_ASCII = 0x80
_TWO_BYTES = 0x800
_SPACE = 0x20
_BEYOND_BMP = 0x10000
_SURROGATES = range(0xD800, 0xE000)
_SHORT_ESCAPES = frozenset('"\\\b\f\n\r\t')
_LONG_ESCAPE = 6
"""Bytes of an escape with four digits."""


def cut_string(text: str, budget: int) -> Iterator[tuple[int, int]]:
    """Cut at natural boundaries, else between code points; the range is empty where one alone is over the budget.

    The bytes are those between the quotes.
    """
    start = 0
    while start < len(text):
        limit = _reach(text, start, budget)
        if limit == start:
            yield start, start
            return
        end = limit if limit == len(text) else cut_in_window(text, start, limit)
        yield start, end
        start = end


def _reach(text: str, start: int, budget: int) -> int:
    """Find how far the budget goes."""
    position = start
    while position < len(text):
        budget -= _cost(text[position])
        if budget < 0:
            break
        position += 1
    return position


def _cost(char: str) -> int:
    code = ord(char)
    if code < _ASCII:
        if char in _SHORT_ESCAPES:
            return 2
        return _LONG_ESCAPE if code < _SPACE else 1
    if code < _TWO_BYTES:
        return 2
    if code in _SURROGATES:
        return _LONG_ESCAPE
    return 3 if code < _BEYOND_BMP else 4
