"""Where a text shows what a query looked for."""

import re
from collections.abc import Collection, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cache

from knowhub.model.chunk import Span
from knowhub.retrieval.analysis import STOP_WORDS
from knowhub.retrieval.tokens import JOINED_TO_THE_LEFT, Range, components, is_run, normalise, scan_ranges
from knowhub.retrieval.words import bigrams, stem, stretch_terms, token_forms

# Characters that normalisation leaves as they are, whatever stands beside them: all of ASCII, and the bulk of Chinese
# and Japanese text. Whatever is missing here is only slower.
_SELF = "\x00-\x7f\u3001\u3002\u3008-\u3011\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff"
_PIECES = re.compile(rf"(?P<same>[{_SELF}]+(?![{JOINED_TO_THE_LEFT}]))|(?P<other>[\s\S][{JOINED_TO_THE_LEFT}]*)")
_SOLID = re.compile(r"\S+|\s+")


def highlights(text: str, query_terms: Collection[str]) -> tuple[Span, ...]:
    """Mark in a text what a query's terms match, in code points of the text as given, in order and without overlap.

    Of an identifier only the parts that match are marked, of a run of ideographs only the pairs. Spans that touch are
    one. Stop words are marked only where the query has nothing else.
    """
    wanted = frozenset(query_terms)
    wanted = wanted - _stop_terms() or wanted
    normal, places = _located(text)
    found = (
        (start + place[0], start + place[1])
        for start, end in scan_ranges(normal)
        for place in _matches(normal[start:end], wanted)
    )
    return tuple(_merged(found if places is None else _moved(found, places)))


@cache
def _stop_terms() -> frozenset[str]:
    return frozenset(map(stem, STOP_WORDS))


def _matches(token: str, wanted: AbstractSet[str]) -> list[Range]:
    if is_run(token):
        return [(index, index + len(gram)) for index, gram in enumerate(bigrams(token)) if gram in wanted]
    terms, sequence = token_forms(token)
    if wanted.isdisjoint(terms):
        return []
    if len(sequence) == 1 or not wanted.isdisjoint(stretch_terms(token)):
        return [(0, len(token))]
    return list(_inner_matches(token, wanted)) or [(0, len(token))]


def _inner_matches(token: str, wanted: AbstractSet[str]) -> Iterator[Range]:
    for component in components(token):
        if not wanted.isdisjoint(stretch_terms(token[slice(*component.whole)])):
            yield component.whole
        else:
            yield from (part for part in component.parts if not wanted.isdisjoint(stretch_terms(token[slice(*part)])))


def _located(text: str) -> tuple[str, list[Range] | None]:
    """Normalise a text and say, for each character that comes out, which range of the text it came from.

    None stands for a text that stays as it is.
    """
    normal = normalise(text)
    if normal == text:
        return normal, None
    for pieces in (_PIECES, _SOLID):
        places = [place for piece in pieces.finditer(text) for place in _places(piece)]
        if len(places) == len(normal):
            return normal, places
    # Composition across a white space would be needed to come here: then nothing can be told apart.
    return normal, [(0, len(text))] * len(normal)


def _places(piece: re.Match[str]) -> Iterable[Range]:
    start, end = piece.span()
    if piece.lastgroup == "same":
        return zip(range(start, end), range(start + 1, end + 1), strict=True)
    return [(start, end)] * len(normalise(piece.group()))


def _moved(found: Iterable[Range], places: list[Range]) -> Iterator[Range]:
    for start, end in found:
        yield places[start][0], places[end - 1][1]


def _merged(ranges: Iterable[Range]) -> Iterator[Span]:
    """Join ranges that overlap or touch; they come ordered by their start."""
    current: Range | None = None
    for start, end in ranges:
        if current is None or start > current[1]:
            if current is not None:
                yield Span(*current)
            current = (start, end)
        else:
            current = (current[0], max(current[1], end))
    if current is not None:
        yield Span(*current)
