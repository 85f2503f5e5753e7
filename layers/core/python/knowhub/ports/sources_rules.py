"""What every store of files answers alike: what its listings pass over, and why a file was not given."""

from knowhub.errors import Forbidden, SourceFailed

UPLOAD = "upload:"
"""What the URI of a file begins with that was uploaded for an import."""

NOT_YET = "NOT_YET"
"""The reason of what was not asked for at all, for politeness; `retry_after` says when to come back."""

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


def no_upload() -> SourceFailed:
    """Say that no upload of this id may be read by this import, without telling why."""
    message = "There is no such upload: unknown, another's, not for imports, expired, or used and its document deleted"
    return SourceFailed(message, {"reason": "NOT_FOUND", "transient": False})


def not_arrived() -> SourceFailed:
    """Say that an upload was announced and its file has not come."""
    return SourceFailed("The upload's file has not arrived", {"reason": "NOT_ARRIVED", "transient": False})


def not_yet(seconds: float, *, asked: bool) -> SourceFailed:
    """Say that something was not asked for, and when it may be; `asked` says that the other side wants it so."""
    detail: dict[str, object] = {"reason": NOT_YET, "transient": True, "retry_after": seconds, "asked": asked}
    return SourceFailed("The host is asked again a little later", detail)
