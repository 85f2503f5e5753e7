"""What the errors of Amazon S3 mean to a caller: the one place that knows its codes."""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError, IncompleteReadError
from botocore.exceptions import ConnectionError as NoConnection

from knowhub.errors import Internal, KnowhubError, NotFound, Unavailable

_LATER = frozenset(
    {
        "InternalError",
        "OperationAborted",
        "RequestTimeout",
        "ServiceUnavailable",
        "SlowDown",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)
# A HEAD request has no body and so no code: the client gives the status in its place.
_ABSENT = frozenset({"NoSuchKey", "NotFound", "404"})


@contextmanager
def translated(bucket: str) -> Iterator[None]:
    """Raise our errors in place of the client's; `bucket` is named in what operators read."""
    try:
        yield
    except ClientError as error:
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        raise meaning(error.response.get("Error", {}).get("Code", ""), bucket, status=status) from error
    except (NoConnection, HTTPClientError, IncompleteReadError) as error:
        raise Unavailable("The blob store does not answer") from error
    except BotoCoreError as error:
        raise Internal(f"The bucket {bucket} can't be asked: {type(error).__name__}") from error


def meaning(code: str, bucket: str, *, status: int = 0) -> KnowhubError:
    """Say what one code means, of a whole call or of one key of it."""
    if code in _ABSENT:
        return NotFound("BLOB")
    if code in _LATER or status >= 500:  # noqa: PLR2004  the range of HTTP's server errors
        return Unavailable("The blob store is busy")
    if code == "NoSuchBucket":
        return Internal(f"The bucket {bucket} does not exist; deploy it or correct its setting")
    return Internal(f"The bucket {bucket} refused a call: {code}")
