"""The sync function: the one-minute schedule and the sync queue."""

from typing import Any

from knowhub import bootstrap, settings
from knowhub.gateways.queues import schedule_gateway
from knowhub.observability import observed

serve = schedule_gateway(bootstrap.workshop(settings.Sync.load()))


@observed
def handler(event: Any, context: Any) -> Any:
    """Run one tick, or one batch of the sync queue."""
    return serve(event, context)
