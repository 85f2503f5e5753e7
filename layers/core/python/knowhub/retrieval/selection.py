"""Selection: which of the ranked passages are shown, so that one document or one text does not take every place."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from knowhub.model.chunk import Chunk
from knowhub.retrieval.fusion import Fused

FIRST_PLACES = 10
"""Places in which no document may have more than `OF_ONE_DOCUMENT`, unless the others don't fill them."""

OF_ONE_DOCUMENT = 3


@dataclass(slots=True)
class Selection:
    """What is shown, in order, and the chunk ids that were left out because their text is shown already."""

    shown: list[Fused] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)


def select(ranked: Sequence[Fused], chunks: Mapping[str, Chunk], wanted: int) -> Selection:
    """Choose up to `wanted` of what is ranked best first; what has no chunk any more is passed over.

    Texts that differ in case and white space only are shown once. (What differs in a word, a number or a sign may say
    another thing.)
    """
    selection = Selection()
    unlike = _unlike(ranked, chunks, selection)
    first, rest = _spread(unlike, min(wanted, FIRST_PLACES))
    selection.shown = (first + rest)[:wanted]
    return selection


def _unlike(ranked: Sequence[Fused], chunks: Mapping[str, Chunk], selection: Selection) -> list[Fused]:
    seen: set[str] = set()
    kept: list[Fused] = []
    for one in ranked:
        chunk = chunks.get(one.candidate.chunk_id)
        if chunk is None:
            continue
        text = "".join(chunk.text.casefold().split())
        if text in seen:
            selection.duplicates.append(one.candidate.chunk_id)
            continue
        seen.add(text)
        kept.append(one)
    return kept


def _spread(ranked: Sequence[Fused], places: int) -> tuple[list[Fused], list[Fused]]:
    """Fill the first places with at most `OF_ONE_DOCUMENT` chunks a document; what is over follows in its own order."""
    first: list[Fused] = []
    rest: list[Fused] = []
    taken: Counter[str] = Counter()
    for one in ranked:
        doc_id = one.candidate.doc_id
        if len(first) < places and taken[doc_id] < OF_ONE_DOCUMENT:
            taken[doc_id] += 1
            first.append(one)
        else:
            rest.append(one)
    missing = places - len(first)
    return first + rest[:missing], rest[missing:]
