"""What an answer may show beside words: no picture, no HTML, and no link but to the address of a source.

A link elsewhere can carry what was read to whoever wrote a source, and a picture does so without a click.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

REMOVED = "(link removed)"

_LINK = re.compile(r"!?\[([^\[\]\n]*+)\]\(([^()\n]*+(?:\([^()\n]*+\)[^()\n]*+)*+)\)")
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]{0,30}://|(?<![a-z])www\d{0,3}\.|javascript\s*:(?=\S)"
    r"|(?<![a-z])(?:vbscript|mailto|tel|file|blob)\s*:(?=\S)|(?<![a-z])data\s*:(?=[a-z0-9.+-]*[/;,]))[!#-&(-;=?-Z_a-z~]*",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(?=[a-z/!?]|\Z)", re.IGNORECASE)
_BEHIND_ADDRESS = re.compile(r"[.,;:!?)\]'\"*_]*(?:\Z|[^\x21-\x7e])")
_BEFORE_LABEL = re.compile(r"[\s>*+-]*(?:\d+[.)]\s*)?")
_DIGITS = re.compile(r"\s*\^?\d{1,20}(?:\s*[,，、;-]\s*\d{1,20})*\s*")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text that is safe to show, and how many links and pictures it lost."""

    text: str
    removed: int


def cleaned(text: str, allowed: Collection[str]) -> Cleaned:
    """Take out what must not be shown; addresses in `allowed` may stay, exactly as they are there."""
    parts: list[str] = []
    removed = 0
    position = 0
    for found in _LINK.finditer(text):
        plain, lost = _plain(text[position : found.start()], allowed)
        label, lost_within = _plain(found[1], allowed)
        target = found[2].strip().strip("<>").partition(" ")[0]
        parts.append(plain)
        position = found.end()
        if target in allowed and not found[0].startswith("!") and label.strip() and not _DIGITS.fullmatch(label):
            parts.append(f"[{label}]({target})")
            removed += lost + lost_within
            continue
        # A number that was made a link is still a citation.
        parts.append(f"[{label.strip()}]" if _DIGITS.fullmatch(label) else label)
        removed += lost + lost_within + 1
    plain, lost = _plain(text[position:], allowed)
    return Cleaned("".join([*parts, plain]), removed + lost)


def _plain(text: str, allowed: Collection[str]) -> tuple[str, int]:
    """Clean a text without whole links; what could become one together with what follows is taken apart."""
    parts: list[str] = []
    removed = 0
    position = 0
    for found in _ADDRESS.finditer(text):
        if found.start() < position:
            continue
        kept = _kept(text, found.start(), allowed)
        parts.append(_apart(text[position : found.start()]))
        parts.append(kept or REMOVED)
        removed += not kept
        position = found.start() + len(kept) if kept else found.end()
        if kept and text[position : position + 1].isalnum():
            # Without a gap the address would go on into the words behind it.
            parts.append(" ")
    return "".join([*parts, _apart(text[position:])]), removed


def _kept(text: str, start: int, allowed: Collection[str]) -> str:
    """Give the allowed address that stands here and ends where it should, the longest one; else nothing."""
    fits = [one for one in allowed if text.startswith(one, start) and _BEHIND_ADDRESS.match(text, start + len(one))]
    return max(fits, key=len, default="")


def _apart(text: str) -> str:
    text = _TAG.sub("&lt;", text).replace("![", "[").replace("](", "] (")
    return "\n".join(map(_without_definition, text.split("\n"))) if "]:" in text else text


def _without_definition(line: str) -> str:
    """Take the form of a definition of a link's target from a line; a label within a sentence is none."""
    head, mark, tail = line.partition("]:")
    if not mark or not _BEFORE_LABEL.fullmatch(head.rpartition("[")[0]):
        return line
    return f"{head}] :{tail}"
