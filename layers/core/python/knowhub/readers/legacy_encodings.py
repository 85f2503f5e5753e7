"""Telling the East Asian encodings apart by what their text would look like.

They use the same bytes, so that most texts decode in several. Wrongly decoded, a text has hardly any of the characters
that every text of its language is full of.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

SAMPLE_BYTES = 16 * 1024
_MOST_BROKEN = 0.02
"""Share of the characters beyond ASCII that may be broken."""
_BROKEN_LEAST = 0.1
_LEGIBLE = 0.6
"""Share of the characters beyond ASCII that must be usual ones; names and rare signs are the rest."""


@dataclass(frozen=True, slots=True)
class _Script:
    """What a text in this encoding looks like: `usual` characters make it up, `frequent` ones recur in any of it.

    `least` is the share of frequent characters without which it is not believed. `wider` is the vendor's encoding that
    has more characters in the same places; it is named only where a text needs one of them.
    """

    encoding: str
    wider: str
    usual: Callable[[str], bool]
    frequent: frozenset[str]
    least: float


def by_legibility(data: bytes) -> str | None:
    """Choose the encoding whose text is the most legible, ties in the order of the contract; None where none is.

    Where no encoding has all of the bytes, one that lacks a few of them will do: files are cut off, or patched.
    """
    return _best(data, _whole) or _best(data, _nearly_whole)


def _best(data: bytes, decoded: "_Decode") -> str | None:
    best, best_score = None, 0.0
    for script in _scripts():
        for encoding in (script.encoding, script.wider):
            text = decoded(data, encoding)
            if text is None:
                continue
            score = _score(text, script, script.least if decoded is _whole else max(script.least, _BROKEN_LEAST))
            if score > best_score:
                best, best_score = encoding, score
            break
    return best


_Decode: TypeAlias = Callable[[bytes, str], str | None]


def _whole(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _nearly_whole(data: bytes, encoding: str) -> str | None:
    text = data.decode(encoding, errors="replace")
    beyond = sum(char > "\x7f" for char in text)
    return text if text.count("\ufffd") <= _MOST_BROKEN * beyond else None


def _score(text: str, script: _Script, least: float) -> float:
    beyond = [char for char in text if char > "\x7f"][:SAMPLE_BYTES]
    if not beyond:
        return 0.0
    usual = sum(map(script.usual, beyond)) / len(beyond)
    frequent = sum(char in script.frequent for char in beyond) / len(beyond)
    return usual / 2 + frequent if usual >= _LEGIBLE and frequent >= least else 0.0


_PUNCTUATION = "，。、：；？！（）《》“”「」　"
_SIMPLIFIED = (
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多"
)
_TRADITIONAL = (
    "的一是在不了有和人這中大為上個國我以要他時來用們生到作地於出就分對成會可主發年動同工也能下過子說產種面而方後多"
)
_KANA = "のにはをたがでてとしれさいるなもかっらりすまうこンスルトーイクラ"
_HANGUL = "이다는에의가을를하고은로지사한기도어리자아나인시서대해일라으그만있수정보부게스습니요"


def _scripts() -> tuple[_Script, ...]:
    """List the encodings in the contract's order; only simplified Chinese is believed without frequent characters."""
    return (
        _Script("gb18030", "gb18030", _is_simplified, frozenset(_SIMPLIFIED + _PUNCTUATION), 0.0),
        _Script("big5", "big5hkscs", _is_traditional, frozenset(_TRADITIONAL + _PUNCTUATION), 0.1),
        _Script("shift_jis", "cp932", _is_japanese, frozenset(_KANA), 0.15),
        _Script("euc_jp", "euc_jis_2004", _is_japanese, frozenset(_KANA), 0.15),
        _Script("euc_kr", "cp949", _is_korean, frozenset(_HANGUL), 0.15),
    )


def _is_simplified(char: str) -> bool:
    """Tell the punctuation and the more used level of GB2312."""
    return _lead_byte(char, "gb2312") in _GB2312_USUAL


def _is_traditional(char: str) -> bool:
    """Tell the punctuation and the more used level of Big5."""
    return _lead_byte(char, "big5") in _BIG5_USUAL


def _is_japanese(char: str) -> bool:
    """Tell kana, punctuation and the more used level of JIS."""
    return _lead_byte(char, "euc_jp") in _JIS_USUAL


def _is_korean(char: str) -> bool:
    return "\uac00" <= char <= "\ud7a3" or char in _PUNCTUATION


_GB2312_USUAL = frozenset([*range(0xA1, 0xA4), *range(0xB0, 0xD8)])
_BIG5_USUAL = frozenset(range(0xA1, 0xC7))
_JIS_USUAL = frozenset([0xA1, 0xA3, 0xA4, 0xA5, *range(0xB0, 0xD0)])


def _lead_byte(char: str, encoding: str) -> int:
    """Give the first byte of a double-byte character of this encoding; 0 for all others."""
    coded = char.encode(encoding, errors="ignore")
    return coded[0] if len(coded) == 2 else 0  # noqa: PLR2004 - a double-byte character
