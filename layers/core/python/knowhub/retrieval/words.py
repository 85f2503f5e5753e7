"""What one token is found by: its terms and its place in the sequence.

See `analysis` for what the two are for. Every token that comes out is case-folded and at most 128 bytes of UTF-8 long.
"""

import re
import threading
import unicodedata
from functools import lru_cache
from operator import add
from typing import TYPE_CHECKING, TypeAlias

from knowhub.ports.chunk_index import MAX_TOKEN_BYTES
from knowhub.retrieval.tokens import Range, components, is_run

if TYPE_CHECKING:
    from snowballstemmer.english_stemmer import EnglishStemmer

Tokens: TypeAlias = tuple[str, ...]

Forms: TypeAlias = tuple[Tokens, Tokens]
"""One token's terms, and what stands for it in the sequence, one entry a position. (A named tuple unpacks slower, and
this is unpacked once for every word that is indexed.)"""

# Some 20 MB when full. A stem costs a hundred times a look-up, and a collection of abstracts has 75,000 distinct words.
_CACHED_WORDS = 65_536

# A longer token is hardly met twice, and a cache full of them would hold megabytes.
CACHED_LENGTH = 64

_NO_STEM_BEYOND = 40

_SHORTEST_PLURAL = 2

# A longer chain of names is no name: its links are found, the chain as a whole is not. Links come from the cache, which
# keeps a file of nothing but dots and letters from costing ten times what text costs.
_LONGEST_NAME = 256
_SEPARATORS = re.compile(r"[_'.\-]+")

_CONTRACTIONS = frozenset({"t", "ll", "re", "ve", "d", "m"})

# Letters whose accent is part of the letter, so that no decomposition takes it off.
_UNMARKED = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t"}
)
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff]+")

_stemmers = threading.local()


def token_forms(token: str) -> Forms:
    """Give the terms and the sequence of one token that `scan` found."""
    if is_run(token):
        grams = bigrams(token)
        return grams, grams
    return cached_forms(token) if len(token) <= CACHED_LENGTH else _word_forms(token)


def bigrams(run: str) -> Tokens:
    """Cut a run into overlapping pairs of characters; a single character stays what it is."""
    return tuple(map(add, run, run[1:])) if len(run) > 1 else (run,)


def stretch_terms(text: str) -> Tokens:
    """Give the terms of a part or of a whole: its stem, and beside it that of the form without accents.

    A whole is stemmed as well, where it is letters only, as a query that spells it in lower case will be.
    """
    if text[-1] == "s" and len(text) > _SHORTEST_PLURAL and text[:-1].isupper():
        text = text[:-1]  # the stemmer would let the plural of DNA be
    folded = _cut(fold(text))
    if folded.isascii():
        return (stem(folded),)
    plain = _without_accents(folded)
    if not plain or plain == folded:
        return (folded,)
    # A word that is Latin but for its accents is stemmed in both forms, as a query without accents will be.
    return (stem(folded), stem(plain)) if plain.isascii() else (folded, plain)


def fold(text: str) -> str:
    """Take the case away; the result is NFKC."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text.casefold())


@lru_cache(maxsize=_CACHED_WORDS)
def stem(word: str) -> str:
    """Reduce a case-folded English word to its Snowball stem; whatever holds a digit comes back as it is."""
    if len(word) > _NO_STEM_BEYOND or not word.replace("'", "").isalpha():
        return word
    stemmed: str = _stemmer().stemWord(word)
    return stemmed


def _stemmer() -> "EnglishStemmer":
    # Its package loads thirty languages: not before the first word, and one for each thread, as it keeps state.
    if not hasattr(_stemmers, "english"):
        from snowballstemmer.english_stemmer import EnglishStemmer  # noqa: PLC0415 - see above

        _stemmers.english = EnglishStemmer()
    return _stemmers.english


@lru_cache(maxsize=_CACHED_WORDS)
def cached_forms(token: str) -> Forms:
    """Give what `token_forms` gives, for a token that is no run and no longer than `CACHED_LENGTH`."""
    return _word_forms(token)


def _word_forms(token: str) -> Forms:
    if len(token) > _LONGEST_NAME and len(links := _SEPARATORS.split(token)) > 1:
        return _chain_forms(links)
    if token.isascii():
        if token.isalpha() and (token[1:].islower() or token.isupper() or len(token) == 1):
            word = _cut(token.lower())
            return (stem(word),), (word,)
        if "," in token:
            number = (_cut(token.replace(",", "")),)
            return number, number
        if token[-1] in "+#":
            return (token.lower(), token[0].lower()), (token.lower(),)
    if "'" in token:
        return _apostrophe_forms(token)
    return _identifier_forms(token)


def _chain_forms(links: list[str]) -> Forms:
    forms = [token_forms(link) for link in links if link]
    return tuple(term for terms, _ in forms for term in terms), tuple(place for _, places in forms for place in places)


def _apostrophe_forms(token: str) -> Forms:
    head, _, tail = token.rpartition("'")
    tail = tail.lower()
    if tail == "s":
        return token_forms(head)
    if tail in _CONTRACTIONS and head.isalpha():
        word = _cut(fold(token))
        return (stem(word),), (word,)
    return _identifier_forms(token)


def _identifier_forms(token: str) -> Forms:
    terms: list[str] = []
    sequence: list[str] = []
    found = components(token)
    for component in found:
        for part in component.parts:
            text = _slice(token, part)
            terms += stretch_terms(text)
            sequence.append(_cut(fold(text)))
        if len(component.parts) > 1:
            terms += stretch_terms(_slice(token, component.whole))
        if component.inner is not None:
            terms += stretch_terms(_slice(token, component.inner))
    if len(found) > 1:
        terms += stretch_terms(token)
    return tuple(terms), tuple(sequence)


def _slice(text: str, where: Range) -> str:
    return text[where[0] : where[1]]


def _without_accents(text: str) -> str:
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text).translate(_UNMARKED))
    return unicodedata.normalize("NFC", bare)


def _cut(token: str) -> str:
    if len(token) * 4 <= MAX_TOKEN_BYTES or (len(token) <= MAX_TOKEN_BYTES and token.isascii()):
        return token
    return token[:MAX_TOKEN_BYTES].encode()[:MAX_TOKEN_BYTES].decode(errors="ignore")
