"""The context object that a handler gets, with the members of the managed runtime's."""

import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from knowhub.runtime.faults import RuntimeFault

# The platform carries W3C trace context inside the client context, and only these fields of it are meant for handlers.
_TRACE_FIELDS = ("traceparent", "tracestate", "baggage")


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """What stays the same for every invocation of one execution environment."""

    function_name: str | None = None
    function_version: str | None = None
    memory_limit_in_mb: str | None = None
    log_group_name: str | None = None
    log_stream_name: str | None = None

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> "FunctionFacts":
        """Take the facts from the variables that Lambda reserves for them; what is absent is None."""
        return cls(
            function_name=environ.get("AWS_LAMBDA_FUNCTION_NAME"),
            function_version=environ.get("AWS_LAMBDA_FUNCTION_VERSION"),
            memory_limit_in_mb=environ.get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE"),
            log_group_name=environ.get("AWS_LAMBDA_LOG_GROUP_NAME"),
            log_stream_name=environ.get("AWS_LAMBDA_LOG_STREAM_NAME"),
        )


@dataclass(frozen=True, slots=True)
class Identity:
    """The Cognito identity that authorised the request; both members are None where there is none."""

    cognito_identity_id: str | None = None
    cognito_identity_pool_id: str | None = None


@dataclass(frozen=True, slots=True)
class Client:
    """The mobile application that invoked the function."""

    installation_id: str | None = None
    app_title: str | None = None
    app_version_name: str | None = None
    app_version_code: str | None = None
    app_package_name: str | None = None


@dataclass(frozen=True, slots=True)
class ClientContext:
    """What the caller sent as client context."""

    custom: Any = None
    env: Any = None
    client: Client | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """One invocation, as its handler sees it; `deadline` is in milliseconds of the Unix epoch."""

    aws_request_id: str
    function_name: str | None
    function_version: str | None
    memory_limit_in_mb: str | None
    log_group_name: str | None
    log_stream_name: str | None
    invoked_function_arn: str | None
    tenant_id: str | None
    identity: Identity
    client_context: ClientContext | None
    deadline: int
    trace_context: Mapping[str, str]
    now: Callable[[], float] = time.time

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until Lambda stops this invocation, never below zero."""
        return max(0, self.deadline - int(self.now() * 1000))

    def w3c(self) -> dict[str, str]:
        """W3C trace context of the invocation: those of `traceparent`, `tracestate`, `baggage` that were sent."""
        return dict(self.trace_context)

    def log(self, message: object) -> None:
        """Write to the function's log as it stands, without a line end."""
        sys.stdout.write(str(message))


def context_of(headers: Mapping[str, str], function: FunctionFacts, now: Callable[[], float] = time.time) -> Context:
    """Build the context from the headers of `/invocation/next`, whose names are in lower case.

    Raises `RuntimeFault` (`Runtime.LambdaContextUnmarshalError`) where a header that holds JSON holds none.
    """
    client_context = _json_header(headers, "lambda-runtime-client-context")
    identity = _json_header(headers, "lambda-runtime-cognito-identity") or {}
    return Context(
        aws_request_id=headers["lambda-runtime-aws-request-id"],
        function_name=function.function_name,
        function_version=function.function_version,
        memory_limit_in_mb=function.memory_limit_in_mb,
        log_group_name=function.log_group_name,
        log_stream_name=function.log_stream_name,
        invoked_function_arn=headers.get("lambda-runtime-invoked-function-arn"),
        tenant_id=headers.get("lambda-runtime-aws-tenant-id"),
        identity=Identity(identity.get("cognitoIdentityId"), identity.get("cognitoIdentityPoolId")),
        client_context=None if client_context is None else _client_context(client_context),
        deadline=int(headers.get("lambda-runtime-deadline-ms") or 0),
        trace_context=_trace_context(client_context),
        now=now,
    )


def _json_header(headers: Mapping[str, str], name: str) -> dict[str, Any] | None:
    text = headers.get(name)
    if not text:
        return None
    try:
        value = json.loads(text)
    except ValueError as error:
        raise RuntimeFault("Runtime.LambdaContextUnmarshalError", f"The header {name} is not JSON: {error}") from error
    if value is not None and not isinstance(value, dict):
        raise RuntimeFault("Runtime.LambdaContextUnmarshalError", f"The header {name} is no JSON object")
    return value


def _client_context(sent: Mapping[str, Any]) -> ClientContext:
    client = sent.get("client")
    members = client if isinstance(client, dict) else {}
    return ClientContext(
        custom=sent.get("custom"),
        env=sent.get("env"),
        client=None
        if client is None
        else Client(
            installation_id=members.get("installation_id"),
            app_title=members.get("app_title"),
            app_version_name=members.get("app_version_name"),
            app_version_code=members.get("app_version_code"),
            app_package_name=members.get("app_package_name"),
        ),
    )


def _trace_context(sent: Mapping[str, Any] | None) -> dict[str, str]:
    fields = (sent or {}).get("w3c")
    if not isinstance(fields, dict):
        return {}
    return {name: fields[name] for name in _TRACE_FIELDS if isinstance(fields.get(name), str)}
