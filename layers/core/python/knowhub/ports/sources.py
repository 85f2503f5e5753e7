"""The sources port: what an import reads documents from, listed page by page and fetched one by one.

`Sources.open` makes a `Source` of a `SourceSpec`; it refuses what the spec may not reach before anything is listed. A
source is read like this: `list` from cursor None until a page's cursor is None, `fetch` for each item whose `version`
is not the one that is already known. Listing is lazy, in an order that stays the same while nothing changes, and may go
on in another process from any cursor.

Accounts: `declared` of a page is how many things it found, and always the number of its items and losses together. What
a source leaves out because it was asked to (other extensions, subfolders without `recursive`, `.git`, `node_modules`)
is not declared. A failed `fetch` is a loss that the caller records; `knowhub.sources.accounts` keeps the sum.

Errors: `InvalidRequest` for a cursor or spec that does not fit, one and the same `Forbidden` for whatever lies outside
of the roots, `SourceFailed` for what the other side does not give. `SourceFailed.detail` has `reason` (a stable word)
and `transient` (whether a later try may succeed), and where the other side asked for it `retry_after` in seconds, or
`retry_at` in epoch seconds. The reason `NOT_YET` means that nothing was asked, for politeness.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from knowhub.model.document import Loss
from knowhub.model.knowledge_base import Chunking

SourceType = Literal["file", "dir", "url", "auto"]

MAX_PAGE = 1000
"""Items in one page of a source."""


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """What to import and how, as `knowhub.sources.specs.parse` has checked it.

    `inputs` are file references (`upload:<id>`, `s3://…`, `file://…` or an absolute path), one folder, URLs, or for
    `auto` anything. `content_urls` is empty or as long as `inputs`. `extensions` are in lower case without a dot; none
    means all. `name` None makes the import a one-off. `chunking`, where given, overrides `chunk_size` and
    `chunk_overlap` completely. `transformers` are as sent: their registry judges them. Without `respect_robots` what a
    site's robots.txt says is not asked for.
    """

    type: SourceType
    inputs: tuple[str, ...]
    content_urls: tuple[str, ...] = ()
    recursive: bool = False
    extensions: tuple[str, ...] = ()
    name: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    chunk_size: int | None = None
    chunk_overlap: int | None = None
    chunking: Chunking | None = None
    transformers: tuple[Mapping[str, object], ...] = ()
    reader: str | None = None
    respect_robots: bool = True

    def chunking_over(self, default: Chunking) -> Chunking:
        """Give how this source's documents are cut in a KB with this default."""
        if self.chunking is not None:
            return self.chunking
        size = default.size if self.chunk_size is None else self.chunk_size
        overlap = default.overlap if self.chunk_overlap is None else self.chunk_overlap
        return replace(default, size=size, overlap=overlap)


@dataclass(frozen=True, slots=True)
class SourceItem:
    """A document that a source offers, before it is fetched.

    `external_id` is its identity within the source and stays the same from one listing to the next. `name` is a file
    name, whose extension tells the format where nothing else does. `content_type` and `size` are None where only a
    fetch can tell. `metadata` are the system's keys, which win over the user's. `version`, where there is one, changes
    whenever the content does; it is opaque.
    """

    external_id: str
    uri: str
    name: str
    title: str
    content_type: str | None = None
    url: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    size: int | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A part of a listing. A page may be empty and have a cursor all the same; every cursor is further on."""

    items: tuple[SourceItem, ...]
    losses: tuple[Loss, ...]
    cursor: str | None

    @property
    def declared(self) -> int:
        """Count what the page accounts for."""
        return len(self.items) + len(self.losses)


@dataclass(frozen=True, slots=True)
class SourceContent:
    """A document's bytes, and what is known of them now that they are here.

    `name` and `content_type` replace the item's. `version` is to be kept and given to the next `fetch` of this item.
    """

    data: bytes
    name: str
    content_type: str
    version: str | None = None


class Source(Protocol):
    """What yields documents for one import; it keeps nothing between calls."""

    def list(self, cursor: str | None = None, limit: int = 100) -> SourcePage:
        """Give the next page, of up to `limit` (1 to `MAX_PAGE`) items and losses.

        A cursor is good for a source of the same spec only. Raises `SourceFailed` where the listing itself fails: it is
        then incomplete, and nothing may be concluded from what is missing.
        """

    def fetch(self, item: SourceItem, known: str | None = None) -> SourceContent | None:
        """Read one item's bytes; None where they are still those of the version that is `known`.

        Raises `SourceFailed`, which concerns this item only.
        """


class Sources(Protocol):
    """Makes sources of specs."""

    def open(self, spec: SourceSpec, kb_id: int, uploads: "Uploads | None" = None) -> Source:
        """Check what the spec reaches for and give its source; nothing is read yet.

        `uploads` are those that this import may read; without them there is no file under an upload's id.

        Raises `Forbidden` for files and folders outside of the roots that this KB may read, and `InvalidRequest` with
        the faults of addresses that are never fetched.
        """


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file under a root: `path` is relative to the folder that was listed, with `/` between segments."""

    uri: str
    path: str
    size: int
    content_type: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class FilePage:
    """Files in the order of their paths' UTF-8 bytes; `after` is None when there are no more.

    `losses` are entries that are no readable files, in their places of the same order.
    """

    files: tuple[FoundFile, ...]
    losses: tuple[Loss, ...]
    after: str | None


@dataclass(frozen=True, slots=True)
class FileContent:
    """A file's bytes with the version that they are."""

    data: bytes
    content_type: str | None
    version: str | None


class Files(Protocol):
    """Read-only files of one URI scheme. Whether a URI may be read at all has been decided before it comes here.

    Every method raises `SourceFailed` where the store refuses or does not answer.
    """

    def list(self, folder: str, *, recursive: bool, after: str | None, limit: int) -> FilePage:
        """List up to `limit` files and losses of a folder, those beneath its subfolders only if `recursive`.

        Folders named `.git` and `node_modules` are passed over, links are not followed. Continues after the path
        `after`. Raises `SourceFailed` (`NOT_FOUND`) for a folder that is not there.
        """

    def has_folder(self, uri: str) -> bool:
        """Tell whether there is a folder of this name."""

    def stat(self, uri: str) -> FoundFile | None:
        """Describe a file; None where there is none, or where it is no regular file."""

    def get(self, uri: str, *, max_bytes: int) -> FileContent:
        """Read a whole file; raises `SourceFailed` with `NOT_FOUND`, or `TOO_LARGE` above the limit."""


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file that a client has uploaded for an import, as it described it; its bytes never change."""

    name: str
    content_type: str
    size: int
    title: str | None = None
    url: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)


class Uploads(Protocol):
    """The uploaded files that one import may read: its starter's in its KB, and those that it has taken before."""

    def stat(self, upload_id: str) -> UploadedFile | None:
        """Describe an upload; None where it is not this import's to read.

        Raises `SourceFailed` (`NOT_ARRIVED`) for one whose file has not come.
        """

    def get(self, upload_id: str) -> bytes:
        """Read an upload's bytes, of one that was taken before too; raises `NotFound`."""
