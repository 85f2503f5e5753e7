"""Readers by format, and how the format of a document is found.

The first bytes come first: a wrong name or declared type does not make an image a text. Then the declared content type
decides, then the extension without case; what is still unknown is read as text if it is one.
"""

from collections.abc import Callable
from types import MappingProxyType

from knowhub.errors import InvalidRequest, Unreadable, UnsupportedMediaType
from knowhub.model.extraction import ReadDocument
from knowhub.readers import markdown, text
from knowhub.readers.sniffing import sniff

Reader = Callable[[bytes, str], ReadDocument]

_READERS: MappingProxyType[str, Reader] = MappingProxyType({"text": text.read, "markdown": markdown.read})
_BY_CONTENT_TYPE: MappingProxyType[str, str] = MappingProxyType(
    {"text/markdown": "markdown", "text/x-markdown": "markdown", "text/mdx": "markdown"}
)
_BY_EXTENSION: MappingProxyType[str, str] = MappingProxyType(
    {"md": "markdown", "markdown": "markdown", "mdx": "markdown", "txt": "text", "text": "text"}
)


def names() -> tuple[str, ...]:
    """List the readers by name, in order."""
    return tuple(sorted(_READERS))


def reader(name: str) -> Reader:
    """Look a reader up; raises `InvalidRequest`, naming those that exist."""
    found = _READERS.get(name)
    if found is None:
        message = f"unknown reader {name!r}; known are {', '.join(names())}"
        raise InvalidRequest(message, {"errors": [{"loc": ["reader"], "type": "value_error", "message": message}]})
    return found


def detect(data: bytes, *, name: str, content_type: str | None = None) -> str:
    """Say which reader a document needs; raises `UnsupportedMediaType`, naming the type that no reader takes.

    `text/plain` says nothing that an extension could not say better: servers send Markdown with it.
    """
    sniffed = sniff(data)
    if sniffed is not None:
        raise UnsupportedMediaType(f"documents of type {sniffed} are not read here", {"type": sniffed})
    declared = (content_type or "").partition(";")[0].strip().lower()
    by_type = _BY_CONTENT_TYPE.get(declared)
    if by_type is not None:
        return by_type
    return _BY_EXTENSION.get(_extension(name), "text")


def read(data: bytes, *, name: str, content_type: str | None = None, reader_name: str | None = None) -> ReadDocument:
    """Read a document's bytes into text with the reader that was asked for, or the one that fits.

    Raises `UnsupportedMediaType` for bytes that no reader takes, `Unreadable` for a document without text, and
    `InvalidRequest` for an unknown reader.
    """
    if not data:
        raise Unreadable("the document is empty", {"reason": "EMPTY"})
    detected = detect(data, name=name, content_type=content_type)
    return reader(reader_name or detected)(data, name)


def _extension(name: str) -> str:
    """Give what follows the last dot of the last path segment, in lower case; nothing for names that begin with it."""
    stem, dot, extension = name.replace("\\", "/").rpartition("/")[2].rpartition(".")
    return extension.lower() if dot and stem else ""
