"""Sentences of a chunk, as ranges: prose by sentence, code and tables by line.

Marks that structure a text (headings, fence markers, rules, delimiter rows) are no sentences and are left out.
"""

import re
from collections.abc import Iterator

from knowhub.model.chunk import Span

_FENCE = re.compile(r"[ \t>]*+(?:[-*+][ \t]+)?(`{3,}+|~{3,}+)")
_STRUCTURE = re.compile(r" {0,3}(?:#{1,6}(?:[ \t]|\Z)|[=*_-]{3,}+[ \t]*\Z|\|?[ \t:|-]*+\Z)")
_LEAD = re.compile(r"[ \t]*+(?:>[ \t]?)*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++(?:\[[ xX]\][ \t]++)?)?")
_ITEM = re.compile(r"[ \t]*+(?:>[ \t]?)*+(?:[-*+]|\d{1,9}[.)])[ \t]")
_END = re.compile(r"[.!?。！？…]++[\"'”’」』）)】》〉\]*_]*+")
_CODE = re.compile(
    r".*[;{}]|(?:async )?(?:def|class|if|elif|for|while|with|try|except|else|finally)\b.*:"
    r"|(?:import|from) [\w.]+( import .*)?|return\b.*|@[\w.]+(?:\(.*)?"
    r"|[\w.\[\]\"']+\s?[-+*/|]?=\s?\S.*|[\w.]+\(.*\)|[)\]]+,?"
)
_CODE_SHARE = 0.4
"""Of a text's lines that look like code, from which on the text is code and not prose."""
_FULL_STOPS = frozenset("。！？")
_LAST_WORD = re.compile(r"([^\W\d_]+(?:\.[^\W\d_]+)*)\Z")
_LONGEST_ABBREVIATION = 12
_ABBREVIATIONS = frozenset((
    "p", "mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "vs", "e.g", "i.e", "cf", "al", "fig", "figs", "eq",
    "no", "nos", "vol", "pp", "approx", "dept", "est", "inc", "ltd", "co", "corp", "jan", "feb", "mar", "apr",
    "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "mon", "tue", "wed", "thu", "fri", "sat", "sun",
    "u.s", "u.k", "a.m", "p.m", "ph.d", "sec", "ch", "ed", "eds", "z.b", "d.h", "bzw", "usw",
))  # fmt: skip


def split(text: str) -> list[Span]:
    """Give the ranges of the text's sentences in order, without white space, quote marks and list marks around them."""
    spans: list[Span] = []
    for start, end, is_prose in _segments(text):
        ends = sentence_ends(text, start, end) if is_prose else []
        position = start
        for cut in (*ends, end):
            span = _trim(text, position, cut, bare=is_prose)
            if span is not None:
                spans.append(span)
            position = cut
    return spans


def _segments(text: str) -> Iterator[tuple[int, int, bool]]:
    """Split into runs of prose lines, which sentences may span, and single lines of code and tables."""
    fence = ""
    run = -1
    position = 0
    lines = text.split("\n")
    is_code = _is_code(lines)
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        start, position = position, position + len(line) + 1
        mark = _FENCE.match(line)
        alone = is_code or bool(fence) or mark is not None or not line.strip() or _stands_alone(line)
        if run >= 0 and (alone or _ITEM.match(line)):
            yield run, start, True
            run = -1
        if not alone:
            run = start if run < 0 else run
        elif mark is not None:
            fence = _after_mark(fence, mark.group(1))
        elif fence or not (_STRUCTURE.match(line) or _is_delimiter_row(following)):
            yield start, start + len(line), False
    if run >= 0:
        yield run, len(text), True


def _is_code(lines: list[str]) -> bool:
    """Tell whether a text without fences is a program: most of its lines would be strange in prose."""
    told = [line.strip() for line in lines if line.strip()]
    return sum(1 for line in told if _CODE.fullmatch(line)) > _CODE_SHARE * len(told)


def _stands_alone(line: str) -> bool:
    return bool(_STRUCTURE.match(line)) or _is_row(line)


def _is_row(line: str) -> bool:
    """Whether the line is a table row: of Markdown, or of records joined by spaced bars."""
    return " | " in line or line.lstrip().startswith("|")


def _is_delimiter_row(line: str) -> bool:
    """Whether the line under a row makes that row the head of a table, which tells nothing by itself."""
    return "|" in line and "-" in line and bool(_STRUCTURE.match(line))


def _after_mark(fence: str, mark: str) -> str:
    """Follow a fence: a marker opens one, and one of its kind and at least its length closes it."""
    if not fence:
        return mark
    return "" if mark[0] == fence[0] and len(mark) >= len(fence) else fence


def sentence_ends(text: str, start: int, end: int) -> list[int]:
    """Give where sentences of prose end within a range of a text, behind their closing marks."""
    return [match.end() for match in _END.finditer(text, start, end) if _ends_sentence(text, start, end, match)]


def _ends_sentence(text: str, start: int, end: int, match: re.Match[str]) -> bool:
    after = match.end()
    if not _FULL_STOPS.isdisjoint(match.group()):
        return True
    if after < end and not text[after].isspace():
        return False
    if match.group().strip(".…"):
        return True
    following = text[after : min(end, after + _LONGEST_ABBREVIATION)].lstrip()[:1]
    return not following.islower() and not _is_abbreviation(
        text[max(start, match.start() - _LONGEST_ABBREVIATION) : match.start()]
    )


def _is_abbreviation(before: str) -> bool:
    """Whether a full stop behind this belongs to its word: a known short form, or an initial."""
    match = _LAST_WORD.search(before)
    if match is None:
        return False
    word = match.group(1)
    return word.lower() in _ABBREVIATIONS or (len(word) == 1 and word.isupper() and word.isascii() and word != "I")


def _trim(text: str, start: int, end: int, *, bare: bool) -> Span | None:
    """Take white space off both ends, and with `bare` the marks of quotes and list items off the head."""
    start += end - start - len(text[start:end].lstrip())
    lead = _LEAD.match(text, start, end) if bare else None
    if lead is not None:
        start = lead.end() + len(text[lead.end() : end]) - len(text[lead.end() : end].lstrip())
    end = start + len(text[start:end].rstrip())
    return Span(start, end) if start < end else None
