"""One HTTP call as the routes see it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from aws_lambda_powertools.event_handler.api_gateway import Router

from knowhub.gateways.events import ProxyRequest
from knowhub.gateways.hub import Hub
from knowhub.model.principal import Principal


@dataclass(slots=True)
class Call:
    """The hub, who asks, and where an answer that is streamed is left for the gateway to send."""

    hub: Hub
    principal: Principal
    request: ProxyRequest
    request_id: str
    seconds: float
    stream: Iterator[bytes] | None = None


def call_of(router: Router) -> Call:
    """Give the call that the router is serving: Lambda gives a process one event at a time."""
    return cast("Call", router.context["call"])
