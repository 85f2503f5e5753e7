"""The Markdown reader: front matter becomes metadata, all else stays as it was written."""

import re

from knowhub.model.extraction import ReadDocument
from knowhub.readers import front_matter
from knowhub.readers.caps import cap, require_text
from knowhub.readers.encoding import decode

_FIRST_HEADING = re.compile(r"^ {0,3}#[ \t]++([^\n]*+)$", re.MULTILINE)
_SKIPPED = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_CLOSING_HASHES = re.compile(r"(?:^|[ \t]+)#+[ \t]*\Z")
_LONGEST_TITLE = 200
_TITLE_SEARCH = 20_000
"""Code points in which a title is looked for: a later heading names a part, not the document."""


def read(data: bytes, name: str) -> ReadDocument:  # noqa: ARG001 - every reader is called alike
    """Decode Markdown; the text, in which locators count, begins behind the front matter.

    Front matter that can't be read stays in the text, with the loss `FRONT_MATTER_UNREADABLE`. The title is that of the
    front matter, else the first heading of level 1. Raises `UnsupportedMediaType` for binary bytes, and `Unreadable`
    where nothing but front matter or white space is found.
    """
    decoded = decode(data)
    metadata, body, unreadable = front_matter.split(decoded.text)
    text, cut = cap(body)
    require_text(text)
    return ReadDocument(
        text=text,
        chunker_name="markdown",
        title=_title(metadata, text),
        metadata=metadata,
        losses=(*decoded.losses, *unreadable, *cut),
        encoding=decoded.encoding,
    )


def _title(metadata: dict[str, object], text: str) -> str | None:
    given = metadata.get("title")
    if isinstance(given, str) and given.strip():
        return given.strip()[:_LONGEST_TITLE]
    head = _SKIPPED.sub("", text[:_TITLE_SEARCH])
    match = _FIRST_HEADING.search(head)
    title = _CLOSING_HASHES.sub("", match.group(1)).strip() if match else ""
    return title[:_LONGEST_TITLE] or None
