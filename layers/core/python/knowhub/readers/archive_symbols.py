"""Signs of symbol fonts, which have codes of their own, as the characters that they look like."""

from types import MappingProxyType

_GREEK = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
_SMALL_GREEK = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
_UPPER_HALF = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑"
_SYMBOL = MappingProxyType(
    {
        **{code: chr(code) for code in range(0x20, 0x7F)},
        **{0x41 + at: char for at, char in enumerate(_GREEK)},
        **{0x61 + at: char for at, char in enumerate(_SMALL_GREEK)},
        **{0xA0 + at: char for at, char in enumerate(_UPPER_HALF)},
        0x22: "∀", 0x24: "∃", 0x27: "∋", 0x2A: "∗", 0x2D: "−", 0x40: "≅", 0x5C: "∴", 0x5E: "⊥", 0x7E: "∼", 0xF1: "〉",
        0xF2: "∫",
    }
)  # fmt: skip
"""The encoding of the font Symbol, by which it has been known since PostScript."""
_WINGDINGS = MappingProxyType(
    {
        0x20: " ", 0x21: "✏", 0x22: "✂", 0x28: "☎", 0x29: "✆", 0x2A: "✉", 0x36: "⌛", 0x3F: "✍", 0x41: "✌", 0x43: "👍",
        0x44: "👎", 0x45: "☜", 0x46: "☞", 0x47: "☝", 0x48: "☟", 0x4A: "☺", 0x4B: "😐", 0x4C: "☹", 0x4D: "💣", 0x4E: "☠",
        0x52: "☼", 0x54: "❄", 0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "❑", 0x72: "❒", 0x75: "◆", 0x76: "❖", 0x9F: "•",
        0xA1: "○", 0xA7: "▪", 0xA8: "☐", 0xAA: "✦", 0xAB: "★", 0xB2: "✧", 0xD8: "➢", 0xDC: "➲", 0xDF: "←", 0xE0: "→",
        0xE1: "↑", 0xE2: "↓", 0xE7: "←", 0xE8: "→", 0xE9: "↑", 0xEA: "↓", 0xEF: "⇦", 0xF0: "⇨", 0xF1: "⇧", 0xF2: "⇩",
        0xF3: "⬄", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
        **{0x81 + at: chr(0x2460 + at) for at in range(10)},
        **{0x8C + at: chr(0x2776 + at) for at in range(10)},
    }
)  # fmt: skip
_WINGDINGS_2 = MappingProxyType({0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0xA3: "☐"})
_FONTS = MappingProxyType({"symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2})
_PRIVATE, _PRIVATE_END = 0xF000, 0xF0FF
"""Where the codes of symbol fonts are kept in Unicode."""


def has_private(text: str) -> bool:
    """Whether a text may hold signs of a symbol font."""
    return any("\uf000" <= char <= "\uf0ff" for char in text)


def symbol(font: str, code: int) -> str | None:
    """Give the character for a font's code; None where it stands for nothing that is known."""
    known = _FONTS.get(font.strip().lower())
    if known is not None:
        return known.get(code - _PRIVATE if _PRIVATE <= code <= _PRIVATE_END else code)
    return None if _PRIVATE <= code <= _PRIVATE_END or not 0x20 <= code <= 0xFFFD else chr(code)  # noqa: PLR2004 - the bounds of text


def replaced(text: str, font: str) -> tuple[str, int]:
    """Replace the signs of a symbol font in a text; those that are not known stay, and are counted."""
    unknown = 0
    written = []
    for char in text:
        known = symbol(font, ord(char)) if _PRIVATE <= ord(char) <= _PRIVATE_END else char
        unknown += known is None
        written.append(char if known is None else known)
    return "".join(written), unknown
