"""Routes of the service itself."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from knowhub.gateways.http.schemas import HealthOut
from knowhub.version import VERSION

router = Router()


@router.get("/health", tags=["Service"], summary="Tell that the service runs")
def health() -> HealthOut:
    """Tell that the function runs; it asks no dependency."""
    return HealthOut(status="ok", version=VERSION)
