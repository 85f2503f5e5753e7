"""Whether a text is JSON of the everyday kind, told by the interpreter's own scanner, which keeps nothing of it."""

import json
import re
from itertools import accumulate
from typing import NoReturn

_STRINGS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_NO_BRACKETS = re.compile(r"[^\[\]{}]++")
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}


def is_regular(text: str, *, most_levels: int, most_values: int) -> bool:
    """Whether the text is one value within the limits, without equal keys in one object, `NaN` and `Infinity`.

    False may also mean that it was not worth telling; True never lies.
    """
    openings = text.count("{") + text.count("[")
    if openings + text.count(",") >= most_values or (openings > most_levels and _levels(text) > most_levels):
        return False
    try:
        _SCANNER.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _levels(text: str) -> int:
    """Count how deep the brackets outside of strings nest."""
    brackets = _NO_BRACKETS.sub("", _STRINGS.sub("", text))
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0)


def _member_names(members: list[tuple[str, object]]) -> None:
    if len(dict(members)) != len(members):
        raise ValueError("equal keys")


def _not_finite(spelling: str) -> NoReturn:
    raise ValueError(spelling)


_SCANNER = json.JSONDecoder(
    strict=False, object_pairs_hook=_member_names, parse_float=len, parse_int=len, parse_constant=_not_finite
)
