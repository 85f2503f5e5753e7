"""The one analyser: text and queries become the tokens that both chunk stores keep and match.

`terms` is a bag for BM25. A plain English word is in it once per occurrence, as its stem. Beside that stand: the form
without accents where there are accents; for an identifier its parts (stemmed) and the wholes they came from; for a
version its bare number. A run of a script without spaces is its bigrams, or its one character.

`sequence` is for phrases: unstemmed, accents kept, one token a position, identifiers as their parts, numbers and
versions whole, runs as the same bigrams, so that a phrase within a run matches.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from knowhub.retrieval.tokens import is_run, normalise, scan
from knowhub.retrieval.words import CACHED_LENGTH, Tokens, cached_forms, token_forms

ANALYSER_VERSION = 1
"""Goes up whenever the same text would give other tokens: chunks of another version have to be written again."""

MAX_QUERY_TERMS = 512
"""Terms of a query beyond these are left out; the engines refuse a query of more than 1,024 clauses."""

MAX_QUERY_PHRASES = 32
"""Phrases of a query, of `optional` and of `loose`, beyond these are left out."""

# A longer phrase without quotes is prose, and prose is not repeated word by word.
_LONGEST_PHRASE = 32

# A query of so few words is a look-up: each of its phrases and words is worth finding as it stands. In longer ones
# single matches of that kind push chance hits over the keyword leg's (nDCG@10 of hybrid falls by .01 to .05).
_LOOKUP_WORDS = 3

# Words that hold a phrase together but are no reason to look for one, and that nobody wants to see highlighted.
STOP_WORDS = frozenset(
    """
    a about am an and any are as at be been being but by can could did do does for from had has have he her his how i if
    in into is it its may me might must my no not of on or our shall she should so some such than that the their them
    then there these they this to us was we were what when where which who whom whose why will with would you your
    """.split()  # noqa: SIM905 - ninety quoted words would hide the list
)

_QUOTED = re.compile(
    r'(?<![0-9A-Za-z])"(?P<straight>[^"]*)"(?![0-9A-Za-z])|“(?P<curly>[^“”]*)”|「(?P<corner>[^「」]*)」|『(?P<white>[^『』]*)』'
)


@dataclass(frozen=True, slots=True)
class Analysed:
    """A text as the chunk index takes it; see the module for what the two hold."""

    terms: Tokens
    sequence: Tokens


@dataclass(frozen=True, slots=True)
class AnalysedQuery:
    """A query as the legs take it, each list without repetitions and in the query's order.

    `terms` are for the keyword leg, stop words included: they are honest words to BM25, and in code they carry meaning.
    `required` are the quoted parts. `optional` are phrases so telling that a match should lift a hybrid result: the
    query as it stands, code-like identifiers, and every phrase of a short query. `loose` are the neighbouring words,
    single words and three-character windows besides: they give the exact leg alone something to find for a long query,
    and are too common to be fused. All lists are empty for a query without letters and digits.
    """

    terms: Tokens
    optional: tuple[Tokens, ...] = ()
    required: tuple[Tokens, ...] = ()
    loose: tuple[Tokens, ...] = ()


_CODE_PARTS, _CODE_PART_LENGTH = 2, 3


@dataclass(frozen=True, slots=True)
class _Word:
    """One token of a query; `is_run` marks a run of a script without spaces, `is_stop` a stop word."""

    text: str
    terms: Tokens
    sequence: Tokens
    is_run: bool
    is_stop: bool

    @property
    def weight(self) -> int:
        """Count the content words in it: a stop word is none, a run as many as it has pairs."""
        return len(self.sequence) if self.is_run else int(not self.is_stop)

    @property
    def is_code(self) -> bool:
        """Tell whether this is a name from code: `snake_case`, `file.ext`, `lowerCamel`, `CamelCaseOfThree`.

        Prose has the rest of them: hyphens, `MicroRNA`, `mRNA`, `IL6`, `U.S.`
        """
        if self.is_run or len(self.sequence) < _CODE_PARTS:
            return False
        if "_" in self.text:
            return True
        if "." in self.text:
            return all(len(piece) > 1 for piece in self.text.split("."))
        long_enough = all(len(part) >= _CODE_PART_LENGTH for part in self.sequence)
        return self.text.isalpha() and long_enough and (self.text[0].islower() or len(self.sequence) > _CODE_PARTS)


def analyse(text: str) -> Analysed:
    """Turn a text into its index tokens, in linear time. Text without letters and digits has none."""
    normal = normalise(text)
    tokens = scan(normal)
    # Most text needs no look at each token before the cache is asked.
    plain = normal.isascii() and max(map(len, tokens), default=0) <= CACHED_LENGTH
    terms: list[str] = []
    sequence: list[str] = []
    for token_terms, token_sequence in map(cached_forms if plain else token_forms, tokens):
        terms += token_terms
        sequence += token_sequence
    return Analysed(tuple(terms), tuple(sequence))


def analyse_query(text: str) -> AnalysedQuery:
    """Turn a query into what the legs look for; nothing in it is an operator but quotation marks around a phrase.

    Marks that are not in pairs, and inch marks after a digit, are punctuation.
    """
    normal = normalise(text)
    words = [_word(token) for token in scan(normal)]
    required = _distinct(_quoted(normal))
    optional = [phrase for phrase in _distinct(_telling(words)) if phrase not in required]
    known = {*required, *optional}
    return AnalysedQuery(
        terms=tuple(dict.fromkeys(term for word in words for term in word.terms))[:MAX_QUERY_TERMS],
        optional=tuple(optional[:MAX_QUERY_PHRASES]),
        required=required,
        loose=tuple(phrase for phrase in _distinct(_loose(words)) if phrase not in known)[:MAX_QUERY_PHRASES],
    )


def _word(token: str) -> _Word:
    terms, sequence = token_forms(token)
    return _Word(token, terms, sequence, is_run(token), sequence[0] in STOP_WORDS)


def _distinct(phrases: Iterable[Tokens]) -> tuple[Tokens, ...]:
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase))


def _quoted(normal: str) -> Iterator[Tokens]:
    for match in _QUOTED.finditer(normal):
        yield _phrase([_word(token) for token in scan(match[match.lastgroup or 0])])


def _phrase(words: Iterable[_Word]) -> Tokens:
    return tuple(token for word in words for token in word.sequence)


def _telling(words: list[_Word]) -> Iterator[Tokens]:
    whole = _phrase(words)
    if len(whole) <= _LONGEST_PHRASE:
        yield whole
    if sum(word.weight for word in words) <= _LOOKUP_WORDS:
        yield from _loose(words)
    else:
        yield from (word.sequence for word in words if word.is_code)


def _loose(words: list[_Word]) -> Iterator[Tokens]:
    """Yield the phrases within a query: runs, neighbours with what stands between them, and the single words."""
    content = [index for index, word in enumerate(words) if not word.is_stop] or list(range(len(words)))
    for here, there in pairwise(content):
        if not (words[here].is_run or words[there].is_run):
            yield _phrase(words[here : there + 1])
    for index in content:
        sequence = words[index].sequence
        if words[index].is_run and len(sequence) > _LOOKUP_WORDS:
            yield from pairwise(sequence)
        else:
            yield sequence
