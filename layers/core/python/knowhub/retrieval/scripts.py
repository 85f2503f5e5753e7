"""Scripts and languages: enough to tell whether a query is written as the documents are."""

import re
from types import MappingProxyType

_LOOKED_AT = 4_000
"""Code points of a text that decide: its beginning says as much as the whole."""

_CHARACTERS = MappingProxyType(
    {
        "kana": re.compile("[\u3041-\u3096\u30a1-\u30fa\uff66-\uff9d]"),
        "hangul": re.compile("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]"),
        "han": re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]"),
        "thai": re.compile("[\u0e01-\u0e3a\u0e40-\u0e4e]"),
        "cyrillic": re.compile("[\u0400-\u052f]"),
        "greek": re.compile("[\u0370-\u03ff\u1f00-\u1fff]"),
        "arabic": re.compile("[\u0620-\u06ff\u0750-\u077f]"),
        "hebrew": re.compile("[\u05d0-\u05ea]"),
        "devanagari": re.compile("[\u0900-\u097f]"),
        "latin": re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"),
    }
)

_WORDS_A_CHARACTER = 3
"""An ideograph or a syllable says as much as this many letters."""

_DENSE_SCRIPTS = frozenset({"kana", "hangul", "han"})

_KANA_SHARE = 10
"""Japanese has at least one kana among this many characters of its own; Chinese quotes a few at most."""

_LANGUAGES = MappingProxyType({"kana": "ja", "hangul": "ko", "han": "zh", "thai": "th", "greek": "el", "hebrew": "he"})
"""Scripts that one language stands for; the others are written by several."""

_SCRIPTS = MappingProxyType(
    {
        "zh": frozenset({"han"}),
        "ja": frozenset({"kana", "han"}),
        "ko": frozenset({"hangul"}),
        "th": frozenset({"thai"}),
        "el": frozenset({"greek"}),
        "he": frozenset({"hebrew"}),
        "yi": frozenset({"hebrew"}),
        **{language: frozenset({"cyrillic"}) for language in ("ru", "uk", "bg", "be", "mk", "sr", "kk", "ky", "mn")},
        **{language: frozenset({"arabic"}) for language in ("ar", "fa", "ur", "ps")},
        **{language: frozenset({"devanagari"}) for language in ("hi", "mr", "ne", "sa")},
    }
)
_LATIN = frozenset({"latin"})

_ENGLISH = re.compile(
    r"\b(?:the|and|of|to|in|is|that|for|with|are|this|be|as|on|by|not|from|or|an|which|have|has|it|was|were)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH_SHARE = 12
"""English prose has at least one of its commonest words among this many; its neighbours have hardly any."""


def script_of(text: str) -> str | None:
    """Name the script that most of a text is written in; None where it has no letter."""
    head = text[:_LOOKED_AT]
    if head.isascii():
        return "latin" if _CHARACTERS["latin"].search(head) else None
    counts = {name: len(pattern.findall(head)) for name, pattern in _CHARACTERS.items()}
    if counts["kana"] * _KANA_SHARE >= counts["han"] + counts["kana"]:
        counts["kana"] += counts.pop("han")
    else:
        counts["han"] += counts.pop("kana")
    weighed = {name: count * (_WORDS_A_CHARACTER if name in _DENSE_SCRIPTS else 1) for name, count in counts.items()}
    best = max(weighed, key=weighed.__getitem__)
    return best if weighed[best] else None


def is_written_in(script: str | None, language: str) -> bool:
    """Tell whether a language is written in a script; what is not known counts as yes."""
    return not language or script is None or script in _SCRIPTS.get(language, _LATIN)


def language_of_text(text: str) -> str | None:
    """Name the language of a text where its script or its commonest words give it away, else None."""
    script = script_of(text)
    if script is None or script in _LANGUAGES:
        return None if script is None else _LANGUAGES[script]
    if script != "latin":
        return None
    head = text[:_LOOKED_AT]
    words = len(_WORD.findall(head))
    return "en" if words and len(_ENGLISH.findall(head)) * _ENGLISH_SHARE >= words else None
