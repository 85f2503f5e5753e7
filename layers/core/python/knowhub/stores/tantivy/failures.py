"""Engine failures, translated once."""

from collections.abc import Iterator
from contextlib import contextmanager

from knowhub.errors import SearchUnavailable

_PANIC = "PanicException"


@contextmanager
def engine_failures(doing: str) -> Iterator[None]:
    """Turn what the engine or the disk raises inside into `SearchUnavailable`; `doing` completes "can't ..."."""
    try:
        yield
    except (ValueError, RuntimeError, OSError) as error:
        raise SearchUnavailable(f"The chunk index can't {doing}") from error
    except BaseException as error:
        # The engine's panics (over a damaged file, say) arrive as a class that can't be imported and is no Exception.
        if type(error).__name__ != _PANIC:
            raise
        raise SearchUnavailable(f"The chunk index can't {doing}: its engine gave up") from error


def damaged(what: str, cause: Exception | None = None) -> SearchUnavailable:
    """Build the error for a folder whose content can't be right."""
    error = SearchUnavailable(f"The chunk index is damaged ({what}): restore its folder, or remove it and index again")
    error.__cause__ = cause
    return error
