"""The http function: REST, server-sent events and Dify."""

from typing import Any

from knowhub import bootstrap, settings
from knowhub.gateways.http.application import http_gateway
from knowhub.observability import observed

config = settings.Http.load()
serve = http_gateway(bootstrap.hub(config), ask_streaming=config.ask_streaming, open_docs=config.open_docs)


@observed
def handler(event: Any, context: Any) -> Any:
    """Answer one API Gateway request; a generator result is streamed."""
    return serve(event, context)
