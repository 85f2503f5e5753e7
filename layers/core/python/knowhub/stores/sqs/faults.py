"""What the errors of Amazon SQS mean to a caller: the one place that knows its codes."""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection

from knowhub.errors import Internal, InvalidRequest, KnowhubError, PayloadTooLarge, Unavailable
from knowhub.ports.queue import MAX_BODY_BYTES

# By the last part of the code: the service answers both `AWS.SimpleQueueService.X` and `X`, by protocol.
_LATER = frozenset(
    {
        "InternalError",
        "InternalFailure",
        "KmsThrottled",
        "OverLimit",
        "RequestThrottled",
        "ServiceUnavailable",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)
_ABSENT = frozenset({"NonExistentQueue", "QueueDoesNotExist", "QueueDeletedRecently"})
_TOO_LONG = frozenset({"BatchRequestTooLong"})
_REFUSED = frozenset({"InvalidMessageContents"})
_STALE = frozenset({"ReceiptHandleIsInvalid", "MessageNotInflight"})


@contextmanager
def translated(queue_url: str) -> Iterator[None]:
    """Raise our errors in place of the client's; `queue_url` names the queue in what operators read."""
    try:
        yield
    except ClientError as error:
        answer = error.response.get("Error", {})
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        raise meaning(answer.get("Code", ""), answer.get("Message", ""), queue_url, status=status) from error
    except (NoConnection, HTTPClientError) as error:
        raise Unavailable("The queue service does not answer") from error
    except BotoCoreError as error:
        raise Internal(f"The queue {queue_url} can't be asked: {type(error).__name__}") from error


def meaning(code: str, message: str, queue_url: str, *, status: int = 0) -> KnowhubError:
    """Say what one code means, of a whole call or of one entry of a batch."""
    name = code.rpartition(".")[2]
    if name in _LATER or status >= 500:  # noqa: PLR2004  the range of HTTP's server errors
        return Unavailable("The queue service is busy")
    if name in _ABSENT:
        return Internal(f"The queue {queue_url} does not exist; deploy it or correct its setting")
    if name in _TOO_LONG or (name == "InvalidParameterValue" and "must be shorter" in message):
        return PayloadTooLarge(f"A message is at most {MAX_BODY_BYTES} bytes", {"limit": MAX_BODY_BYTES})
    if name in _REFUSED or (name == "InvalidParameterValue" and "Total VisibilityTimeout" in message):
        return InvalidRequest(message)
    return Internal(f"The queue {queue_url} refused a call: {code}")


def is_stale(code: str, message: str) -> bool:
    """Tell whether a receipt no longer settles anything, which is no error of the caller's.

    Beside two codes of its own the service says so with `InvalidParameterValue`, as for a FIFO queue's late receipts.
    """
    name = code.rpartition(".")[2]
    return name in _STALE or (name == "InvalidParameterValue" and "Total VisibilityTimeout" not in message)
