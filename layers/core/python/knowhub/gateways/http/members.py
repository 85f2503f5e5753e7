"""Routes of a KB's members."""

from http import HTTPStatus
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from knowhub.gateways.http.bodies import RequestBody
from knowhub.gateways.http.call import call_of
from knowhub.gateways.http.paging import ID, PageSize, page_bounds, page_shape
from knowhub.gateways.http.schemas import Out, Page
from knowhub.model.knowledge_base import Member

router = Router()


class MemberIn(RequestBody):
    """The role that a user is to have."""

    role: Literal["viewer", "editor", "owner"]


class MemberOut(Out):
    """A member; `username` is null for a user who is gone."""

    user_id: str
    username: str | None
    role: str


@router.get("/kb/<kb_id>/members", tags=["Members"], summary="List a knowledge base's members")
def list_members(
    kb_id: int,
    page: Annotated[int | None, Query()] = None,
    page_size: PageSize = 20,
    cursor: Annotated[str | None, Query()] = None,
) -> Page[MemberOut]:
    """List the members by user id, to members."""
    call = call_of(router)
    bounds = page_bounds("members", page, page_size, cursor, ID)
    found = call.hub.members.list(call.principal, kb_id)
    rest = [one for one in found if bounds.after is None or one.user_id > bounds.after][bounds.skip :]
    shown = rest[: bounds.limit]
    following = shown[-1].user_id if len(rest) > bounds.limit else None
    items = [_shape(member) for member in shown]
    return Page[MemberOut](**page_shape("members", bounds, items, len(found), following))


@router.put("/kb/<kb_id>/members/<user_id>", tags=["Members"], summary="Give a user a role")
def put_member(kb_id: int, user_id: str, body: MemberIn) -> MemberOut:
    """Add a member or change its role; for owners."""
    call = call_of(router)
    detail = {"role": body.role}
    call.hub.audit.record(call.principal, "member_put", call.request_id, kb_id=kb_id, object_id=user_id, detail=detail)
    return MemberOut.model_validate(_shape(call.hub.members.put(call.principal, kb_id, user_id, body.role)))


@router.delete(
    "/kb/<kb_id>/members/<user_id>",
    tags=["Members"],
    summary="Take a user's role away",
    responses={204: {"description": "Gone; holds in the next request"}},
)
def delete_member(kb_id: int, user_id: str) -> Response[None]:
    """Remove a member; for owners, and for a member that goes by itself."""
    call = call_of(router)
    call.hub.audit.record(call.principal, "member_delete", call.request_id, kb_id=kb_id, object_id=user_id)
    call.hub.members.remove(call.principal, kb_id, user_id)
    return Response(HTTPStatus.NO_CONTENT)


def _shape(member: Member) -> dict[str, Any]:
    return {"user_id": member.user_id, "username": member.username, "role": member.role}
