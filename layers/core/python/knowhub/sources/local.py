"""Files of this machine beneath given folders, for a hub that runs on its user's computer.

Each segment of a path is opened by itself and no link is followed, so that nothing outside of a folder is reached even
while somebody exchanges what is in it. Needs a POSIX system.
"""

import errno
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

from knowhub.errors import Forbidden, SourceFailed
from knowhub.model.document import Loss
from knowhub.ports.sources import FileContent, FilePage, FoundFile
from knowhub.ports.sources_rules import is_passed_over, not_found, outside, too_large, unreadable
from knowhub.sources.naming import type_of_name
from knowhub.sources.roots import file_uri, is_beneath, path_of

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A pipe that nobody writes to would hold up its opening for ever.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_ABSENT = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG})
_MOST_LEVELS = 100
_CONTROLS = re.compile(rb"[\x00-\x1f\x7f]")

Entry = tuple[bytes, FoundFile | Loss]


class LocalFiles:
    """The files port over folders given by their absolute paths, which may themselves be reached through links."""

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = tuple(folders)

    def list(self, folder: str, *, recursive: bool, after: str | None, limit: int) -> FilePage:
        """Walk the folder in the order of the paths' bytes; raises `SourceFailed`."""
        behind = b"" if after is None else os.fsencode(after)
        path = path_of(folder)
        with self._opened(path) as descriptor:
            walk = _Walk(path, behind, recursive=recursive)
            found = list(islice(walk.entries(descriptor, b"", 1), limit + 1))
        page = found[:limit]
        files = tuple(entry for _, entry in page if isinstance(entry, FoundFile))
        losses = tuple(entry for _, entry in page if isinstance(entry, Loss))
        return FilePage(files, losses, os.fsdecode(page[-1][0]) if len(found) > limit else None)

    def has_folder(self, uri: str) -> bool:
        """Try to open it."""
        try:
            with self._opened(path_of(uri)):
                return True
        except SourceFailed:
            return False

    def stat(self, uri: str) -> FoundFile | None:
        """Look at the name without following it."""
        parent, _, name = path_of(uri).rpartition("/")
        try:
            with self._opened(parent) as descriptor:
                status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        except (OSError, SourceFailed, Forbidden):
            # What a root itself is called lies outside of it.
            return None
        return _found(uri, name, status) if stat.S_ISREG(status.st_mode) else None

    def get(self, uri: str, *, max_bytes: int) -> FileContent:
        """Read the file; one that changes meanwhile has no version."""
        parent, _, name = path_of(uri).rpartition("/")
        with (
            self._opened(parent) as folder,
            _translated(),
            os.fdopen(os.open(name, _FILE, dir_fd=folder), "rb") as file,
        ):
            before = os.fstat(file.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise not_found()
            data = file.read(max_bytes + 1)
            after = os.fstat(file.fileno())
        if len(data) > max_bytes:
            raise too_large(max_bytes)
        version = _version(before) if _version(before) == _version(after) else None
        return FileContent(data, type_of_name(name), version)

    @contextmanager
    def _opened(self, path: str) -> Iterator[int]:
        """Open a folder segment by segment from the root that it lies in; raises `SourceFailed`."""
        root = next((each for each in self._folders if is_beneath(path, each)), None)
        if root is None:
            raise outside()
        with _translated():
            descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with _translated():
                for segment in _inner_segments(path, root):
                    inner = os.open(segment, _FOLDER, dir_fd=descriptor)
                    os.close(descriptor)
                    descriptor = inner
            yield descriptor
        finally:
            os.close(descriptor)


class _Walk:
    """One listing of a folder, from behind a path on."""

    def __init__(self, folder: str, behind: bytes, *, recursive: bool) -> None:
        self._folder = folder.rstrip("/")
        self._behind = behind
        self._recursive = recursive

    def entries(self, descriptor: int, prefix: bytes, level: int) -> Iterator[Entry]:
        """Give what is in an open folder and, if asked to, beneath it."""
        with os.scandir(descriptor) as scanned:
            names = sorted(os.fsencode(each.name) + (b"/" if _is_folder(each) else b"") for each in scanned)
        for name in names:
            path = prefix + name
            if is_passed_over(os.fsdecode(name.removesuffix(b"/"))):
                continue
            if not name.endswith(b"/"):
                if path > self._behind:
                    yield path, self._judge(descriptor, name, path)
            elif self._recursive and (path > self._behind or self._behind.startswith(path)):
                yield from self._beneath(descriptor, name, path, level)

    def _beneath(self, parent: int, name: bytes, path: bytes, level: int) -> Iterator[Entry]:
        if level >= _MOST_LEVELS:
            yield from self._once(path, "TOO_DEEP", f"folders are read {_MOST_LEVELS} levels deep")
            return
        try:
            descriptor = os.open(name.removesuffix(b"/"), _FOLDER, dir_fd=parent)
        except OSError:
            yield from self._once(path, "UNREADABLE", "the folder can't be opened")
            return
        try:
            yield from self.entries(descriptor, path, level + 1)
        finally:
            os.close(descriptor)

    def _once(self, path: bytes, code: str, detail: str) -> Iterator[Entry]:
        """Give a folder's loss; one whose listing had begun is no loss but a listing that can't be completed."""
        if path <= self._behind:
            raise unreadable()
        yield path, self._loss(path, code, detail)

    def _judge(self, descriptor: int, name: bytes, path: bytes) -> FoundFile | Loss:
        try:
            status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        except OSError:
            return self._loss(path, "UNREADABLE", "the file can't be looked at")
        if stat.S_ISLNK(status.st_mode):
            return self._loss(path, "LINK", "links are not followed")
        if not stat.S_ISREG(status.st_mode):
            return self._loss(path, "NOT_A_FILE", "this is no regular file")
        if not _is_utf8(path) or _CONTROLS.search(path):
            return self._loss(path, "BAD_NAME", "the name is not UTF-8 or has a control character")
        return _found(self._uri(path), os.fsdecode(path), status)

    def _loss(self, path: bytes, code: str, detail: str) -> Loss:
        return Loss(code, self._uri(path), detail)

    def _uri(self, path: bytes) -> str:
        ending = "/" if path.endswith(b"/") else ""
        return file_uri(f"{self._folder}/{os.fsdecode(path)}") + ending


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise (not_found() if error.errno in _ABSENT else unreadable()) from error


def _inner_segments(path: str, root: str) -> list[str]:
    inner = [segment for segment in path.split("/") if segment]
    return inner[len([segment for segment in root.split("/") if segment not in {"", "."}]) :]


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _found(uri: str, path: str, status: os.stat_result) -> FoundFile:
    return FoundFile(uri, path, status.st_size, type_of_name(path), _version(status))


def _version(status: os.stat_result) -> str:
    """Tell a file's content from other content it had: no program can set the last of these times."""
    return f"{status.st_ino}-{status.st_size}-{status.st_mtime_ns}-{status.st_ctime_ns}"


def _is_utf8(path: bytes) -> bool:
    try:
        path.decode()
    except UnicodeDecodeError:
        return False
    return True
