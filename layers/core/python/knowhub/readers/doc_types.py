"""Which Office format of before 2007 a compound file is, by the names of its streams."""

DOCUMENT = "application/msword"
WORKBOOK = "application/vnd.ms-excel"
ENCRYPTED = "application/vnd.ms-office.encrypted"
UNKNOWN = "application/x-ole-storage"

_STREAMS = (("EncryptedPackage", ENCRYPTED), ("WordDocument", DOCUMENT), ("Workbook", WORKBOOK), ("Book", WORKBOOK))
_RECORD_BYTES = 128
"""Directory records, each of which begins with its name, stand at multiples of their size."""


def media_type(data: bytes) -> str:
    """Name a compound file's format; `application/x-ole-storage` where it is none that is known.

    The names are looked for where directory records may stand, not followed through the file's own structure: that is
    for the reader, which says what is wrong with it. A file within the file comes later than the file's own stream.
    """
    found = [(at, named) for stream, named in _STREAMS if (at := _find(data, stream)) >= 0]
    return min(found)[1] if found else UNKNOWN


def _find(data: bytes, stream: str) -> int:
    name = (stream + "\0").encode("utf-16-le")
    at = data.find(name)
    while at >= 0 and at % _RECORD_BYTES:
        at = data.find(name, at + 1)
    return at
