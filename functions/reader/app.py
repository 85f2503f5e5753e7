"""The reader function: batches of the document queue."""

from typing import Any

from knowhub import bootstrap, settings
from knowhub.gateways.queues import document_queue_gateway
from knowhub.observability import observed

serve = document_queue_gateway(bootstrap.workshop(settings.Reader.load()))


@observed
def handler(event: Any, context: Any) -> Any:
    """Read one batch and name the messages that failed."""
    return serve(event, context)
