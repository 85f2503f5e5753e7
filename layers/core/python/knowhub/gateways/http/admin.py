"""Routes for administrators."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from knowhub.gateways.http.call import call_of
from knowhub.gateways.http.schemas import StartedOut

router = Router()


@router.post(
    "/admin/reindex",
    tags=["Administration"],
    summary="Build the chunk index anew",
    responses={202: {"description": "Begun", "content": {"application/json": {"model": StartedOut}}}},
)
def reindex() -> Response[StartedOut]:
    """Build the next generation of the index from stored documents; searches go on in the old one until it is whole."""
    call = call_of(router)
    call.hub.audit.record(call.principal, "reindex", call.request_id)
    job = call.hub.reindex.start(call.principal)
    return Response(HTTPStatus.ACCEPTED, "application/json", StartedOut(job_id=job.job_id))
