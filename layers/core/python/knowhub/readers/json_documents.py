"""The readers of JSON: one document, or one value a line."""

from dataclasses import replace

from knowhub.model.document import Loss
from knowhub.model.extraction import Place, ReadDocument
from knowhub.model.json_spelling import spell
from knowhub.model.json_text import JsonParser, JsonSyntaxError, Oddities
from knowhub.readers.caps import cap, require_text
from knowhub.readers.encoding import Decoded, decode

_MOST_BROKEN_LINES = 0.5
"""Share of the lines that may be broken in what is read as one value a line."""


def read(data: bytes, name: str) -> ReadDocument:
    """Read a JSON document; its text stays as it was written.

    What is no JSON is read as one value a line if it looks like that, else as plain text with the loss `JSON_INVALID`.
    Equal keys in one object, and `NaN` or `Infinity`, are losses. Raises `Unreadable` for JSON that is nested too
    deeply or holds too many values, and what the text reader raises.
    """
    decoded = decode(data)
    require_text(decoded.text)
    parser = JsonParser(decoded.text)
    try:
        parser.check()
    except JsonSyntaxError as error:
        return _by_lines(decoded, name) or _as_text(decoded, error)
    text, cut = cap(decoded.text)
    document = ReadDocument(
        text=text,
        chunker_name="json",
        losses=(*decoded.losses, *_losses(decoded.text, parser.oddities), *cut),
        encoding=decoded.encoding,
    )
    return replace(document, chunker_name="fixed") if cut else document


def read_lines(data: bytes, name: str) -> ReadDocument:
    """Read one JSON value a line; a line that is none is kept as a string, with the loss `JSON_LINE_INVALID`.

    A document that is one JSON value over several lines is read as such. Rows count lines, from 1.
    """
    decoded = decode(data)
    require_text(decoded.text)
    return _by_lines(decoded, name) or read(data, name)


def _by_lines(decoded: Decoded, name: str) -> ReadDocument | None:  # noqa: ARG001 - as every reader is called
    """Read one value a line; None where that is not what the text holds."""
    text, cut = cap(decoded.text)
    lines = text.split("\n")
    first = next((line.strip() for line in lines if line.strip()), "")
    if not first.startswith(("{", "[")) or not _is_value(first):
        return None
    oddities, broken, kept = Oddities(), [], []
    for number, line in enumerate(lines, 1):
        if line.strip() and not _is_value(line, oddities):
            broken.append(number)
            kept.append(spell(line))
        else:
            kept.append(line)
    if len(broken) > _MOST_BROKEN_LINES * sum(map(bool, map(str.strip, lines))):
        return None
    whole = "\n".join(kept)
    invalid = [Loss("JSON_LINE_INVALID", f"line {broken[0]}", f"{len(broken)} lines kept as strings")] if broken else []
    return ReadDocument(
        text=whole,
        chunker_name="json",
        losses=(*decoded.losses, *_losses(None, oddities), *invalid, *cut),
        encoding=decoded.encoding,
        preserve_lines=True,
        places=(Place(0, len(whole), row=1),),
    )


def _is_value(line: str, oddities: Oddities | None = None) -> bool:
    try:
        JsonParser(line, oddities or Oddities()).check()
    except JsonSyntaxError:
        return False
    return True


def _as_text(decoded: Decoded, error: JsonSyntaxError) -> ReadDocument:
    text, cut = cap(decoded.text)
    invalid = Loss("JSON_INVALID", error.where, f"{error}; the document is read as plain text")
    losses = (*decoded.losses, invalid, *cut)
    return ReadDocument(text=text, chunker_name="fixed", losses=losses, encoding=decoded.encoding)


def _losses(text: str | None, oddities: Oddities) -> list[Loss]:
    """Describe what JSON has no place for; without the text in which places count, no line is named."""
    losses = []
    if oddities.duplicate_keys:
        position, key = oddities.first_duplicate
        detail = f'{oddities.duplicate_keys} equal keys in one object, the first "{key}": the last value counts'
        losses.append(Loss("JSON_DUPLICATE_KEY", _where(text, position), detail))
    if oddities.not_finite:
        position, spelling = oddities.first_not_finite
        detail = f"{oddities.not_finite} numbers that JSON has not, the first {spelling}: kept as strings"
        losses.append(Loss("JSON_NOT_FINITE", _where(text, position), detail))
    return losses


def _where(text: str | None, position: int) -> str:
    return "the lines" if text is None else f"line {text.count(chr(10), 0, position) + 1}"
