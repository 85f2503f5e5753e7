"""Which office format an archive is, by what it declares of itself: one small part is inflated, no other."""

from xml.parsers import expat

from knowhub.errors import Unreadable
from knowhub.readers.archive import Entry, directory, inflate
from knowhub.readers.archive_prolog import refuse_document_type

DOCUMENT = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
OPEN_SPREADSHEET = "application/vnd.oasis.opendocument.spreadsheet"
UNKNOWN = "application/zip"

_CONTENT_TYPES = "[Content_Types].xml"
_MOST_TYPE_BYTES = 4 * 1024 * 1024
_LONGEST_TYPE = 256
_MAIN_PART = ".main+xml"
_FAMILIES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("wordprocessingml", "ms-word"), DOCUMENT),
    (("spreadsheetml", "ms-excel"), WORKBOOK),
    (("presentationml", "ms-powerpoint"), SLIDES),
)
_FOLDERS = ((b"word/", DOCUMENT), (b"xl/", WORKBOOK), (b"ppt/", SLIDES))
_EDGE_BYTES = 4096


def media_type(data: bytes) -> str:
    """Name an archive's format; `application/zip` where it is none that is known.

    An archive that is damaged or made to do harm is named by the folders at its edges, so that its reader can say what
    is wrong with it.
    """
    try:
        entries = directory(data)
        if _CONTENT_TYPES in entries:
            return _declared(data, entries[_CONTENT_TYPES])
        if "mimetype" in entries:
            return inflate(data, entries["mimetype"], _LONGEST_TYPE).decode("ascii", errors="replace").strip()
    except Unreadable:
        edges = data[:_EDGE_BYTES] + data[-_EDGE_BYTES:]
        return next((named for folder, named in _FOLDERS if folder in edges), UNKNOWN)
    return UNKNOWN


def _declared(data: bytes, entry: Entry) -> str:
    """Find the main part's content type, which says what the whole file is."""
    content = inflate(data, entry, _MOST_TYPE_BYTES)
    refuse_document_type(content)
    types: list[str] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda _, attributes: types.append(attributes.get("ContentType", ""))
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, ValueError, LookupError):
        return UNKNOWN
    main = [declared.lower() for declared in types if declared.lower().endswith(_MAIN_PART)]
    return next(
        (named for marks, named in _FAMILIES if any(mark in declared for mark in marks for declared in main)), UNKNOWN
    )
