"""Which files and folders imports may read: pure decisions over what administrators have opened."""

import os
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NoReturn
from urllib.parse import unquote_to_bytes

from knowhub.ports.sources_rules import outside

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\Z")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_MOST_KEY_BYTES = 1024
_MOST_PATH_BYTES = 4096


@dataclass(frozen=True, slots=True)
class BucketRoot:
    """A bucket, or what lies beneath a prefix of it, open to some KBs, or to all where `kb_ids` is None."""

    bucket: str
    prefix: str = ""
    kb_ids: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class FolderRoot:
    """A folder of this machine by its absolute path, open to some KBs, or to all where `kb_ids` is None."""

    path: str
    kb_ids: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class Roots:
    """Everything that is open; the hub's own buckets are not, whoever registered them."""

    buckets: tuple[BucketRoot, ...] = ()
    folders: tuple[FolderRoot, ...] = ()
    own_buckets: frozenset[str] = frozenset()

    def locate(self, reference: str, kb_id: int, *, folder: bool) -> str:
        """Give the one URI of a file or folder that this KB may read.

        `reference` is `s3://bucket/key`, `file:///path` or an absolute path. A root itself is a folder, never a file.
        Raises `Forbidden`, always the same, for everything else.
        """
        if reference.startswith("s3://"):
            return self._key(reference, kb_id, folder=folder)
        path = _local_path(reference)
        for root in self.folders:
            if _open_to(root.kb_ids, kb_id) and _beneath(path, _segments(root.path), itself=folder):
                return file_uri("/" + "/".join(path))
        return _refuse()

    def _key(self, reference: str, kb_id: int, *, folder: bool) -> str:
        bucket, _, key = reference.removeprefix("s3://").partition("/")
        key = key.removesuffix("/") if folder else key
        segments = key.split("/") if key else []
        if not _BUCKET.match(bucket) or _CONTROLS.search(key) or not {"", ".", ".."}.isdisjoint(segments):
            _refuse()
        if bucket in self.own_buckets or len(key.encode()) > _MOST_KEY_BYTES:
            _refuse()
        for root in self.buckets:
            opened = root.bucket == bucket and _open_to(root.kb_ids, kb_id)
            if opened and _beneath(segments, _segments(root.prefix), itself=folder):
                return f"s3://{bucket}/{key}"
        return _refuse()


def file_uri(path: str) -> str:
    """Write an absolute path as a URI; bytes that are no UTF-8 survive."""
    return PurePosixPath(path).as_uri()


def path_of(uri: str) -> str:
    """Read the absolute path of a `file:` URI of this machine; any other text raises `Forbidden`."""
    rest = uri.removeprefix("file://").removeprefix("localhost")
    if not uri.startswith("file://") or not rest.startswith("/") or "?" in rest or "#" in rest:
        _refuse()
    return os.fsdecode(unquote_to_bytes(rest))


def is_beneath(path: str, root: str) -> bool:
    """Tell whether an absolute path is the root or lies in it, by its segments."""
    return _beneath(_segments(path), _segments(root), itself=True)


def _local_path(reference: str) -> list[str]:
    path = path_of(reference) if reference.startswith("file:") else reference
    segments = _segments(path)
    if (
        not path.startswith("/")
        or _CONTROLS.search(path)
        or ".." in segments
        or len(os.fsencode(path)) > _MOST_PATH_BYTES
    ):
        _refuse()
    return segments


def _segments(path: str) -> list[str]:
    return [segment for segment in path.split("/") if segment not in {"", "."}]


def _beneath(segments: list[str], root: list[str], *, itself: bool) -> bool:
    return segments[: len(root)] == root and (itself or len(segments) > len(root))


def _open_to(kb_ids: frozenset[int] | None, kb_id: int) -> bool:
    return kb_ids is None or kb_id in kb_ids


def _refuse() -> NoReturn:
    raise outside()
