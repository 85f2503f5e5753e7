"""Routes of uploads: files too large for a request body."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from knowhub.gateways.http.bodies import UploadIn
from knowhub.gateways.http.call import call_of
from knowhub.gateways.http.repeats import once
from knowhub.gateways.http.schemas import UploadOut
from knowhub.model.times import iso
from knowhub.services.uploads import Announced

router = Router()


@router.post(
    "/kb/<kb_id>/uploads",
    tags=["Documents"],
    summary="Get a ticket to upload a file of up to 100 MB",
    responses={201: {"description": "Granted", "content": {"application/json": {"model": UploadOut}}}},
)
def create_upload(kb_id: int, body: UploadIn) -> Response[UploadOut]:
    """Give an address and fields: POST them as multipart form data, then the file as the field `file`.

    With `for_import` there is no job: an import names the file as `upload:<upload_id>` within a day.
    """
    call = call_of(router)
    announced = Announced(
        title=body.title or "",
        name=body.filename,
        content_type=body.content_type,
        size=body.size,
        external_id=body.external_id,
        url=body.url,
        metadata=body.metadata,
        for_import=body.for_import,
    )
    call.hub.audit.record(call.principal, "document_upload", call.request_id, kb_id=kb_id)
    uploads = call.hub.uploads
    granted = once(
        call,
        lambda: uploads.grant(call.principal, kb_id, announced),
        lambda made: {"upload_id": made.upload_id},
        lambda ids: uploads.grant_again(call.principal, str(ids["upload_id"]), announced),
    )
    out = UploadOut(
        upload_id=granted.upload_id,
        job_id=granted.job_id,
        url=granted.ticket.url,
        fields=dict(granted.ticket.fields),
        expires_at=iso(granted.ticket.expires_at),
    )
    return Response(HTTPStatus.CREATED, "application/json", out)
