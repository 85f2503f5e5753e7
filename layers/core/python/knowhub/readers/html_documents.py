"""The HTML reader: the content of a page as Markdown."""

from collections.abc import Iterator
from typing import Any

from knowhub.errors import Unreadable, UnsupportedMediaType
from knowhub.model.document import Loss
from knowhub.model.extraction import ReadDocument
from knowhub.readers import charsets
from knowhub.readers.caps import cap, require_text
from knowhub.readers.encoding import decode
from knowhub.readers.html_cleaning import MOST_LEVELS, Cleaned, clean
from knowhub.readers.html_markdown import to_markdown
from knowhub.readers.html_tree import survey

MOST_SOURCE_BYTES = 40 * 1024 * 1024
"""Of a page with its markup: its tree takes many times that."""

_LONGEST_TITLE = 200


def read(data: bytes, name: str, charset: str | None = None) -> ReadDocument:  # noqa: ARG001 - as every reader
    """Read a page as Markdown: its main element, or its body, without scripts, styles, navigation and hidden parts.

    The title is the page's own, else the one that it gives to those who link to it (`og:title`), else its first
    heading of level 1. Frames, recordings and files within the page are the loss `EMBEDDED_NOT_READ`. The encoding is
    that of a byte order mark, else `charset`, else what the page declares, else told by evidence. Elements nested too
    deeply lose their form and keep their text, with the loss `NESTING_TOO_DEEP`. Raises `UnsupportedMediaType` where
    the parser is not installed, and `Unreadable` for a page without text.
    """
    decoded = decode(data, charset or charsets.of_html(data))
    require_text(decoded.text)
    source, cut_source = cap(decoded.text, MOST_SOURCE_BYTES)
    cleaned = clean(source)
    found = survey(_parse(cleaned.html))
    text, cut = cap(to_markdown(found))
    if not text.strip():
        raise Unreadable("the page holds no text that is shown", {"reason": "NO_TEXT"})
    losses = [*decoded.losses, *cut_source, *_losses(source, cleaned), *cut]
    return ReadDocument(
        text=text,
        chunker_name="markdown",
        title=" ".join(found.title.split())[:_LONGEST_TITLE].strip() or None,
        losses=tuple(losses),
        encoding=decoded.encoding,
    )


def _losses(source: str, cleaned: Cleaned) -> Iterator[Loss]:
    if cleaned.too_deep is not None:
        detail = f"elements beyond {MOST_LEVELS} levels are read as plain text"
        yield Loss("NESTING_TOO_DEEP", _line(source, cleaned.too_deep), detail)
    if cleaned.embedded:
        detail = f"{len(cleaned.embedded)} frames, recordings or files within the page are not read"
        yield Loss("EMBEDDED_NOT_READ", _line(source, cleaned.embedded[0]), detail)


def _line(source: str, at: int) -> str:
    return f"line {source.count(chr(10), 0, at) + 1}"


def _parse(html: str) -> Any:
    try:
        from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - only the reader function has it
    except ImportError as error:
        message = "HTML is not read here: the library selectolax is not installed"
        raise UnsupportedMediaType(message, {"type": "text/html"}) from error
    return LexborHTMLParser(html)
