"""Records of comma-separated values in one pass, forgiving where a writer was careless.

Quotes count at the start of a field, spaces before them allowed. Text between a closing quote and the next delimiter
belongs to the field. A quote that is not closed in a way that a writer would have meant is a character.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_CHARACTERS = 64 * 1024
_SAMPLE_RECORDS = 200
_QUOTED = re.compile(r' *+"((?:[^"]++|"")*+)"')


@dataclass(slots=True)
class Record:
    """One record: its fields, the line of the text that it begins on, and whether a quote in it was left open."""

    fields: list[str]
    line: int
    unbalanced: bool = False


def delimiter(text: str) -> str:
    """Tell the delimiter: the one that gives most of the first records the same number of fields, then the most fields.

    A comma where none of them gives more than one field.
    """
    sample = text[:_SAMPLE_CHARACTERS]
    return max(DELIMITERS, key=lambda mark: _evenness(sample, mark, whole=len(sample) == len(text)))


def _evenness(sample: str, mark: str, *, whole: bool) -> tuple[float, int]:
    widths = [len(record.fields) for record in islice(records(sample, mark), _SAMPLE_RECORDS)]
    if not whole and 1 < len(widths) < _SAMPLE_RECORDS:
        # The sample may end within a record.
        widths.pop()
    width, count = Counter(widths).most_common(1)[0] if widths else (1, 0)
    return (count / len(widths), width) if width > 1 else (0.0, 1)


def records(text: str, mark: str) -> Iterator[Record]:
    """Read record after record; lines without a character are none. Line ends of the text are line feeds."""
    plain = re.compile(f"[^\n{re.escape(mark)}]*+")
    position, line = 0, 1
    while position < len(text):
        if text[position] == "\n":
            position, line = position + 1, line + 1
            continue
        record = Record([], line)
        end = _fill(record, text, position, mark, plain)
        line += text.count("\n", position, end)
        position = end
        yield record


def _fill(record: Record, text: str, position: int, mark: str, plain: re.Pattern[str]) -> int:
    """Read one record's fields; gives where the next one begins."""
    while True:
        field, position, unbalanced = _field(text, position, plain)
        record.fields.append(field)
        record.unbalanced |= unbalanced
        if not text.startswith(mark, position):
            return position + 1
        position += 1


def _field(text: str, position: int, plain: re.Pattern[str]) -> tuple[str, int, bool]:
    """Read one field; gives its value, where it ends, and whether it holds a quote that was meant to open it."""
    quoted = _QUOTED.match(text, position)
    if quoted is not None:
        value, end = quoted.group(1).replace('""', '"'), quoted.end()
        rest = _match(plain, text, end)
        if rest == end:
            return value, end, False
        if not text[end:rest].strip() or "\n" not in value:
            return value + text[end:rest].rstrip(), rest, False
    end = _match(plain, text, position)
    field = text[position:end]
    return field, end, field.lstrip(" ").startswith('"')


def _match(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position
