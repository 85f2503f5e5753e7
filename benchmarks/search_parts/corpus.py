"""Chunks of about 1 KB with words as frequent as Zipf's law has them, in several knowledge bases, and queries for them.

Most are made-up English, one in eight is Chinese. Vectors are not made by a model: they are random directions around
the centre of a topic, as far apart as those of texts on one subject are.
"""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.search_parts.rows import Query, Row, write

LENGTH = 512
_WORDS, _CHINESE_WORDS = 40_000, 8_000
_SHORT_WORDS = 600
_SKEW = 1.05
_TOPICS = 200
_KBS = 20
_CHUNKS_OF_A_DOCUMENT = 8
_CHINESE = 8
"""One chunk in so many is Chinese."""

_BYTES = 1_000
_WORDS_A_CHUNK, _CHINESE_WORDS_A_CHUNK = 160, 170
_SPREAD = 1.0
_FILTERED = 20
"""One chunk in so many passes the filter."""

_ONSETS = [*"bcdfghjklmnprstvw", "st", "tr", "pl", "gr", "ch", "sh", "th", "br"]
_VOWELS = [*"aeiou", "ai", "ea", "io", "ou"]
_ENDS = ["", "", "n", "r", "s", "t", "l", "nd", "st", "ck"]


def make(folder: Path, count: int, asked: int) -> None:
    """Write rows and queries; the same numbers write the same."""
    chooser = np.random.default_rng(7)
    english, chinese = _english(chooser), _chinese(chooser)
    centres = _unit(chooser.standard_normal((_TOPICS, LENGTH)))
    topics = chooser.integers(_TOPICS, size=count)
    rows = [_row(chooser, number, int(topics[number]), english, chinese) for number in range(count)]
    noise = chooser.standard_normal((count, LENGTH)).astype(np.float32) * (_SPREAD / LENGTH**0.5)
    vectors = _unit(centres[topics] + noise)
    at = chooser.choice(count, size=asked, replace=False)
    near = chooser.standard_normal((asked, LENGTH)) * (_SPREAD / LENGTH**0.5)
    write(folder, rows, vectors, [_query(chooser, rows[number]) for number in at], _unit(centres[topics[at]] + near))


def _row(chooser: Any, number: int, topic: int, english: list[str], chinese: list[str]) -> Row:
    document = number // _CHUNKS_OF_A_DOCUMENT
    is_chinese = document % _CHINESE == 0
    words, length = (chinese, _CHINESE_WORDS_A_CHUNK) if is_chinese else (english, _WORDS_A_CHUNK)
    # A topic has its own common words: those of the law, moved on, make up a third.
    ranks = _ranks(chooser, len(words), length)
    own = chooser.random(length) < 1 / 3
    ranks[own] = (ranks[own] * 7 + topic * 131) % len(words)
    text = ("" if is_chinese else " ").join(words[rank] for rank in ranks)
    text = text.encode()[:_BYTES].decode(errors="ignore")
    return Row(f"d{document:06}:1:{number % _CHUNKS_OF_A_DOCUMENT + 1}", document % _KBS + 1, f"d{document:06}",
               f"t{topic % _FILTERED}", words[(topic * 131) % len(words)], text)  # fmt: skip


def _query(chooser: Any, row: Row) -> Query:
    """Take four words of a chunk, or eight neighbouring characters of a Chinese one."""
    words = row.text.split()
    if len(words) < 4:
        at = int(chooser.integers(max(1, len(row.text) - 8)))
        return Query(row.text[at : at + 8], row.topic)
    return Query(" ".join(chooser.choice(words, size=4, replace=False)), row.topic)


def _ranks(chooser: Any, words: int, length: int) -> Any:
    """Draw ranks of a bounded Zipf distribution by inverting its (continuous) cumulative."""
    share = chooser.random(length)
    power = 1 - _SKEW
    return (((words**power - 1) * share + 1) ** (1 / power)).astype(int).clip(1, words) - 1


def _english(chooser: Any) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < _WORDS:
        # Common words are short.
        parts = 1 if len(found) < _SHORT_WORDS else int(chooser.integers(2, 5))
        word = "".join(
            _ONSETS[chooser.integers(len(_ONSETS))] + _VOWELS[chooser.integers(len(_VOWELS))] for _ in range(parts)
        )
        found[word + _ENDS[chooser.integers(len(_ENDS))]] = None
    return list(found)


def _chinese(chooser: Any) -> list[str]:
    letters = [chr(0x4E00 + number) for number in chooser.choice(3000, size=2500, replace=False)]
    return ["".join(letters[at] for at in _ranks(chooser, len(letters), 2)) for _ in range(_CHINESE_WORDS)]


def _unit(vectors: Any) -> Any:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
