"""Patterns over terms: regular expressions of our own making that mean the same to both engines.

They are built from characters, classes, groups, `|` and `*` only, and match a whole term. An engine turns a pattern
into an automaton and refuses one that gets too large (tantivy beyond 1,000 states), so each stays below that by its
making: a range needs about a state a digit, and what a caller writes after `like` is counted here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby

from knowhub.errors import InvalidRequest

MAX_STATES = 900
"""Of the automaton of one `like`: with the longest field before it both engines take it."""

_DIGITS = "0123456789abcdef"
_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
_ANY = "[0-9a-z]"
_DIGIT = "[0-9a-f]"
_LEAD = "[0-7c-f]"
_FOLLOW = "[89ab]"
_BLOCK = 16
"""Digits side by side in a pattern before the rest goes into a group of its own: parsers bear no deep nesting."""


@dataclass(frozen=True, slots=True)
class LikePattern:
    """A caller's `like`, as a pattern over the hexadecimal UTF-8 of a value, and the states that it takes."""

    text: str
    states: int


@lru_cache(maxsize=256)  # asked for by the check of a request, and by each leg of its search
def like_pattern(written: str) -> LikePattern:
    """Read `%` as any run of characters and `_` as one; raises `InvalidRequest` where engines can't be asked."""
    automaton = _Automaton()
    spelt: list[str] = []
    for char in _in_order(written):
        if char == "%":
            spelt.append(f"({_DIGIT}{_DIGIT})*")
            automaton.run()
        elif char == "_":
            # What has been written is UTF-8, so a character is its first byte and whatever follows that.
            spelt.append(f"{_LEAD}{_DIGIT}({_FOLLOW}{_DIGIT})*")
            automaton.single()
        else:
            digits = char.encode("utf-8", "surrogatepass").hex()
            spelt.append(digits)
            automaton.digits(digits)
    states = automaton.count(MAX_STATES)
    if states > MAX_STATES:
        raise InvalidRequest(
            "The pattern asks too much of a search engine: it takes fewer _ after a %, or a shorter text",
            {"limit": MAX_STATES},
        )
    return LikePattern("".join(spelt), states)


def range_patterns(low: str | None, high: str | None, *, with_low: bool, with_high: bool) -> list[str]:
    """Write what sorts between two ends, of which one may be None, as patterns of which one has to match.

    They are apart so that none has to follow both ends at once.
    """
    if low is None or high is None:
        whole = _above(low, included=with_low) if low is not None else _below(high or "", included=with_high)
        return [whole] if whole else []
    if low >= high:
        return [low] if low == high and with_low and with_high else []
    shared = next((at for at, (one, other) in enumerate(zip(low, high, strict=False)) if one != other), len(low))
    common, low, high = high[:shared], low[shared:], high[shared:]
    if not low:
        choices = [_below(high, included=with_high, empty=with_low)]
    else:
        middle = _class(_ALPHABET[_ALPHABET.index(low[0]) + 1 : _ALPHABET.index(high[0])])
        choices = [
            f"{low[0]}{_above(low[1:], included=with_low)}",
            f"{middle}{_ANY}*" if middle else "",
            f"{high[0]}{_below(high[1:], included=with_high, empty=True)}" if high[1:] or with_high else "",
        ]
    return [common + choice for choice in choices if choice]


def _in_order(written: str) -> Iterator[str]:
    """Put the singles before the run where both stand together: it means the same and needs less to be kept in mind."""
    for wild, chars in groupby(written, lambda char: char in "%_"):
        here = list(chars)
        yield from sorted(here, reverse=True)[: here.count("_") + 1] if wild else here


def _above(bound: str, *, included: bool) -> str:
    """Match what sorts after a bound: longer, or greater at some place; the bound too, where it is included."""
    after = f"({_greater(bound)}){_ANY}*"
    return f"({after}|{bound})" if included else after


