"""Checking an answer while it is written: every number has to be a source that says so.

Nothing leaves here before its unit is complete, and nothing at all before the first number that holds: an answer that
cites nothing is none.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from knowhub.answering.content import Analyse, content_terms
from knowhub.answering.frames import Citation, Source
from knowhub.answering.invisible import visible
from knowhub.answering.links import REMOVED, cleaned
from knowhub.answering.units import LONGEST, MARK, Units
from knowhub.model.chunk import Span

MORE_THAN = 0.5
"""Share of a sentence's terms of which its source has to have more.

Models say in their own words what they read, so that some of the terms may be theirs. A sentence about the same things
that says something else shares up to half.
"""

_FEW_TERMS = 3
_NUMBERS = re.compile(r"\d+")
_FIGURE = re.compile(r"\d[\d.,]*")
_GAP = re.compile(r"\s*\Z")
_LEAD = re.compile(r"[\s,;:.，；：。、!?！？)）*_]*(?:(?:[-*+•>#]+\s|\d{1,3}[.)]\s|\[\d{1,20}\])\s*)*")
_NO_CLAIM = re.compile(r"\s*#|.*[:：]\s*\Z")
_UNCLOSED = re.compile(r"[\[［【][^\[\]［］【】]*\Z")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_MOST_LINES = 2


@dataclass(slots=True)
class Cited:
    """What came of an answer: what holds, and what had to go."""

    citations: list[Citation] = field(default_factory=list)
    uncited: list[Span] = field(default_factory=list)
    citations_removed: int = 0
    links_removed: int = 0


@dataclass(frozen=True, slots=True)
class _Group:
    """Numbers that stand together, and the text before them."""

    text: str
    numbers: tuple[int, ...]


class Citing:
    """One answer on its way."""

    def __init__(self, sources: Sequence[Source], analyse: Analyse) -> None:
        """Keep what may be cited."""
        self._sources = {source.idx: source for source in sources}
        self._analyse = analyse
        self._units = Units()
        self._terms: dict[int, frozenset[str]] = {}
        self._waiting: list[str] = []
        self._gap = ""
        self._last_shown = ""
        self._in_code = False
        self._last = ("", Span(0, 0))
        self.length = 0
        self.cited = Cited()

    def take(self, text: str) -> str:
        """Give what may be shown now that the model has written this."""
        return self._shown(self._units.take(visible(text)))

    def finish(self) -> str:
        """Give the rest."""
        return self._shown(self._units.rest())

    def _shown(self, units: list[str]) -> str:
        self._waiting += [self._judged(unit) for unit in units]
        if not self.cited.citations:
            return ""
        shown, self._waiting = "".join(self._waiting), []
        return shown

    def _judged(self, unit: str) -> str:
        """Give a unit as it may stand in the answer, with the gap before it; its own gap waits for what follows."""
        if _FENCE.match(unit):
            self._in_code = not self._in_code
        unit = _without_code_marks(unit, all_code=self._in_code)
        told = list(_groups(cleaned(unit, ()).text))
        holding = [self._holding(told, place) for place in range(len(told))]
        named = {n for numbers in holding for n in numbers} | {one.n for one in self.cited.citations}
        safe = cleaned(unit, self._addresses(named))
        self.cited.links_removed += safe.removed
        shown = self._placed(list(_groups(safe.text)), holding)
        if not self._gap and self.length and (_UNCLOSED.search(shown) or len(unit) >= LONGEST):
            # What was cut in the middle must not come together to something that was not looked at.
            self._gap = " "
        return shown

    def _addresses(self, named: set[int]) -> frozenset[str]:
        urls = {self._sources[n].url or "" for n in named}
        return frozenset(url for url in urls if re.fullmatch(r"https?://[^\s\[\]()<>]+", url))

    def _holding(self, groups: Sequence[_Group], place: int) -> tuple[int, ...]:
        """Give those numbers of a group that are sources which say what stands before them."""
        numbers = tuple(dict.fromkeys(groups[place].numbers))
        said = self._said(groups, place)
        return tuple(n for n in numbers if n in self._sources and self._supports(n, said))

    def _said(self, groups: Sequence[_Group], place: int) -> str:
        """Give what a group of numbers is to support: what stands before it, or behind it at a sentence's head."""
        for group in reversed(groups[: place + 1]):
            if terms := content_terms(_LEAD.sub("", group.text, count=1), self._analyse):
                return group.text if len(terms) >= _FEW_TERMS else "".join(one.text for one in groups)
        behind = groups[place + 1].text if place + 1 < len(groups) else ""
        return behind if content_terms(behind, self._analyse) else self._last[0]

    def _supports(self, n: int, said: str) -> bool:
        if n not in self._terms:
            source = self._sources[n]
            self._terms[n] = content_terms(f"{source.title}\n{source.text}", self._analyse)
        terms = content_terms(_LEAD.sub("", said.replace(REMOVED, " "), count=1), self._analyse)
        if not terms or not all(term in self._terms[n] for term in terms if _FIGURE.fullmatch(term)):
            return False
        return len(terms & self._terms[n]) > MORE_THAN * len(terms)

    def _placed(self, groups: Sequence[_Group], holding: Sequence[tuple[int, ...]]) -> str:
        """Write a unit with the numbers that hold, and note where they are."""
        if not self._gap and self._last_shown.endswith("]") and groups and groups[0].text.lstrip()[:1] in {"(", ":"}:
            # What a bracket opens right behind a number would make it a link.
            self._gap = " "
        draft = _Draft(self.length + len(self._gap) if self.length else 0)
        for place, group in enumerate(groups):
            draft.say(group.text)
            kept = tuple(n for n in holding[place] if n in group.numbers) if place < len(holding) else ()
            self.cited.citations_removed += len(group.numbers) - len(kept)
            behind = groups[place + 1].text if place + 1 < len(groups) else ""
            draft.number(kept, behind) if kept else draft.leave_out(behind, any_left=bool(group.numbers))
        text, gap = draft.parted()
        if not text:
            self._gap = _narrow(self._gap + gap) if self.length else ""
            return ""
        self._note(draft, text)
        self._last_shown = text
        shown = (self._gap if self.length else "") + text
        self.length += len(shown)
        self._gap = _narrow(gap)
        return shown

    def _note(self, draft: "_Draft", text: str) -> None:
        whole = _trimmed(text, draft.start)
        passages = [(n, _trimmed(draft.text_of(span), span.start)) for n, span in draft.numbered]
        for n, passage in passages:
            # A number without words before it stands for those behind it, or for the sentence before.
            found = passage if passage.end > passage.start else (whole if _has_words(text) else self._last[1])
            self.cited.citations.append(Citation(n, self._sources[n].chunk_id, found.start, found.end))
        if _has_words(text):
            self._last = (text, whole)
            if not passages and not self._in_code and not _NO_CLAIM.match(text):
                self.cited.uncited.append(whole)


