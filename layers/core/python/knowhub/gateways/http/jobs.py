"""Routes of jobs."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from knowhub.gateways.http.call import call_of
from knowhub.gateways.http.schemas import JobOut
from knowhub.gateways.shapes import job_shape

router = Router()


@router.get("/jobs/<job_id>", tags=["Jobs"], summary="Show a job")
def get_job(job_id: str) -> JobOut:
    """Show one job."""
    call = call_of(router)
    return JobOut.model_validate(job_shape(call.hub.jobs.get(call.principal, job_id)))
