"""File names as documents carry them: one segment, nothing that is invisible or leads elsewhere."""

import re

LONGEST = 200

_NOT_IN_NAMES = re.compile(
    "[\x00-\x1f\x7f-\x9f/\\\\\ud800-\udfff\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]"
)
_LONGEST_ENDING = 10


def extension(name: str) -> str:
    """Give what follows a file name's last dot, in lower case; nothing for a name that only begins with one."""
    stem, dot, found = name.rpartition("/")[2].rpartition(".")
    return found.lower() if dot and stem else ""


def file_name(text: str) -> str:
    """Make a text one segment of a path, or nothing where none is left of it.

    Slashes, control characters and marks that turn the direction of writing become `_`. The ending, which tells the
    format, survives where the name must be shortened to `LONGEST` characters.
    """
    name = _NOT_IN_NAMES.sub("_", text).strip()
    if name in {".", ".."}:
        return ""
    if len(name) <= LONGEST:
        return name
    ending = f".{extension(name)}" if len(extension(name)) in range(1, _LONGEST_ENDING + 1) else ""
    return name[: LONGEST - len(ending)].rstrip() + ending


def base_name(path: str) -> str:
    """Give the last segment of what a client calls a file, with slashes of either kind, else `document`."""
    return file_name(path.replace("\\", "/").rstrip("/").rpartition("/")[2]) or "document"
