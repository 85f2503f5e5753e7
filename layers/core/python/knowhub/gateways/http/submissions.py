"""The two bodies by which a document is sent: JSON, and a file as multipart form data."""

from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from io import BytesIO
from typing import Any

from pydantic import ValidationError
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import FormParser, parse_options_header

from knowhub.errors import InvalidRequest, UnsupportedMediaType
from knowhub.gateways.events import ProxyRequest, json_body, parse_json
from knowhub.gateways.http.bodies import DocumentIn
from knowhub.gateways.http.faults import fault, validation_faults
from knowhub.model.document import Submission
from knowhub.model.file_names import base_name, file_name

_MAX_PARTS = 20


def submission_of(request: ProxyRequest) -> Submission:
    """Read a document from a request.

    Raises `UnsupportedMediaType` for another content type, `MalformedJson`, and `InvalidRequest` with the places.
    """
    if request.media_type == "multipart/form-data":
        return _from_form(*_form(request))
    return _from_json(json_body(request))


def _from_json(body: Any) -> Submission:
    sent = _validated(body)
    return Submission(
        title=sent.title,
        # A title is no path: what looks like one in it stays readable.
        name=file_name(sent.title) or "document",
        content_type=sent.content_type,
        data=sent.text.encode(),
        external_id=sent.external_id,
        url=sent.url,
        metadata=sent.metadata,
    )


def _validated(body: Any) -> DocumentIn:
    try:
        return DocumentIn.model_validate(body)
    except ValidationError as error:
        raise InvalidRequest("The body does not fit", validation_faults(error.errors(), ("body",))) from error


def _from_form(fields: Mapping[str, bytes], file: "_File") -> Submission:
    text = {name: _text(name, value) for name, value in fields.items()}
    unknown = sorted(set(text) - {"title", "metadata", "external_id", "url", "content_type"})
    if unknown:
        raise fault(("body", unknown[0]), "extra_forbidden", "this field is not known")
    metadata = parse_json(fields["metadata"]) if "metadata" in fields else {}
    name = base_name(file.name)
    described = _validated(
        {
            "title": text.get("title") or name,
            "text": "",
            "content_type": text.get("content_type") or file.content_type,
            "external_id": text.get("external_id"),
            "url": text.get("url"),
            "metadata": metadata,
        }
    )
    return Submission(
        title=described.title if text.get("title") else None,
        name=name,
        content_type=described.content_type,
        data=file.data,
        external_id=described.external_id,
        url=described.url,
        metadata=described.metadata,
    )


class _File:
    """The form's one file as it was sent."""

    def __init__(self, name: str, content_type: str, data: bytes) -> None:
        self.name = name
        self.content_type = content_type
        self.data = data


def _form(request: ProxyRequest) -> tuple[dict[str, bytes], _File]:
    """Parse the form: fields by name, and the member `file`."""
    boundary = parse_options_header(request.headers.get("content-type", ""))[1].get(b"boundary")
    if not boundary:
        raise UnsupportedMediaType("multipart/form-data needs a boundary")
    fields: list[tuple[str, bytes]] = []
    files: list[tuple[str, _File]] = []
    try:
        parser = FormParser(
            "multipart/form-data",
            on_field=lambda field: fields.append((_name(field.field_name), field.value or b"")),
            on_file=lambda part: files.append((_name(part.field_name), _file(part))),
            boundary=boundary,
            config={"MAX_MEMORY_FILE_SIZE": len(request.body) + 1, "MAX_BODY_SIZE": len(request.body) + 1},
        )
        with closing(parser):
            parser.write(request.body)
            parser.finalize()
    except FormParserError as error:
        raise InvalidRequest("The form can't be read") from error
    if [name for name, _ in files] != ["file"]:
        raise fault(("body", "file"), "missing", "the form has exactly one file, in the field file")
    twice = next((name for name, count in Counter(name for name, _ in fields).items() if count > 1), None)
    if twice is not None or len(fields) > _MAX_PARTS:
        raise fault(("body", twice or "file"), "too_many", f"a form has each field once, and at most {_MAX_PARTS}")
    return dict(fields), files[0][1]


def _file(part: Any) -> _File:
    stream: BytesIO = part.file_object
    stream.seek(0)
    return _File(
        (part.file_name or b"").decode("utf-8", "replace"),
        part.content_type or "application/octet-stream",
        stream.read(),
    )


def _name(name: bytes | None) -> str:
    return (name or b"").decode("utf-8", "replace")


def _text(name: str, value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise fault(("body", name), "string_unicode", "this field is not UTF-8") from error
