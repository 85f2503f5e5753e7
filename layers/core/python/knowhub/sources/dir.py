"""Source `dir`: the files of a folder, or of what looks like one in a bucket."""

import base64
import binascii
import os
from collections.abc import Collection

from knowhub.model.file_names import extension
from knowhub.ports.sources import SourceContent, SourceItem, SourcePage
from knowhub.sources import cursors
from knowhub.sources.file import FileReading, page_of


class DirSource:
    """The files of one folder in the order of their paths' bytes; with `extensions` those only, without case.

    A page covers up to `limit` files of the folder, also those that have other extensions.
    """

    def __init__(self, folder: str, reading: FileReading, *, recursive: bool, extensions: Collection[str]) -> None:
        self._folder = folder
        self._reading = reading
        self._recursive = recursive
        self._extensions = frozenset(extensions)

    def list(self, cursor: str | None = None, limit: int = 100) -> SourcePage:
        """List the next files; links, other irregular entries and oversize files are losses."""
        cursors.check_limit(limit)
        after = None if cursor is None else _path(cursor)
        page = self._reading.store(self._folder).list(self._folder, recursive=self._recursive, after=after, limit=limit)
        judged = [self._reading.judged(found) for found in page.files if self._wants(found.path)]
        losses = [loss for loss in page.losses if loss.where.endswith("/") or self._wants(loss.where)]
        return page_of([*judged, *losses], None if page.after is None else _cursor(page.after))

    def fetch(self, item: SourceItem, known: str | None = None) -> SourceContent | None:
        """Read one file."""
        return self._reading.fetch(item, known)

    def _wants(self, path: str) -> bool:
        return not self._extensions or extension(path) in self._extensions


def _cursor(path: str) -> str:
    return base64.urlsafe_b64encode(os.fsencode(path)).decode()


def _path(cursor: str) -> str:
    try:
        return os.fsdecode(base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True))
    except (UnicodeError, binascii.Error) as error:
        raise cursors.refusal("cursor", "This is no cursor of this source") from error
