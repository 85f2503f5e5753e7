"""What can go wrong, grouped by what the caller can do about it.

    KnowhubError
    |-- InvalidRequest        change the request            INVALID_REQUEST
    |   |-- MalformedJson                                   MALFORMED_JSON
    |   |-- PayloadTooLarge                                 PAYLOAD_TOO_LARGE
    |   `-- UnsupportedMediaType                            UNSUPPORTED_MEDIA_TYPE
    |-- Unauthenticated       sign in                       UNAUTHENTICATED
    |-- Forbidden             ask somebody with the right   FORBIDDEN
    |-- NotFound              look elsewhere                <THING>_NOT_FOUND
    |-- Conflict              read again, then decide       CONFLICT
    |   `-- ConditionFailed   (a conditional write lost; services translate it)
    |-- Retryable             try again                     UNAVAILABLE
    |   |-- Contention        (two writers met; services retry it)
    |   |-- RateLimited       too many tries              RATE_LIMITED
    |   `-- Unavailable       a dependency is away          UNAVAILABLE
    |       `-- SearchUnavailable                           SEARCH_UNAVAILABLE
    |-- Unreadable            the document can't be read    UNREADABLE_DOCUMENT
    |-- SourceFailed          look at what is imported      SOURCE_FAILED
    `-- Internal              report it                     INTERNAL

`message` is written for the caller and may travel; the exception's `__cause__` and the log hold the inside.
Each wire has one table from `code` to its own status.
"""

from collections.abc import Mapping
from typing import ClassVar


class KnowhubError(Exception):
    """A failure with a stable code, a message for the caller and whether the same call may succeed later."""

    code: str = "INTERNAL"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, detail: Mapping[str, object] | None = None) -> None:
        """Keep the caller's message and the machine-readable detail; neither may hold a secret."""
        super().__init__(message)
        self.message = message
        self.detail: dict[str, object] = dict(detail or {})


class InvalidRequest(KnowhubError):
    """The request does not fit the contract; `detail["errors"]` lists `{loc, type, message}`."""

    code = "INVALID_REQUEST"


class MalformedJson(InvalidRequest):
    """The body is not JSON."""

    code = "MALFORMED_JSON"


class PayloadTooLarge(InvalidRequest):
    """The body, a field or a row is over its limit, which stands in `detail["limit"]`."""

    code = "PAYLOAD_TOO_LARGE"


class UnsupportedMediaType(InvalidRequest):
    """The bytes are in no format that is read here."""

    code = "UNSUPPORTED_MEDIA_TYPE"


class Unauthenticated(KnowhubError):
    """No usable credential: absent, malformed, unknown, revoked and expired are one answer."""

    code = "UNAUTHENTICATED"


class Forbidden(KnowhubError):
    """The principal may see the thing but not do this with it."""

    code = "FORBIDDEN"


class NotFound(KnowhubError):
    """The thing is absent or not readable by this principal: the two can't be told apart."""

    def __init__(self, thing: str, detail: Mapping[str, object] | None = None) -> None:
        """Name the kind of thing in upper snake case (`KB`, `DOCUMENT`, `JOB`); the code follows from it."""
        words = "Knowledge base" if thing == "KB" else thing.replace("_", " ").capitalize()
        super().__init__(f"{words} not found", detail)
        self.code = f"{thing}_NOT_FOUND"


class Conflict(KnowhubError):
    """The request meets a state that excludes it."""

    code = "CONFLICT"


class ConditionFailed(Conflict):
    """A conditional write found another state; nothing was written."""


class Retryable(KnowhubError):
    """The same call may succeed later; `retry_after` is in seconds."""

    code = "UNAVAILABLE"
    retryable = True
    retry_after: int = 1


class Contention(Retryable):
    """Two writers met on one row; nothing was written."""


class RateLimited(Retryable):
    """Too many tries; the next one is looked at in `retry_after` seconds."""

    code = "RATE_LIMITED"

    def __init__(self, message: str, retry_after: int) -> None:
        """Keep when to come back, in whole seconds."""
        super().__init__(message)
        self.retry_after = retry_after


class Unavailable(Retryable):
    """A dependency does not answer."""


class SearchUnavailable(Unavailable):
    """The search engine or the visibility gate does not answer; a short list is never given instead."""

    code = "SEARCH_UNAVAILABLE"
    retry_after = 5


class Unreadable(KnowhubError):
    """A document's bytes can't be turned into chunks; reading them again would fail again."""

    code = "UNREADABLE_DOCUMENT"


class SourceFailed(KnowhubError):
    """What lies outside of the hub was not given: `detail` has its `reason`, a stable word, and whether it passes.

    `detail["transient"]` tells whether a later try may succeed, `detail["retry_after"]` in how many seconds where the
    other side asked for that. An address that is refused and one that does not answer look the same.
    """

    code = "SOURCE_FAILED"


class Internal(KnowhubError):
    """Something that must not happen did."""
