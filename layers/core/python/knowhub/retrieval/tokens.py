"""Cut text into tokens, and tokens into parts: where words, identifiers, numbers and runs of ideographs begin and end.

Three shapes of token come out of `scan`:

- a run of a script that is written without spaces (`is_run`), which the analyser turns into bigrams;
- a word, number or identifier, with its separators inside (`snake_case`, `kebab-case`, `dotted.path`, `don't`);
- a number with grouped thousands, or a name such as `C++` that ends in signs.

Everything works on normalised text: NFKC, without characters that only steer the rendering.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

Range: TypeAlias = tuple[int, int]

# Scripts written without spaces between words. Hangul has spaces, but its words carry their particles with them, and
# bigrams find the noun in them; it makes runs of its own, because a change of script is a change of word there.
_IDEOGRAPHS = (
    "\u3005-\u3007\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
)
_HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
_SOUTH_EAST_ASIAN = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u108f\u1780-\u17d3"
_RUN_SCRIPTS = _IDEOGRAPHS + _HANGUL + _SOUTH_EAST_ASIAN

# Python's \w leaves out combining marks, which would cut Arabic, Hebrew, Indic and decomposed Latin words at each.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0816-\u082d\u0859-\u085b"
    "\u08d3-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7\u09e2\u09e3\u0a01-\u0a03"
    "\u0a3c-\u0a51\u0a70\u0a71\u0a75\u0a81-\u0a83\u0abc-\u0acd\u0ae2\u0ae3\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bd7"
    "\u0c00-\u0c04\u0c3e-\u0c56\u0c62\u0c63\u0c81-\u0c83\u0cbc-\u0cd6\u0ce2\u0ce3\u0d00-\u0d03\u0d3b-\u0d57\u0d62\u0d63"
    "\u0d81-\u0d83\u0dca-\u0ddf\u0df2\u0df3\u0f18\u0f19\u0f35\u0f37\u0f39\u0f71-\u0f84\u0f8d-\u0fbc\u1ab0-\u1aff"
    "\u1dc0-\u1dff\u20d0-\u20f0\ua802\ua823-\ua827\ua880\ua881\ua8b4-\ua8c5\ua8e0-\ua8f1\ufe20-\ufe2f"
)

# Characters that only steer the rendering; a soft hyphen or a joiner inside a word must not cut it.
_STEERING = "\u00ad\u200c\u200d\u2060\ufe00-\ufe0f\ufeff"
_STEERED = re.compile(f"[{_STEERING}]+")

JOINED_TO_THE_LEFT = f"{_STEERING}{_MARKS}\u1160-\u11ff\u3099\u309a"
"""A character class's inside: what normalisation may merge with the character before it. (The first two of the last
three are the vowels and finals of Hangul, then the voicing marks of kana.)"""


def _scanner(skipped: str, *tokens: str) -> re.Pattern[str]:
    """Compose a pattern that skips to the next token and has it as its group, None at the end of the text.

    It matches wherever it is tried, and its quantifiers are possessive: no text makes it go back, so scanning takes
    linear time.
    """
    return re.compile(rf"{skipped}(?:({'|'.join(tokens)})|\Z)")


_GROUPED_NUMBER = r"[0-9]{1,3}(?:,[0-9]{3})++(?:\.[0-9]++)?(?!\w)"  # 1,234,567.89
_SIGNED_NAME = r"[A-Za-z](?:\+\+|#)(?!\w)"  # C++, C#
_OTHER_LETTERS = rf"[^\W_A-Za-z0-9{_RUN_SCRIPTS}]++"
_WORD = rf"(?:[A-Za-z0-9]++|{_OTHER_LETTERS})(?:[A-Za-z0-9]++|{_OTHER_LETTERS}|[{_MARKS}]++)*+"

_ASCII_TOKENS = _scanner(
    "[^A-Za-z0-9]*+", _GROUPED_NUMBER, _SIGNED_NAME, r"[A-Za-z0-9]++(?:(?:_++|['.\-])[A-Za-z0-9]++)*+"
)


@cache
def _tokens() -> re.Pattern[str]:
    """Give the pattern for text of any script; compiling its classes takes too long for a function's start."""
    return _scanner(
        rf"(?:[^\w{_RUN_SCRIPTS}]++|_++)*+",
        _GROUPED_NUMBER,
        _SIGNED_NAME,
        rf"{_WORD}(?:(?:_++|['.\-]){_WORD})*+",
        f"[{_IDEOGRAPHS}]++",
        f"[{_HANGUL}]++",
        f"[{_SOUTH_EAST_ASIAN}]++",
    )


