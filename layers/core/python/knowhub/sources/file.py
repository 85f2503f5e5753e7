"""Source `file`: named files, one by one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from urllib.parse import unquote

from knowhub.errors import NotFound, SourceFailed
from knowhub.model.document import Loss
from knowhub.model.file_names import file_name
from knowhub.ports.sources import Files, FoundFile, SourceContent, SourceItem, SourcePage, Uploads
from knowhub.ports.sources_rules import UPLOAD, no_upload, not_found, outside, too_large
from knowhub.sources import cursors
from knowhub.sources.naming import settled_type, type_of_name

MAX_FILE_BYTES = 100 * 1024 * 1024
"""Of one file from a root, as of an upload."""

_UPLOAD_ID = re.compile(r"upload:[A-Za-z0-9_-]{1,64}\Z")


class FileReading:
    """Describes and reads files by URI, whatever store they are in."""

    def __init__(self, stores: Mapping[str, Files], uploads: Uploads | None, max_bytes: int) -> None:
        """Keep the stores by URI scheme."""
        self._stores = stores
        self._uploads = uploads
        self.max_bytes = max_bytes

    def store(self, uri: str) -> Files:
        """Give the store of a URI; a scheme without one is as closed as what lies outside of the roots."""
        found = self._stores.get(uri.partition(":")[0])
        if found is None:
            raise outside()
        return found

    def item(self, uri: str) -> SourceItem | Loss:
        """Describe one file; a loss where it is not there or too large.

        Where its store does not answer now, nothing but its name is known, and fetching it will tell.
        """
        try:
            return self._uploaded(uri) if uri.startswith(UPLOAD) else self.judged(self._found(uri))
        except SourceFailed as error:
            if error.detail.get("transient"):
                return self._item(FoundFile(uri, unquote(uri.rpartition("/")[2]), 0), size=None)
            return Loss(str(error.detail["reason"]), uri, error.message)

    def judged(self, found: FoundFile) -> SourceItem | Loss:
        """Make an item of a file, or a loss of one that is over the limit."""
        if found.size > self.max_bytes:
            return Loss("TOO_LARGE", found.uri, f"{found.size} bytes are over the limit of {self.max_bytes}")
        return self._item(found, size=found.size)

    def _item(self, found: FoundFile, *, size: int | None) -> SourceItem:
        name = file_name(found.path.rpartition("/")[2]) or "document"
        return SourceItem(
            external_id=found.uri,
            uri=found.uri,
            name=name,
            title=name,
            content_type=found.content_type or type_of_name(name),
            metadata={"doc_id": found.uri, "uri": found.uri, "file_name": name, "file_path": found.path},
            size=size,
            version=found.version,
        )

    def fetch(self, item: SourceItem, known: str | None) -> SourceContent | None:
        """Read a file unless its version is the known one."""
        if known is not None and item.version == known:
            return None
        if item.uri.startswith(UPLOAD):
            data = self._upload_bytes(item.uri)
            return SourceContent(data, item.name, settled_type(item.content_type, item.name), item.version)
        content = self.store(item.uri).get(item.uri, max_bytes=self.max_bytes)
        if known is not None and content.version == known:
            return None
        declared = content.content_type or item.content_type
        return SourceContent(content.data, item.name, settled_type(declared, item.name), content.version)

    def _found(self, uri: str) -> FoundFile:
        found = self.store(uri).stat(uri)
        if found is None:
            raise not_found()
        return found

    def _uploaded(self, uri: str) -> SourceItem | Loss:
        upload = self._uploads.stat(uri.removeprefix(UPLOAD)) if self._uploads else None
        if upload is None:
            raise no_upload()
        # Its bytes never change: that it is this upload is all that its version has to say.
        found = self.judged(FoundFile(uri, file_name(upload.name), upload.size, upload.content_type, uri))
        if isinstance(found, Loss):
            return found
        described = {**upload.metadata, **found.metadata}
        return replace(found, title=upload.title or found.title, url=upload.url, metadata=described)

    def _upload_bytes(self, uri: str) -> bytes:
        if self._uploads is None:
            raise no_upload()
        try:
            data = self._uploads.get(uri.removeprefix(UPLOAD))
        except NotFound as error:
            raise no_upload() from error
        if len(data) > self.max_bytes:
            raise too_large(self.max_bytes)
        return data


class FileSource:
    """The files of a list of URIs, in the order of the list."""

    def __init__(self, uris: Sequence[str], reading: FileReading) -> None:
        self._uris = tuple(uris)
        self._reading = reading

    def list(self, cursor: str | None = None, limit: int = 100) -> SourcePage:
        """Look at the next files."""
        cursors.check_limit(limit)
        start = cursors.position(cursor, len(self._uris))
        found = [self._reading.item(uri) for uri in self._uris[start : start + limit]]
        return page_of(found, cursors.at(start + len(found), len(self._uris)))

    def fetch(self, item: SourceItem, known: str | None = None) -> SourceContent | None:
        """Read one file."""
        return self._reading.fetch(item, known)


def page_of(found: Sequence[SourceItem | Loss], cursor: str | None) -> SourcePage:
    """Sort what was found into items and losses."""
    items = tuple(each for each in found if isinstance(each, SourceItem))
    return SourcePage(items, tuple(each for each in found if isinstance(each, Loss)), cursor)


def is_upload(reference: str) -> bool:
    """Tell whether a reference names an upload."""
    return _UPLOAD_ID.match(reference) is not None
