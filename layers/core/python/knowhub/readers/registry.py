"""Readers by format, and how the format of a document is found.

The first bytes come first: a wrong name or declared type does not make an image a text. Then the declared content type
decides, then the extension without case; what is still unknown is read as text if it is one.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import cast

from knowhub.errors import InvalidRequest, Unreadable, UnsupportedMediaType
from knowhub.model.extraction import ReadDocument
from knowhub.readers import archive_types, charsets, doc_types, text_sniffing
from knowhub.readers.sniffing import sniff

Reader = Callable[[bytes, str], ReadDocument]
Isolated = Callable[[str, bytes, str], ReadDocument]
"""Reads with the named reader of `ISOLATED`: its name, the bytes, and the document's name."""

_READERS: MappingProxyType[str, tuple[str, str]] = MappingProxyType(
    {
        "text": ("knowhub.readers.text", "read"),
        "markdown": ("knowhub.readers.markdown", "read"),
        "json": ("knowhub.readers.json_documents", "read"),
        "jsonl": ("knowhub.readers.json_documents", "read_lines"),
        "csv": ("knowhub.readers.csv_documents", "read"),
        "html": ("knowhub.readers.html_documents", "read"),
    }
)
"""Module and function, imported when first used: a function that only detects types starts without them."""

ISOLATED: MappingProxyType[str, str] = MappingProxyType(
    {
        "pdf": "knowhub.readers.pdf",
        "docx": "knowhub.readers.docx",
        "doc": "knowhub.readers.doc",
        "sheets": "knowhub.readers.sheets",
        "pptx": "knowhub.readers.pptx",
        "eml": "knowhub.readers.eml",
    }
)
"""Readers of binary and archive formats by the module whose `read` they are: they run in a process of their own."""

_BY_SNIFFED_TYPE: MappingProxyType[str, str] = MappingProxyType(
    {
        "application/pdf": "pdf",
        archive_types.DOCUMENT: "docx",
        archive_types.WORKBOOK: "sheets",
        archive_types.OPEN_SPREADSHEET: "sheets",
        archive_types.SLIDES: "pptx",
        doc_types.DOCUMENT: "doc",
        doc_types.WORKBOOK: "sheets",
        doc_types.ENCRYPTED: "doc",
    }
)
"""What bytes say wins over every name; an encrypted file goes to the reader that can say so."""

_BY_CONTENT_TYPE: MappingProxyType[str, str] = MappingProxyType(
    {
        "text/markdown": "markdown",
        "text/x-markdown": "markdown",
        "text/mdx": "markdown",
        "message/rfc822": "eml",
        "application/json": "json",
        "text/json": "json",
        "application/x-ndjson": "jsonl",
        "application/ndjson": "jsonl",
        "application/jsonl": "jsonl",
        "application/x-jsonlines": "jsonl",
        "text/csv": "csv",
        "application/csv": "csv",
        "text/tab-separated-values": "csv",
        "text/html": "html",
        "application/xhtml+xml": "html",
    }
)
_BY_EXTENSION: MappingProxyType[str, str] = MappingProxyType(
    {
        "md": "markdown",
        "markdown": "markdown",
        "mdx": "markdown",
        "txt": "text",
        "text": "text",
        "eml": "eml",
        "json": "json",
        "jsonl": "jsonl",
        "ndjson": "jsonl",
        "csv": "csv",
        "tsv": "csv",
        "tab": "csv",
        "html": "html",
        "htm": "html",
        "xhtml": "html",
    }
)


def names() -> tuple[str, ...]:
    """List the readers by name, in order."""
    return tuple(sorted([*_READERS, *ISOLATED]))


def reader(name: str, isolated: Isolated | None = None) -> Reader:
    """Look a reader up; raises `InvalidRequest`, naming those that exist.

    One that needs a process of its own is read through `isolated`, and refused with `UnsupportedMediaType` without it.
    """
    if name in ISOLATED:
        if isolated is None:
            raise UnsupportedMediaType(f"documents of type {name} are not read in this place", {"type": name})
        return partial(isolated, name)
    found = _READERS.get(name)
    if found is None:
        message = f"unknown reader {name!r}; known are {', '.join(names())}"
        raise InvalidRequest(message, {"errors": [{"loc": ["reader"], "type": "value_error", "message": message}]})
    module, function = found
    return cast("Reader", getattr(import_module(module), function))


def detect(data: bytes, *, name: str, content_type: str | None = None) -> str:
    """Say which reader a document needs; raises `UnsupportedMediaType`, naming the type that no reader takes.

    `text/plain` says nothing that an extension could not say better: servers send Markdown with it.
    """
    sniffed = sniff(data)
    if sniffed is not None:
        if sniffed in _BY_SNIFFED_TYPE:
            return _BY_SNIFFED_TYPE[sniffed]
        raise UnsupportedMediaType(f"documents of type {sniffed} are not read here", {"type": sniffed})
    if text_sniffing.is_html(data):
        return "html"
    said = _said(name, content_type)
    return "json" if said in {"text", "html"} and text_sniffing.is_json(data) else said


def _said(name: str, content_type: str | None) -> str:
    """Follow the declared type, then the extension."""
    declared = (content_type or "").partition(";")[0].strip().lower()
    by_type = "json" if declared.endswith("+json") else _BY_CONTENT_TYPE.get(declared)
    return by_type or _BY_EXTENSION.get(_extension(name), "text")


def read(
    data: bytes,
    *,
    name: str,
    content_type: str | None = None,
    reader_name: str | None = None,
    isolated: Isolated | None = None,
) -> ReadDocument:
    """Read a document's bytes into text with the reader that was asked for, or the one that fits.

    Raises `UnsupportedMediaType` for bytes that no reader takes, `Unreadable` for a document without text, and
    `InvalidRequest` for an unknown reader.
    """
    if not data:
        raise Unreadable("the document is empty", {"reason": "EMPTY"})
    chosen = reader_name or detect(data, name=name, content_type=content_type)
    if chosen == "html":
        from knowhub.readers import html_documents  # noqa: PLC0415 - as the others: when first used

        return html_documents.read(data, name, charsets.of_content_type(content_type))
    return reader(chosen, isolated)(data, name)


def _extension(name: str) -> str:
    """Give what follows the last dot of the last path segment, in lower case; nothing for names that begin with it."""
    stem, dot, extension = name.replace("\\", "/").rpartition("/")[2].rpartition(".")
    return extension.lower() if dot and stem else ""
