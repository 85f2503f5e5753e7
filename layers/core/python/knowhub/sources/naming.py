"""File names and content types of what is fetched, from what its address and its server say."""

import re
from types import MappingProxyType
from urllib.parse import unquote

from knowhub.model.file_names import extension, file_name

_BY_EXTENSION: MappingProxyType[str, str] = MappingProxyType(
    {
        "csv": "text/csv",
        "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "eml": "message/rfc822",
        "htm": "text/html",
        "html": "text/html",
        "json": "application/json",
        "jsonl": "application/x-ndjson",
        "markdown": "text/markdown",
        "md": "text/markdown",
        "mdx": "text/markdown",
        "ndjson": "application/x-ndjson",
        "ods": "application/vnd.oasis.opendocument.spreadsheet",
        "pdf": "application/pdf",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "text": "text/plain",
        "tsv": "text/tab-separated-values",
        "txt": "text/plain",
        "xhtml": "application/xhtml+xml",
        "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    }
)
_PREFERRED = ("md", "txt", "json", "ndjson", "csv", "tsv", "pdf", "doc", "docx", "xls", "xlsx", "ods", "pptx", "eml")
_BY_TYPE: MappingProxyType[str, str] = MappingProxyType({_BY_EXTENSION[name]: name for name in _PREFERRED})
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_SAYS_NOTHING = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/x-download"})
_UNKNOWN = "application/octet-stream"
_STORED = re.compile(r"[!-~](?:[ -~]{0,253}[!-~])?\Z")


def type_of_name(name: str) -> str | None:
    """Give the content type that a file name's extension tells; None where it tells none."""
    return _BY_EXTENSION.get(extension(name))


def settled_type(declared: str | None, name: str) -> str:
    """Decide a document's content type: as declared, by the name where the declaration says nothing of use.

    `text/plain` of a name that is Markdown's means Markdown; its parameters stay.
    """
    said = (declared or "").strip()
    essence, mark, parameters = said.partition(";")
    media = essence.strip().lower()
    if media in _SAYS_NOTHING or not _STORED.match(said):
        return type_of_name(name) or _UNKNOWN
    if media == "text/plain" and type_of_name(name) == "text/markdown":
        return f"text/markdown{mark}{parameters}"
    return said


def name_of_address(host: str, path: str, content_type: str | None) -> str:
    """Name the document of an address: by its path's end, else by its type, else by its host."""
    last = file_name(unquote(path.rpartition("/")[2]))
    if last:
        return last
    media = (content_type or "").partition(";")[0].strip().lower()
    if media in _HTML:
        return "index.html"
    ending = _BY_TYPE.get(media)
    return f"document.{ending}" if ending else file_name(f"{host}.txt")
