"""The blobs port: immutable bytes by key.

A key is 1 to 900 bytes of UTF-8: segments joined by `/`, none of them empty, `.` or `..`, without control characters
and backslashes. Keys differ by case and by any code point. A key may be the beginning of another (`a` and `a/b`).
Writing a key again replaces it whole, its content type too; nobody ever sees a part or a mixture, and of two writers at
once either may win.

A content type is 1 to 255 printable ASCII characters. Every method raises `InvalidRequest` for an argument outside
these rules, `Unavailable` where the store does not answer or is full, and `Internal` where it does not exist or is not
ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

MAX_KEY_BYTES = 900
"""Of one key in UTF-8; the service's own limit is 1,024."""

MAX_PAGE = 1000
"""Keys in one page of `list`."""

MAX_UPLOAD_BYTES = 5_000_000_000
"""The most that one uploaded file may be allowed; the service takes no more in one POST."""

MAX_UPLOAD_SECONDS = 43_200
"""Longest life of an upload ticket (12 hours); on AWS it ends earlier if the signing role's session does."""


@dataclass(frozen=True, slots=True)
class BlobInfo:
    """What is known without reading: size in bytes, the stored content type, epoch seconds of the write."""

    key: str
    size: int
    content_type: str
    modified_at: float


@dataclass(frozen=True, slots=True)
class BlobPage:
    """Keys in the order of their UTF-8 bytes; `cursor` is None when there are no more."""

    keys: tuple[str, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class UploadTicket:
    """Where and how a client POSTs one file as multipart form data: all `fields` first, then the member `file`.

    The names of the fields are the store's own affair. The blob gets the ticket's content type, whatever the part says.
    """

    url: str
    fields: Mapping[str, str]
    expires_at: float


class Blobs(Protocol):
    """Durable bytes: what `put` has returned survives a kill of every process."""

    def put(self, key: str, data: bytes, *, content_type: str = "application/octet-stream") -> None:
        """Store the bytes under the key, none at all too."""

    def get(self, key: str) -> bytes:
        """Read the bytes; raises `NotFound` (`BLOB_NOT_FOUND`)."""

    def stat(self, key: str) -> BlobInfo | None:
        """Describe the blob; None where it is absent."""

    def copy(self, source: str, target: str) -> None:
        """Copy bytes and content type without their passing through the caller; raises `NotFound`.

        A copy onto itself changes nothing. At most 5 GB on AWS.
        """

    def delete(self, keys: Sequence[str]) -> None:
        """Remove any number of blobs; absent ones are no error. On an error some may be gone."""

    def list(self, prefix: str, *, cursor: str | None = None, limit: int = 1000) -> BlobPage:
        """List up to `limit` (1 to `MAX_PAGE`) keys that start with the prefix, which may be empty or end anywhere.

        A page continues after the last key of the one before, whatever was written or removed meanwhile.
        """

    def presign_upload(self, key: str, *, content_type: str, max_bytes: int, seconds: int) -> UploadTicket:
        """Let a client without credentials upload 1 to `max_bytes` bytes to this key, once or more, until it expires.

        `max_bytes` is up to `MAX_UPLOAD_BYTES`, `seconds` up to `MAX_UPLOAD_SECONDS`. The key need not exist.
        """