_RUN = re.compile(f"[{_RUN_SCRIPTS}]")

_COMPONENTS = re.compile(
    r"(?P<prefix>[A-Za-z]*+)(?P<number>[0-9]++(?:\.[0-9]++)++)[A-Za-z]*+[0-9]*+(?![^\W_])|(?P<word>[^_'.\-]++)"
)
_ASCII_PARTS = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SHAPES = re.compile(r"U{2,}s(?![sl])|U+(?![sl])|U?[sl]+|d+")

# Beyond this many parts, with parts this short, a component is a hash or an encoded blob: nobody asks for its parts.
_MANY_PARTS = 4
_SHORT_PART = 3


@dataclass(frozen=True, slots=True)
class Component:
    """A stretch of a token between separators; the ranges count within the token.

    `parts` are its words and numbers in order, one or more. `inner` is the number within a version (`1.2` of `v1.2rc1`)
    where it is no part itself.
    """

    whole: Range
    parts: tuple[Range, ...]
    inner: Range | None = None


def normalise(text: str) -> str:
    """Bring text to the form that everything else here works on; ASCII comes back as it is."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", _STEERED.sub("", text))
    return text.replace("\u2019", "'").replace("\u02bc", "'").replace("\u2010", "-")


def scan(text: str) -> list[str]:
    """List the tokens of normalised text, in order."""
    tokens: list[str] = (_ASCII_TOKENS if text.isascii() else _tokens()).findall(text)
    while tokens and not tokens[-1]:
        tokens.pop()
    return tokens


def scan_ranges(text: str) -> Iterator[Range]:
    """Yield where the tokens of normalised text start and end, in order."""
    for match in (_ASCII_TOKENS if text.isascii() else _tokens()).finditer(text):
        if match[1]:
            yield match.span(1)


def is_run(token: str) -> bool:
    """Tell whether a token is a run of a script without spaces."""
    return token[0] >= "\u0e01" and _RUN.match(token) is not None


def components(token: str) -> list[Component]:
    """Split a token at its separators, and what lies between them at changes of case and between letters and digits.

    Numbers with dots stay whole, and so do a one-letter prefix and a suffix of theirs: `3.14`, `v1.2.3rc1`.
    """
    found = []
    for match in _COMPONENTS.finditer(token):
        start, end = match.span()
        if match["number"] is None:
            found.append(Component((start, end), tuple((start + a, start + b) for a, b in _parts(match["word"]))))
        else:
            found.append(_version(match))
    return found


def _version(match: re.Match[str]) -> Component:
    start, end = match.span()
    number = match.span("number")
    name_end = match.end("prefix")
    if name_end - start > 1:
        return Component((start, end), ((start, name_end), (name_end, end)), None if number[1] == end else number)
    return Component((start, end), ((start, end),), None if number == (start, end) else number)


def _parts(component: str) -> list[Range]:
    if component.isascii():
        parts = [match.span() for match in _ASCII_PARTS.finditer(component)]
    else:
        parts = [match.span() for match in _SHAPES.finditer("".join(map(_shape, component)))]
    if not parts or (len(parts) > _MANY_PARTS and len(component) < _SHORT_PART * len(parts)):
        return [(0, len(component))]
    return parts


def _shape(character: str) -> str:
    if character.isdecimal():
        return "d"
    if character.isupper():
        return "U"
    return "s" if character == "s" else "l"
