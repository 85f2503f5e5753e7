"""How the client says that it did not get something.

Everything that would tell a caller what there is at an address - refused, unknown, closed, silent, without a valid
certificate - is one error with one text. What happened is in the exception's cause, for the log.
"""

from knowhub.errors import SourceFailed


def failure(reason: str, message: str, *, transient: bool) -> SourceFailed:
    """Build the error of one reason."""
    return SourceFailed(message, {"reason": reason, "transient": transient})


def unreachable() -> SourceFailed:
    """Say that an address gives nothing, whatever the cause."""
    return failure("UNREACHABLE", "The address can't be reached from here", transient=True)


def too_slow() -> SourceFailed:
    """Say that the answer did not come in time."""
    return failure("TOO_SLOW", "The answer did not come in time", transient=True)


def too_large(limit: int) -> SourceFailed:
    """Say that the answer is over a limit in bytes."""
    error = failure("TOO_LARGE", f"The answer is larger than {limit} bytes", transient=False)
    error.detail["limit"] = limit
    return error


def broken() -> SourceFailed:
    """Say that the connection ended before the answer did."""
    return failure("BROKEN_ANSWER", "The answer ended before it was complete", transient=True)


def malformed() -> SourceFailed:
    """Say that what came is no HTTP that is understood here."""
    return failure("MALFORMED_ANSWER", "The answer is no HTTP that can be read", transient=False)
