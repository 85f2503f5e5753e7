"""Choosing the sentences that answer a question, word for word.

A sentence is rated by the share of the question's weight that it covers. A term weighs by how rare it is among the
sentences at hand, so that what every source repeats decides little.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from knowhub.answering.sentences import split

MOST_SENTENCES = 5
LEAST_COVERAGE = 0.3
"""Share of the question's weight under which a sentence supports nothing: one term of three passes, one of four not."""
_LEAST_OF_BEST = 0.5
"""Beside a much better sentence, one that covers less than this share of it is noise."""
_BRACKETED_NUMBER = re.compile(r"\[\d+\]")
_ASKING = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|be|been|do|does|did|can|could|should|would|will|"
    r"shall|may|might|must|has|have|had|the|a|an|of|in|on|at|to|for|by|with|from|and|or|not|it|its|this|that|these|those|"
    r"there|i|you|we|they|he|she|my|your|our|me|us|about|please|tell|give|show|explain|many|much)\b"
    r"|为什么|是什么|什么|如何|怎么样|怎么|怎样|哪些|哪个|哪里|哪|多少|几个|是否|能否|可以|请问|请|谁|吗|呢|吧|的|了|是"
    r"|為什麼|什麼|怎麼|哪裡|請問|請|嗎|ですか|ますか|何|どう|どこ|いつ|なぜ|ください",
    re.IGNORECASE,
)


class Terms(Protocol):
    """Analysed text, as far as it matters here: the bag of its terms."""

    @property
    def terms(self) -> Sequence[str]:
        """Give the terms, in any order."""


Analyse = Callable[[str], Terms]


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence of a source: the place of the source in the list, the range in its text, and its rating 0..1."""

    source: int
    start: int
    end: int
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class _Candidate:
    source: int
    start: int
    text: str
    terms: frozenset[str]


def choose(question: str, texts: Sequence[str], analyse: Analyse) -> list[Passage]:
    """Choose up to `MOST_SENTENCES` passages, best first, ties in the order of sources; none without support.

    Left out are questions, repetitions, what only echoes the question, and what could be mistaken for a citation.
    """
    wanted = frozenset(analyse(_ASKING.sub(" ", question)).terms)
    candidates = _candidates(texts, analyse)
    weights = _weights(wanted, candidates)
    total = sum(weights.values())
    if not total:
        return []
    rated = [(sum(weights[term] for term in wanted & item.terms) / total, item) for item in candidates]
    rated.sort(key=lambda pair: (-pair[0], pair[1].source, pair[1].start))
    passages: list[Passage] = []
    for score, item in rated:
        if score < max(LEAST_COVERAGE, _LEAST_OF_BEST * rated[0][0]) or len(passages) == MOST_SENTENCES:
            break
        if item.terms - wanted and not any(item.text == taken.text for taken in passages):
            passages.append(Passage(item.source, item.start, item.start + len(item.text), item.text, score))
    return passages


def _candidates(texts: Sequence[str], analyse: Analyse) -> list[_Candidate]:
    found = []
    for source, text in enumerate(texts):
        for span in split(text):
            sentence = text[span.start : span.end]
            if not sentence.endswith(("?", "？")) and not _BRACKETED_NUMBER.search(sentence):
                found.append(_Candidate(source, span.start, sentence, frozenset(analyse(sentence).terms)))
    return found


def _weights(wanted: frozenset[str], candidates: Sequence[_Candidate]) -> dict[str, float]:
    """Weigh the question's terms; one that no sentence has weighs as much as the others do on average."""
    counts = Counter(term for item in candidates for term in wanted & item.terms)
    total = len(candidates)
    present = {term: math.log(1 + (total - count + 0.5) / (count + 0.5)) for term, count in counts.items()}
    if not present:
        return {}
    average = sum(present.values()) / len(present)
    return {term: present.get(term, average) for term in sorted(wanted)}
