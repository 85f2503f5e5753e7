"""The readers of comma- and tab-separated values: one record a line, whatever the fields hold."""

import re

from knowhub.model.document import Loss
from knowhub.model.extraction import Place, ReadDocument
from knowhub.readers.caps import cap, require_text
from knowhub.readers.csv_records import Record, delimiter, records
from knowhub.readers.encoding import decode

SEPARATOR = " | "
_BREAKS = re.compile(r"[ \t]*[\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+[ \t]*")
_DIRECTIVE = re.compile(r'"?sep=([^\w"\n])"?(?=\n|\Z)', re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?[0-9][0-9.,]*+%?\Z")


def read(data: bytes, name: str) -> ReadDocument:
    """Read records (RFC 4180): their fields joined by ` | `, line ends within a field as a space.

    The delimiter is told by the first records, among comma, semicolon, tab and bar; for `.tsv` a tab comes first, and a
    first line `sep=;`, which is Excel's and no record, comes before either. The first record names the fields, unless
    all of it is numbers. Rows count records, the first being 1. A quote that nothing closes is a character like any
    other, with the loss `CSV_UNBALANCED_QUOTE`.
    """
    decoded = decode(data)
    require_text(decoded.text)
    source, mark = _directed(decoded.text)
    if mark is None and name.lower().endswith((".tsv", ".tab")) and "\t" in source:
        mark = "\t"
    found = list(records(source, mark or delimiter(source)))
    require_text("".join(field for record in found for field in record.fields))
    lines = [_line(record.fields) for record in found]
    text, cut = cap("\n".join(lines) + "\n")
    return ReadDocument(
        text=text,
        chunker_name="fixed",
        losses=(*decoded.losses, *_unbalanced(found), *cut),
        encoding=decoded.encoding,
        preserve_lines=True,
        header_lines=1 if len(lines) > 1 and _names_fields(found[0].fields) else 0,
        places=(Place(0, len(text), row=1),),
    )


def _directed(text: str) -> tuple[str, str | None]:
    """Take the line that only tells the delimiter away, but not its end, so that lines keep their numbers."""
    match = _DIRECTIVE.match(text)
    return (text[match.end() :], match.group(1)) if match else (text, None)


def _line(fields: list[str]) -> str:
    return SEPARATOR.join(_BREAKS.sub(" ", field).strip() for field in fields).rstrip()


def _names_fields(fields: list[str]) -> bool:
    """Whether a first record names the fields of the others: years among names are common, numbers alone are not."""
    written = [field.strip() for field in fields if field.strip()]
    return bool(written) and not all(map(_NUMBER.match, written))


def _unbalanced(found: list[Record]) -> list[Loss]:
    rows = [number for number, record in enumerate(found, 1) if record.unbalanced]
    if not rows:
        return []
    detail = f"{len(rows)} records with a quote that nothing closes: kept as a character"
    return [Loss("CSV_UNBALANCED_QUOTE", f"line {found[rows[0] - 1].line}", detail)]
