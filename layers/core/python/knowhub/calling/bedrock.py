"""One model of Amazon Bedrock, asked with JSON: the one place that knows what the service's errors mean.

The role needs `bedrock:InvokeModel` on the model. The client given must repeat nothing by itself, and its own time-out
bounds one attempt.
"""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError, IncompleteReadError
from botocore.exceptions import ConnectionError as NoConnection

from knowhub.calling.retrying import Passing, Retries
from knowhub.errors import Unavailable
from knowhub.settings import InvalidSettings

_PASSING = frozenset(
    {
        "InternalServerException",
        "ModelErrorException",
        "ModelNotReadyException",
        "ModelTimeoutException",
        "RequestTimeout",
        "ServiceQuotaExceededException",
        "ServiceUnavailableException",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)
_FIRST_SERVER_ERROR = 500
_TOO_MANY = 429
_MOST_BYTES = 32 * 1024 * 1024


class InvokesModels(Protocol):
    """What is used of boto3's `bedrock-runtime` client."""

    def invoke_model(self, **arguments: Any) -> Any:
        """Ask a model."""


class TooLong(Exception):
    """The model counts more tokens in the text than it takes."""


class BedrockModel:
    """A model by its id; `variable` is the setting that names it, for errors."""

    def __init__(self, client: InvokesModels, model: str, *, variable: str, retries: Retries | None = None) -> None:
        self._client = client
        self._variable = variable
        self._retries = retries or Retries()
        self.model = model

    def invoke(self, content: object, *, seconds: float) -> Any:
        """Give the model's answer to a request, trying again for some seconds where it is busy.

        Raises `Unavailable` when that does not help or the answer is no JSON, `TooLong`, and `InvalidSettings` where
        the service refuses who asks or what is asked.
        """
        body = json.dumps(content, separators=(",", ":")).encode()
        return self._retries.within(seconds, lambda _: self._attempt(body))

    def _attempt(self, body: bytes) -> Any:
        with failures_told(self._variable):
            answer = self._client.invoke_model(
                modelId=self.model, body=body, contentType="application/json", accept="application/json"
            )
            with closing(answer["body"]) as stream:
                data = stream.read(_MOST_BYTES)
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise Unavailable("Bedrock's model answers with what is no JSON") from None


@contextmanager
def failures_told(variable: str) -> Iterator[None]:
    """Translate what a call raises: to `Passing`, `TooLong`, or `InvalidSettings` that names the setting."""
    try:
        yield
    except ClientError as error:
        raise _meaning(error, variable) from error
    except (NoConnection, HTTPClientError, IncompleteReadError) as error:
        raise Passing("Bedrock does not answer") from error
    except BotoCoreError as error:
        raise InvalidSettings(f"{variable}: Bedrock can't be asked ({type(error).__name__})") from error


def _meaning(error: ClientError, variable: str) -> Exception:
    told = error.response.get("Error", {})
    code = told.get("Code", "")
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code in _PASSING or status >= _FIRST_SERVER_ERROR or status == _TOO_MANY:
        return Passing(f"Bedrock is busy ({code or status})")
    # The service has one code for everything that it does not take; a text's length is told by the words alone.
    if code == "ValidationException" and "token" in told.get("Message", "").lower():
        return TooLong()
    return InvalidSettings(f"{variable}: Bedrock refuses the call ({code})")
