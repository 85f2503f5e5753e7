"""What DynamoDB's errors mean to a caller of the table port."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError, ParamValidationError
from botocore.exceptions import ConnectionError as NoConnection

from knowhub.errors import ConditionFailed, Contention, Internal, KnowhubError, PayloadTooLarge, Unavailable
from knowhub.ports.table import MAX_ITEM_BYTES
from knowhub.ports.table_values import increment_refusal

_COLLISION = frozenset({"TransactionConflictException", "TransactionConflict"})
_THROTTLED = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "ProvisionedThroughputExceeded",
        "RequestLimitExceeded",
        "ThrottlingException",
        "ThrottlingError",
        "Throttling",
        "LimitExceededException",
        "InternalServerError",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        # The same transaction is still being carried out: how it ends is open, so it may not be sent anew.
        "TransactionInProgressException",
    }
)
_INVALID = frozenset({"ValidationException", "ValidationError"})
_NOT_COUNTABLE = ("operand", "type mismatch", "number")
"""Words in what DynamoDB says of an increment that the row does not allow; its code alone does not tell."""

_SERVER_ERROR = 500


@contextmanager
def translated() -> Iterator[None]:
    """Turn the client's errors into the port's; what only a wrong call of ours can cause passes."""
    try:
        yield
    except ClientError as error:
        raise _meaning(error) from error
    except (NoConnection, HTTPClientError) as error:
        raise Unavailable("The table does not answer") from error
    except ParamValidationError:
        raise
    except BotoCoreError as error:
        raise Internal("The table can't be called as this function is configured") from error


def _meaning(error: ClientError) -> KnowhubError:
    code = error.response.get("Error", {}).get("Code", "")
    message = error.response.get("Error", {}).get("Message", "")
    if code == "TransactionCanceledException":
        return _cancelled(error.response.get("CancellationReasons", []))
    if code == "ConditionalCheckFailedException":
        return _condition_failed([0])
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if status >= _SERVER_ERROR:
        return Unavailable("The table does not answer")
    return _by_code(code, message)


def _cancelled(reasons: Sequence[Any]) -> KnowhubError:
    """Choose among the reasons of all operations the one that tells the caller most, in a fixed order."""
    failed = [place for place, reason in enumerate(reasons) if reason.get("Code") == "ConditionalCheckFailed"]
    if failed:
        return _condition_failed(failed)
    causes = [_by_code(_code(reason), reason.get("Message", "")) for reason in reasons if _code(reason) != "None"]
    for kind in (PayloadTooLarge, Internal, Unavailable, Contention):
        for cause in causes:
            if isinstance(cause, kind):
                return cause
    return causes[0] if causes else Internal("The table cancelled a transaction without a reason")


def _code(reason: Any) -> str:
    return str(reason.get("Code", "None"))


def _by_code(code: str, message: str) -> KnowhubError:
    if code in _COLLISION:
        return Contention("Another writer kept changing one of the rows")
    if code in _THROTTLED:
        return Unavailable("The table is asked for more than it can do at the moment")
    if code in _INVALID and "item size" in message.lower():
        return PayloadTooLarge(f"item: is over the limit of {MAX_ITEM_BYTES} bytes", {"limit": MAX_ITEM_BYTES})
    if code in _INVALID and any(hint in message.lower() for hint in _NOT_COUNTABLE):
        return increment_refusal("increments")
    return Internal(f"The table refused a request: {code}")


def _condition_failed(places: list[int]) -> ConditionFailed:
    return ConditionFailed("A row is not in the state that was expected", {"operations": places})
