"""A tree of folders that is walked by descriptors: no link is followed and no path can leave the root.

Every step opens one name relative to its folder, so a long key needs no long path.
"""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from knowhub.errors import Internal, Unavailable
from knowhub.stores.folder.names import FILE_MARK, LONG_MARK, segment_of

ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""How the system says that a name is not there, or is a link or something else that we never wrote."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_KEPT = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.EBUSY, *ABSENT})


class Entry(NamedTuple):
    """What a folder holds of the keys' next segment: a blob, or a folder of longer keys, and the names to get there."""

    segment: str
    is_folder: bool
    path: tuple[str, ...]

    @property
    def order(self) -> str:
        """Sort as the keys do: a folder's keys go on with a slash."""
        return f"{self.segment}/" if self.is_folder else self.segment


@contextmanager
def translated(root: Path) -> Iterator[None]:
    """Raise our errors for the file system's."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP, errno.EISDIR):
            raise Internal(f"The blob folder {root.name} holds a link or a file where only folders belong") from error
        raise Unavailable(f"The blob folder {root.name} can't be read or written: {error.strerror}") from error


@contextmanager
def folder(root: Path, names: Sequence[str], *, make: bool = False) -> Iterator[int]:
    """Open the folder below the root, making what is missing if told so; raises `OSError`."""
    descriptor = os.open(root, _FOLDER)
    try:
        for name in names:
            inner = _enter(descriptor, name, make=make)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable."""
    with folder(path, ()) as descriptor:
        os.fsync(descriptor)


def entries(root: Path, names: tuple[str, ...] = ()) -> list[Entry]:
    """List what a folder holds, in the order of the keys; a folder that is gone holds nothing."""
    found = list(_entries(root, names, ""))
    found.sort(key=lambda entry: entry.order)
    return found


def remove(root: Path, path: Sequence[str]) -> None:
    """Remove the file, if it is there, and the folders that it leaves empty; raises `OSError`."""
    *folders, name = path
    try:
        with folder(root, folders) as descriptor:
            os.unlink(name, dir_fd=descriptor)
            os.fsync(descriptor)
    except OSError as error:
        if error.errno not in ABSENT:
            raise
    for depth in range(len(folders), 0, -1):
        try:
            with folder(root, folders[: depth - 1]) as descriptor:
                os.rmdir(folders[depth - 1], dir_fd=descriptor)
        except OSError as error:
            if error.errno not in _KEPT:
                raise
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                return


def _enter(descriptor: int, name: str, *, make: bool) -> int:
    flags = _FOLDER | os.O_NOFOLLOW
    try:
        return os.open(name, flags, dir_fd=descriptor)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=descriptor)
    os.fsync(descriptor)
    return os.open(name, flags, dir_fd=descriptor)


def _entries(root: Path, names: tuple[str, ...], written: str) -> Iterator[Entry]:
    try:
        with folder(root, names) as descriptor, os.scandir(descriptor) as scan:
            held = [(each.name, each.is_dir(follow_symlinks=False)) for each in scan if not each.is_symlink()]
    except OSError as error:
        if error.errno not in ABSENT:
            raise
        return
    for name, is_folder in held:
        path = (*names, name)
        if is_folder and name.endswith(LONG_MARK):
            yield from _entries(root, path, written + name.removesuffix(LONG_MARK))
        elif is_folder or name.endswith(FILE_MARK):
            segment = segment_of(written + (name if is_folder else name.removesuffix(FILE_MARK)))
            if segment is not None:
                yield Entry(segment, is_folder, path)
