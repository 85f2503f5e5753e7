"""Source `auto`: each input is what it looks like - an address, a folder, a file, else a text."""

import re
from collections.abc import Collection, Sequence

from knowhub.model.document import Loss
from knowhub.net.client import GuardedClient
from knowhub.ports.sources import Source, SourceContent, SourceItem, SourcePage
from knowhub.ports.sources_rules import not_found
from knowhub.sources import cursors, text
from knowhub.sources.dir import DirSource
from knowhub.sources.file import FileReading, FileSource, is_upload
from knowhub.sources.roots import Roots
from knowhub.sources.url import UrlSource
from knowhub.sources.visits import Visits

_URL = re.compile(r"https?://\S+\Z", re.IGNORECASE)
_SPELLED_OUT = ("s3://", "file:")
_LONGEST_PATH = 4096


def is_url(entry: str) -> bool:
    """Tell whether an input is an address: a text that only begins with one is not."""
    return _URL.match(entry) is not None


def is_path(entry: str) -> bool:
    """Tell whether an input names a place: by a scheme, or as an absolute path on a line of its own."""
    named = entry.startswith((*_SPELLED_OUT, "/"))
    return named and len(entry) <= _LONGEST_PATH and not set(entry) & set("\n\r\0")


class AutoSource:
    """Inputs in order; what there is at a path is looked at when the listing comes to it.

    A path that is neither folder nor file is a text, and one with a scheme a loss. A file that two inputs cover is
    offered twice, with the same external id.
    """

    def __init__(
        self,
        inputs: Sequence[str],
        reading: FileReading,
        roots: Roots,
        *,
        client: GuardedClient,
        visits: Visits,
        kb_id: int,
        recursive: bool,
        extensions: Collection[str],
    ) -> None:
        """Keep the inputs and what is needed for each kind."""
        self._inputs = tuple(inputs)
        self._reading = reading
        self._roots = roots
        self._urls = UrlSource([entry for entry in inputs if is_url(entry)], (), client, visits)
        self._client = client
        self._kb_id = kb_id
        self._recursive = recursive
        self._extensions = frozenset(extensions)

    def list(self, cursor: str | None = None, limit: int = 100) -> SourcePage:
        """Go on in the input that the cursor is in, and then to the next ones until the page is full."""
        cursors.check_limit(limit)
        number, inner = self._position(cursor)
        items: list[SourceItem] = []
        losses: list[Loss] = []
        while number < len(self._inputs) and (room := limit - len(items) - len(losses)) > 0:
            page = self._source(self._inputs[number]).list(inner, room)
            items += page.items
            losses += page.losses
            inner = page.cursor
            number += inner is None
        ended = number == len(self._inputs)
        return SourcePage(tuple(items), tuple(losses), None if ended else f"{number}:{inner or ''}")

    def fetch(self, item: SourceItem, known: str | None = None) -> SourceContent | None:
        """Read an item of whichever kind."""
        if is_url(item.uri):
            return self._urls.fetch(item, known)
        if not item.uri.startswith("text://"):
            return self._reading.fetch(item, known)
        found = next((entry for entry in self._inputs if text.uri_of(entry) == item.uri), None)
        if found is None:
            raise not_found()
        return None if known == item.uri else text.content(found, item)

    def _source(self, entry: str) -> Source:
        if is_url(entry):
            return UrlSource([entry], (), self._client)
        if is_upload(entry):
            return FileSource([entry], self._reading)
        return self._place(entry) if is_path(entry) else _TextSource(entry)

    def _place(self, entry: str) -> Source:
        uri = self._roots.locate(entry, self._kb_id, folder=True)
        store = self._reading.store(uri)
        if store.has_folder(uri):
            return DirSource(uri, self._reading, recursive=self._recursive, extensions=self._extensions)
        if entry.startswith(_SPELLED_OUT) or store.stat(uri) is not None:
            return FileSource([uri], self._reading)
        return _TextSource(entry)

    def _position(self, cursor: str | None) -> tuple[int, str | None]:
        number, _, inner = (cursor or "0:").partition(":")
        return cursors.position(number, len(self._inputs)), inner or None


class _TextSource:
    """One text."""

    def __init__(self, entry: str) -> None:
        self._text = entry

    def list(self, cursor: str | None = None, limit: int = 100) -> SourcePage:
        """Give the text as the only item."""
        cursors.check_limit(limit)
        cursors.position(cursor, 0)
        return SourcePage((text.item(self._text),), (), None)

    def fetch(self, item: SourceItem, known: str | None = None) -> SourceContent | None:
        """Give the text."""
        return None if known == item.uri else text.content(self._text, item)
