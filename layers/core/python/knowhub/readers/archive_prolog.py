"""What comes before the root element of an XML part: no document type, so no entities."""

from contextlib import suppress
from xml.parsers import expat

from knowhub.errors import Unreadable

_STEP_BYTES = 64 * 1024


class _Prolog(Exception):
    """What comes before the root element is over."""


def refuse_document_type(data: bytes) -> None:
    """Raise `Unreadable` for XML with a document type, the only place that entities can come from.

    Only what stands before the root element is read.
    """
    parser = _parser()
    parser.StartElementHandler = _stop
    with suppress(_Prolog):
        _feed(parser, data)


def refuse_broken(data: bytes) -> None:
    """Raise `Unreadable` for XML with a document type or that is not well-formed to its end."""
    parser = _parser()
    _feed(parser, data)
    _feed(parser, b"", is_end=True)


def _parser() -> expat.XMLParserType:
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse
    return parser


def _feed(parser: expat.XMLParserType, data: bytes, *, is_end: bool = False) -> None:
    try:
        for start in range(0, len(data) or 1, _STEP_BYTES):
            parser.Parse(data[start : start + _STEP_BYTES], is_end)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise broken() from error


def broken() -> Unreadable:
    """Say that a part is no XML."""
    return Unreadable("the file's XML is broken", {"reason": "XML_BROKEN"})


def _refuse(*_: object) -> None:
    raise Unreadable("the file's XML has a document type, which office files never have", {"reason": "XML_DTD"})


def _stop(*_: object) -> None:
    raise _Prolog
