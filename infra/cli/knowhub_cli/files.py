"""What a folder gives to ingest, and what is passed over, each with its reason."""

import mimetypes
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DIRECT_BYTES = 4_000_000
"""Of a file that goes to the hub in one request; a larger one takes the way of an upload."""

MAX_BYTES = 100 * 1024 * 1024
"""Of one file; the hub gives no ticket for a larger upload."""

SKIPPED_FOLDERS = {".git", "node_modules"}

# Types that Python's table lacks or that differ between machines.
TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".mdx": "text/markdown",
    ".txt": "text/plain",
    ".text": "text/plain",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".ndjson": "application/x-ndjson",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".html": "text/html",
    ".tab": "text/tab-separated-values",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".eml": "message/rfc822",
    ".pdf": "application/pdf",
    ".doc": "application/msword",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".xls": "application/vnd.ms-excel",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}
UNKNOWN = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class Found:
    """A file to send; `external_id` is what makes the next ingest of it an update."""

    path: Path
    external_id: str
    size: int

    @property
    def title(self) -> str:
        """Give the document's title: the file's name, within the length that a title may have."""
        return self.path.name[:300]


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is not sent; `fault` where that is no rule of the walk but a failure."""

    path: Path
    reason: str
    fault: bool = False


def discover(path: Path, folder: Path) -> Iterator[Found | Skipped]:
    """Walk what a command line names, in the order of names.

    A file that is named itself is taken whatever it is called; below a folder hidden entries, links, `.git` and
    `node_modules` are skipped. Ids are paths relative to `folder` or, outside of it, absolute ones.
    """
    if not path.exists():
        yield Skipped(path, "does not exist", fault=True)
    elif path.is_dir():
        yield from _walk(path, folder)
    else:
        yield _judged(path, folder)


def _walk(parent: Path, folder: Path) -> Iterator[Found | Skipped]:
    try:
        entries = sorted(parent.iterdir(), key=lambda entry: entry.name)
    except OSError as error:
        yield Skipped(parent, _reason(error), fault=True)
        return
    for entry in entries:
        passed_over = _rule_against(entry)
        if passed_over:
            yield Skipped(entry, passed_over)
        elif entry.is_dir():
            yield from _walk(entry, folder)
        else:
            yield _judged(entry, folder)


def _rule_against(entry: Path) -> str | None:
    """Name the rule of the walk by which an entry is skipped."""
    if entry.name in SKIPPED_FOLDERS:
        return "is never ingested"
    if entry.is_symlink():
        return "is a link"
    if entry.name.startswith("."):
        return "is hidden"
    return None


def _judged(path: Path, folder: Path) -> Found | Skipped:
    """Decide on one file by what can be known without reading it."""
    try:
        status = path.stat()
        absolute = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow the links that a name is made of
        identity = absolute.relative_to(folder) if absolute.is_relative_to(folder) else absolute
        identity.as_posix().encode("utf-8")
    except OSError as error:
        return Skipped(path, _reason(error), fault=True)
    except UnicodeEncodeError:
        return Skipped(path, "its name is not UTF-8", fault=True)
    if not stat.S_ISREG(status.st_mode):
        return Skipped(path, "is no regular file")
    if status.st_size > MAX_BYTES:
        return Skipped(path, f"is larger than {MAX_BYTES // (1024 * 1024)} MB")
    if status.st_size == 0:
        return Skipped(path, "is empty")
    return Found(path, identity.as_posix(), status.st_size)


def content_type(path: Path, data: bytes = b"") -> str:
    """Guess a file's type by its name; where that says nothing, text in UTF-8 is told from other bytes by `data`."""
    suffix = path.suffix.lower()
    by_name = TYPES.get(suffix) or mimetypes.guess_type(f"name{suffix}", strict=True)[0]
    return by_name or ("text/plain" if data and _is_text(data) else UNKNOWN)


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False


def _reason(error: OSError) -> str:
    """Say what the system says, without the path, which is shown beside it."""
    return error.strerror or type(error).__name__
