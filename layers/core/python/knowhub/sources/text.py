"""Literal text as a document, under an identity that is its own hash."""

import hashlib

from knowhub.ports.sources import SourceContent, SourceItem

_SHORT = 12
_LONGEST_TITLE = 80


def item(text: str) -> SourceItem:
    """Describe a text as a document; equal texts are one."""
    uri = uri_of(text)
    name = f"text-{uri.removeprefix('text://')[:_SHORT]}.txt"
    return SourceItem(
        external_id=uri,
        uri=uri,
        name=name,
        title=_title(text) or name,
        content_type="text/plain; charset=utf-8",
        metadata={"doc_id": uri, "uri": uri},
        size=len(_bytes(text)),
        version=uri,
    )


def content(text: str, described: SourceItem) -> SourceContent:
    """Give a text's bytes."""
    return SourceContent(_bytes(text), described.name, "text/plain; charset=utf-8", described.uri)


def uri_of(text: str) -> str:
    """Name a text by its bytes."""
    return f"text://{hashlib.sha256(_bytes(text)).hexdigest()}"


def _bytes(text: str) -> bytes:
    # Half a surrogate pair, which JSON can spell, has no UTF-8.
    return text.encode("utf-8", "replace")


def _title(text: str) -> str:
    """Take the first line that has a word."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    shown = "".join(each if each.isprintable() else " " for each in first)
    return " ".join(shown.split())[:_LONGEST_TITLE].strip()