class _Draft:
    """A unit as it is put together; places are those of the whole answer."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.numbered: list[tuple[int, Span]] = []
        self._text = ""
        self._clause = 0

    def say(self, text: str) -> None:
        """Go on with words."""
        self._text += text if self._text else text.lstrip()

    def number(self, kept: tuple[int, ...], behind: str) -> None:
        """Set numbers behind the words since the last ones."""
        span = Span(self.start + self._clause, self.start + len(self._text.rstrip()))
        self.numbered += [(n, span) for n in kept]
        self._text += "".join(f"[{n}]" for n in kept)
        # What a bracket opens right behind a number would make it a link.
        self._text += " " if behind[:1] in {"(", ":"} and behind else ""
        self._clause = len(self._text)

    def leave_out(self, behind: str, *, any_left: bool) -> None:
        """Close the gap where numbers stood, so that no other number comes together there."""
        if not any_left:
            return
        if _UNCLOSED.search(self._text):
            self._text += " "
        elif not behind[:1].isalnum():
            self._text = self._text.rstrip(" \t")

    def text_of(self, span: Span) -> str:
        """Give a range of the answer."""
        return self._text[span.start - self.start : span.end - self.start]

    def parted(self) -> tuple[str, str]:
        """Give the text, and the white space behind it."""
        found = _GAP.search(self._text)
        end = found.start() if found else len(self._text)
        return self._text[:end], self._text[end:]


def _groups(text: str) -> Iterator[_Group]:
    """Part a text into words with the numbers behind them; numbers with only white space between are one group."""
    position = 0
    before, numbers = "", list[int]()
    for found in MARK.finditer(text):
        between = text[position : found.start()]
        if numbers and between.strip():
            yield _Group(before, tuple(numbers))
            before, numbers = between, []
        elif not numbers:
            before += between
        numbers += _read(found[1])
        position = found.end()
    if numbers:
        yield _Group(before, tuple(numbers))
        before = ""
    if position < len(text) or before:
        yield _Group(before + text[position:], ())


def _read(told: str) -> list[int]:
    """Read `1`, `1, 2` and `1-3`."""
    numbers: list[int] = []
    for part in re.split(r"\s*[,，、;]\s*", told):
        first, *more = (int(number) for number in _NUMBERS.findall(part))
        last = more[-1] if more else first
        numbers += range(first, last + 1) if first <= last < first + 10 else [first, *more]
    return numbers


def _without_code_marks(unit: str, *, all_code: bool) -> str:
    """Take what is a number of a source from the brackets of code, such as `a[0]`, by a space."""
    pieces = unit.split("`")
    for place, piece in enumerate(pieces):
        if all_code or (place % 2 and place < len(pieces) - 1):
            pieces[place] = MARK.sub(lambda found: f"[ {found[1]} ]", piece)
    return "`".join(pieces)


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in MARK.sub("", text))


def _trimmed(text: str, start: int) -> Span:
    """Give the range of a text without white space and marks of lists around it."""
    lead = _LEAD.match(text)
    head = lead.end() if lead else 0
    tail = len(text.rstrip())
    return Span(start + min(head, tail), start + tail)


def _narrow(gap: str) -> str:
    """Keep at most one empty line."""
    return "\n" * min(gap.count("\n"), _MOST_LINES) if "\n" in gap else gap[:1]
