"""The a2a function: the agent card and the A2A endpoint."""

from typing import Any

from knowhub import bootstrap, settings
from knowhub.gateways.a2a.application import a2a_gateway
from knowhub.observability import observed

serve = a2a_gateway(bootstrap.hub(settings.A2a.load()))


@observed
def handler(event: Any, context: Any) -> Any:
    """Answer one API Gateway request."""
    return serve(event, context)
