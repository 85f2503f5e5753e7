"""The mcp function: the MCP endpoint."""

from typing import Any

from knowhub import bootstrap, settings
from knowhub.gateways.mcp.application import mcp_gateway
from knowhub.observability import observed

config = settings.Mcp.load()
serve = mcp_gateway(bootstrap.hub(config), allowed_origins=config.allowed_origins)


@observed
def handler(event: Any, context: Any) -> Any:
    """Answer one API Gateway request."""
    return serve(event, context)
