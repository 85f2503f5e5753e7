"""The blobs port over a folder that many processes of one machine share.

<root>/blobs/          the keys, see `names`
<root>/unfinished/     files that are being written, see `staging`
<root>/upload-secret   what signs upload tickets, see `uploads`
"""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from knowhub.errors import NotFound, Unavailable
from knowhub.ports.blob_keys import check_key, check_prefix, cursor_after, key_of
from knowhub.ports.blobs import BlobInfo, BlobPage, UploadTicket
from knowhub.ports.blobs_rules import check_content_type, check_page, check_upload
from knowhub.ports.clock import Clock
from knowhub.stores.folder.files import head_of, read_head
from knowhub.stores.folder.names import path_of
from knowhub.stores.folder.staging import Staging
from knowhub.stores.folder.tree import ABSENT, entries, folder, remove, sync_folder, translated
from knowhub.stores.folder.uploads import Tickets

_ATTEMPTS = 100
_COPY_BYTES = 1024 * 1024


class FolderBlobs:
    """Blobs below `root`, which is made where absent; what a killed process left unfinished there is swept away first.

    `public_url` is the origin that serves `/_uploads` by `accept_upload`.
    """

    def __init__(self, root: str | Path, *, public_url: str, clock: Clock) -> None:
        self._root = Path(root)
        self._tree = self._root / "blobs"
        self._staging = Staging(self._root / "unfinished")
        self._tickets = Tickets(self._root / "upload-secret")
        self._public_url = public_url.rstrip("/")
        self._clock = clock
        with translated(self._root):
            for each in (self._tree, self._root / "unfinished"):
                each.mkdir(mode=0o700, parents=True, exist_ok=True)
            sync_folder(self._root)
            self._staging.sweep()

    def put(self, key: str, data: bytes, *, content_type: str = "application/octet-stream") -> None:
        """Write the bytes aside, to the disk, then rename."""
        check_key(key)
        check_content_type(content_type)
        self._write(key, content_type, lambda file: file.write(data))

    def get(self, key: str) -> bytes:
        """Read the whole blob; raises `NotFound`."""
        check_key(key)
        with self._opened(key) as file:
            read_head(file)
            return file.read()

    def stat(self, key: str) -> BlobInfo | None:
        """Read the head of the blob's file."""
        check_key(key)
        try:
            with self._opened(key) as file:
                content_type, size = read_head(file)
                modified_at = os.fstat(file.fileno()).st_mtime
        except NotFound:
            return None
        return BlobInfo(key=key, size=size, content_type=content_type, modified_at=modified_at)

    def copy(self, source: str, target: str) -> None:
        """Copy the file; raises `NotFound`."""
        check_key(source)
        check_key(target)
        with self._opened(source) as file:
            if source == target:
                return
            content_type, _ = read_head(file)
            start = file.tell()

            def content(copy: BinaryIO) -> None:
                file.seek(start)
                shutil.copyfileobj(file, copy, _COPY_BYTES)

            self._write(target, content_type, content)

    def delete(self, keys: Sequence[str]) -> None:
        """Remove the blobs and the folders that they leave empty."""
        for key in keys:
            check_key(key)
        with translated(self._root):
            for key in dict.fromkeys(keys):
                remove(self._tree, path_of(key))

    def list(self, prefix: str, *, cursor: str | None = None, limit: int = 1000) -> BlobPage:
        """Walk the folders in the order of the keys; each page reads again every folder that it has keys of."""
        check_prefix(prefix)
        check_page(limit)
        after = "" if cursor is None else key_of(cursor)
        keys: list[str] = []
        with translated(self._root):
            for key in self._walk("", (), prefix, after):
                if len(keys) == limit:
                    return BlobPage(tuple(keys), cursor_after(keys[-1]))
                keys.append(key)
        return BlobPage(tuple(keys), None)

    def presign_upload(self, key: str, *, content_type: str, max_bytes: int, seconds: int) -> UploadTicket:
        """Sign the fields that `accept_upload` will check; the ticket ends at a whole second."""
        check_upload(key, content_type=content_type, max_bytes=max_bytes, seconds=seconds)
        expires = int(self._clock.now()) + seconds
        with translated(self._root):
            fields = self._tickets.issue(key, content_type=content_type, max_bytes=max_bytes, expires=expires)
        return UploadTicket(f"{self._public_url}/_uploads", fields, float(expires))

    def accept_upload(self, fields: Mapping[str, str], content_type: str, data: bytes) -> str:
        """Store what a client has posted with a ticket's fields, and give the key.

        The part's own `content_type` decides nothing, as it decides nothing on AWS: the blob gets the signed one.
        Raises `InvalidRequest`, `Forbidden` and `PayloadTooLarge` as `Tickets.check` does.
        """
        del content_type
        with translated(self._root):
            self._tickets.check(fields, len(data), now=self._clock.now())
        self.put(fields["key"], data, content_type=fields["content_type"])
        return fields["key"]

    @contextmanager
    def _opened(self, key: str) -> Iterator[BinaryIO]:
        *folders, name = path_of(key)
        with translated(self._root):
            try:
                with folder(self._tree, folders) as place:
                    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place)
            except OSError as error:
                if error.errno in ABSENT:
                    raise NotFound("BLOB") from error
                raise
            with os.fdopen(descriptor, "rb") as file:
                yield file

    def _write(self, key: str, content_type: str, content: Callable[[BinaryIO], object]) -> None:
        *folders, name = path_of(key)

        def whole(file: BinaryIO) -> None:
            file.write(head_of(content_type))
            content(file)

        def place(path: Path) -> None:
            with folder(self._tree, folders, make=True) as target:
                os.rename(path, name, dst_dir_fd=target)
                os.fsync(target)

        with translated(self._root):
            for _ in range(_ATTEMPTS):
                try:
                    self._staging.write(whole, place, modified=self._clock.now())
                except FileNotFoundError:
                    # A delete has removed the folder that had just become empty, or a sweep met the new file.
                    continue
                return
        raise Unavailable("The blob's folder is removed as fast as it is made")

    def _walk(self, before: str, names: tuple[str, ...], prefix: str, after: str) -> Iterator[str]:
        """Give the keys below a folder, all of which start with `before`, in order; code points sort as UTF-8 does."""
        for entry in entries(self._tree, names):
            key = before + entry.order
            if not entry.is_folder:
                if key.startswith(prefix) and key > after:
                    yield key
            elif (key.startswith(prefix) or prefix.startswith(key)) and (key > after or after.startswith(key)):
                yield from self._walk(key, entry.path, prefix, after)