def _greater(bound: str) -> str:
    """Give the shortest beginnings that are greater; one tail for all of them keeps the automaton small."""
    if not bound:
        return _ANY
    block, rest = bound[:_BLOCK], bound[_BLOCK:]
    choices = [block[:place] + _class(_ALPHABET[_ALPHABET.index(char) + 1 :]) for place, char in enumerate(block)
               if char != _ALPHABET[-1]]  # fmt: skip
    return "|".join([*choices, f"{block}({_greater(rest)})"])


def _below(bound: str, *, included: bool, empty: bool = True) -> str:
    """Match what sorts before a bound: a beginning of it, or less at some place; empty where nothing does."""
    less = _less(bound)
    choices = [f"({less}){_ANY}*"] if less else []
    if bound and (len(bound) > 1 or empty):
        choices.append(_beginnings(bound, empty=empty))
    if included and (bound or empty):
        choices.append(bound)
    return f"({'|'.join(choices)})" if choices else ""


def _less(bound: str) -> str:
    """Give the shortest beginnings that are less."""
    block, rest = bound[:_BLOCK], bound[_BLOCK:]
    choices = [block[:place] + _class(_ALPHABET[: _ALPHABET.index(char)]) for place, char in enumerate(block)
               if char != _ALPHABET[0]]  # fmt: skip
    further = _less(rest) if rest else ""
    return "|".join([*choices, f"{block}({further})"] if further else choices)


def _beginnings(bound: str, *, empty: bool) -> str:
    """Give what the bound begins with, shorter than itself."""
    block, rest = bound[:_BLOCK], bound[_BLOCK:]
    choices = [block[:place] for place in range(0 if empty else 1, len(block))]
    return "|".join([*choices, f"{block}({_beginnings(rest, empty=True)})"] if rest else choices)


def _class(chars: str) -> str:
    """Write neighbours in the alphabet as a class; empty where there are none."""
    digits = "".join(char for char in chars if char.isdigit())
    spans = [span[0] if len(span) == 1 else f"{span[0]}-{span[-1]}" for span in (digits, chars[len(digits) :]) if span]
    return f"[{''.join(spans)}]" if spans else ""


@dataclass(slots=True)
class _Automaton:
    """A pattern's places, and the sets of them that can come next: the states that an engine has to build.

    A set is the bits of a number, place 0 being the beginning; `next` tells which places may follow each place.
    """

    reads: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_DIGITS, 0))
    next: list[int] = field(default_factory=lambda: [0])
    ends: int = 1

    def digits(self, digits: Sequence[str]) -> None:
        for digit in digits:
            self.ends = 1 << self._place(digit, self.ends)

    def single(self) -> None:
        lead = self._place("01234567cdef", self.ends)
        first = self._place(_DIGITS, 1 << lead)
        follow = self._place("89ab", 1 << first)
        again = self._place(_DIGITS, 1 << follow)
        self.next[again] |= 1 << follow
        self.ends = 1 << first | 1 << again

    def run(self) -> None:
        high = self._place(_DIGITS, self.ends)
        low = self._place(_DIGITS, 1 << high)
        self.next[low] |= 1 << high
        self.ends |= 1 << low

    def count(self, limit: int) -> int:
        """Count the states, up to one more than the limit."""
        readers = set(self.reads.values())
        straight = sum(1 << place for place, after in enumerate(self.next) if after == 2 << place)
        done = 1 << len(self.next)

        def follow(state: int) -> int:
            found = (state & straight) << 1
            for place in _bits(state & ~straight):
                found |= self.next[place]
            return found | done if state & self.ends else found

        known = {follow(1)}
        waiting = list(known)
        while waiting and len(known) <= limit:
            now = waiting.pop()
            fresh = {follow(now & reader) for reader in readers if now & reader} - known
            known |= fresh
            waiting += fresh
        return len(known)

    def _place(self, digits: Sequence[str], after: int) -> int:
        place = len(self.next)
        self.next.append(0)
        for digit in digits:
            self.reads[digit] |= 1 << place
        for before in _bits(after):
            self.next[before] |= 1 << place
        return place


def _bits(number: int) -> Iterator[int]:
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
