"""What every store of files answers alike: what its listings pass over, and why a file was not given."""

from knowhub.errors import Forbidden, SourceFailed

_PASSED_OVER = frozenset({".git", "node_modules"})


def is_passed_over(segment: str) -> bool:
    """Tell whether a file or folder of this name never holds documents."""
    return segment in _PASSED_OVER


def outside() -> Forbidden:
    """Refuse a file or folder; what there is, or who else may read it, can't be told from the one text of it."""
    return Forbidden("This place is not open to imports")


def not_found() -> SourceFailed:
    """Say that there is nothing of this name."""
    return SourceFailed("There is no such file or folder", {"reason": "NOT_FOUND", "transient": False})


def too_large(limit: int) -> SourceFailed:
    """Say that a file is over the limit in bytes."""
    message = f"The file is larger than {limit} bytes"
    return SourceFailed(message, {"reason": "TOO_LARGE", "transient": False, "limit": limit})


def unreadable(*, transient: bool = False) -> SourceFailed:
    """Say that a file or folder can't be read, or not now."""
    return SourceFailed("The file or folder can't be read", {"reason": "UNREADABLE", "transient": transient})
