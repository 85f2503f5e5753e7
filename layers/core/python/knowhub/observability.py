"""Logging and metrics through Powertools, with what must stay out of a log taken out.

The logger and the metrics buffer are made on first use: importing this module reads nothing and starts nothing.
"""

import re
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

_CREDENTIAL = re.compile(
    r"k[hs]_[A-Za-z0-9_-]{43}|eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+|(?i:bearer)\s+[A-Za-z0-9._~+/=-]+"
)


def redact(text: str) -> str:
    """Replace every API key, session token, signed token and bearer credential in the text by a mark."""
    return _CREDENTIAL.sub("[credential]", text)


@cache
def logger() -> Logger:
    """Give the function's one structured logger; level and service name come from Powertools' own variables."""
    return Logger()


@cache
def metrics() -> Metrics:
    """Give the function's one metrics buffer, which the `observed` handler flushes."""
    return Metrics()


def count(name: str, value: float = 1) -> None:
    """Add to a metric of this invocation."""
    metrics().add_metric(name=name, unit=MetricUnit.Count, value=value)


def report(event: str, error: BaseException | None = None, **fields: object) -> None:
    """Log an event with its fields; with an error, as an error with its chain of causes, credentials redacted."""
    safe: dict[str, Any] = {name: redact(value) if isinstance(value, str) else value for name, value in fields.items()}
    if error is None:
        logger().info(event, **safe)
        return
    safe["error"] = redact(f"{type(error).__name__}: {error}")
    if error.__cause__ is not None:
        safe["cause"] = redact(f"{type(error.__cause__).__name__}: {error.__cause__}")
    logger().error(event, **safe)


def observed(handler: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Wrap a Lambda handler so that its log lines carry the request id and its metrics are flushed at the end."""

    @wraps(handler)
    def run(event: Any, context: Any) -> Any:
        logger().append_keys(aws_request_id=getattr(context, "aws_request_id", None))
        try:
            return handler(event, context)
        finally:
            if metrics().metric_set:
                metrics().flush_metrics()

    return run
