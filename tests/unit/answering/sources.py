"""Sources and an analyser for the tests of answering: terms are lower-case words, and pairs of Chinese characters."""

import re
from dataclasses import dataclass

from knowhub.answering.frames import Source
from knowhub.model.chunk import Chunk, Locator
from knowhub.model.hit import Hit

_WORDS = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]+")


@dataclass(frozen=True)
class Bag:
    terms: tuple[str, ...]


def analyse(text: str) -> Bag:
    terms: list[str] = []
    for word in _WORDS.findall(text.lower()):
        if word[0] < "\u4e00":
            terms.append(word)
        else:
            terms.extend(word[at : at + 2] for at in range(max(1, len(word) - 1)))
    return Bag(tuple(terms))


def source(idx: int, text: str) -> Source:
    return Source(
        idx=idx,
        chunk_id=f"doc_{idx}:1:1",
        doc_id=f"doc_{idx}",
        kb_id=1,
        title=f"Document {idx}",
        url=None,
        text=text,
        score=1 / idx,
        locator=Locator(0, len(text), 1, 1),
    )


def sources(*texts: str) -> tuple[Source, ...]:
    return tuple(source(idx, text) for idx, text in enumerate(texts, 1))


def hit(rank: int, text: str) -> Hit:
    chunk = Chunk(
        chunk_id=f"doc_{rank}:1:1",
        doc_id=f"doc_{rank}",
        kb_id=7,
        revision=1,
        index=1,
        title=f"Document {rank}",
        text=text,
        locator=Locator(0, len(text), 1, 1),
        url="https://example.org/",
    )
    return Hit(rank=rank, score=0.5, chunk=chunk)
