"""Routes of users, for administrators."""

from dataclasses import replace
from http import HTTPStatus
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query
from pydantic import StringConstraints

from knowhub.gateways.http.bodies import RequestBody
from knowhub.gateways.http.call import Call, call_of
from knowhub.gateways.http.paging import TIME_AND_ID, PageSize, page_bounds, page_shape
from knowhub.gateways.http.repeats import once
from knowhub.gateways.http.schemas import Out, Page
from knowhub.gateways.http.versions import entity_tag, expected_version
from knowhub.model.user import User
from knowhub.services.users import ChangedUser

router = Router()

UserName = Annotated[str, StringConstraints(pattern=r"^[\w.@+-]{1,100}$")]
Password = Annotated[str, StringConstraints(min_length=12, max_length=1000)]


class UserIn(RequestBody):
    """A new user."""

    username: UserName
    password: Password
    role: Literal["member", "admin"] = "member"


class ChangedUserIn(RequestBody):
    """What is to be different about a user; a member that is left out or null stays."""

    role: Literal["member", "admin"] | None = None
    disabled: bool | None = None
    password: Password | None = None


class UserOut(Out):
    """A user; `issuer` is the OpenID issuer that it comes from, null for a user of the hub's own."""

    user_id: str
    username: str
    role: str
    disabled: bool
    issuer: str | None
    created_at: str


@router.get("/admin/users", tags=["Administration"], summary="List the users")
def list_users(
    page: Annotated[int | None, Query()] = None,
    page_size: PageSize = 20,
    cursor: Annotated[str | None, Query()] = None,
) -> Page[UserOut]:
    """List every user, the oldest first."""
    call = call_of(router)
    users = call.hub.accounts.users
    bounds = page_bounds("users", page, page_size, cursor, TIME_AND_ID)
    found = users.list(call.principal)
    rest = [one for one in found if bounds.after is None or one.place > bounds.after][bounds.skip :]
    listed = rest[: bounds.limit]
    items = [shape(user) for user in users.shown(call.principal, listed)]
    following = listed[-1].place if len(rest) > bounds.limit else None
    return Page[UserOut](**page_shape("users", bounds, items, len(found), following))


@router.post(
    "/admin/users",
    tags=["Administration"],
    summary="Make a user",
    responses={201: {"description": "Made", "content": {"application/json": {"model": UserOut}}}},
)
def create_user(body: UserIn) -> Response[UserOut]:
    """Make a user who signs in with a password."""
    call = call_of(router)
    call.hub.audit.record(call.principal, "user_create", call.request_id, detail={"role": body.role})
    users = call.hub.accounts.users
    made = once(
        _without_password(call, body),
        lambda: users.create(call.principal, body.username, body.password, body.role),
        lambda user: {"user_id": user.user_id},
        lambda ids: users.get(call.principal, ids["user_id"]),
    )
    return _shown(HTTPStatus.CREATED, made)


@router.get("/admin/users/<user_id>", tags=["Administration"], summary="Show a user")
def get_user(user_id: str) -> Response[UserOut]:
    """Show a user, with the `ETag` that a change may be bound to."""
    call = call_of(router)
    return _shown(HTTPStatus.OK, call.hub.accounts.users.get(call.principal, user_id))


@router.patch("/admin/users/<user_id>", tags=["Administration"], summary="Change a user")
def change_user(user_id: str, body: ChangedUserIn) -> Response[UserOut]:
    """Change role or password, or disable a user; a new password and disabling end the sessions.

    With `If-Match` only if nobody has changed the user since.
    """
    call = call_of(router)
    detail = {"changed": sorted(body.model_dump(exclude_none=True)), "role": body.role, "disabled": body.disabled}
    call.hub.audit.record(call.principal, "user_change", call.request_id, object_id=user_id, detail=detail)
    wanted = ChangedUser(body.role, body.disabled, body.password)
    expected = expected_version(call.request)
    return _shown(HTTPStatus.OK, call.hub.accounts.users.change(call.principal, user_id, wanted, expected))


@router.delete(
    "/admin/users/<user_id>",
    tags=["Administration"],
    summary="Remove a user",
    responses={204: {"description": "Gone; holds in the next request"}},
)
def delete_user(user_id: str) -> Response[None]:
    """Remove a user with its sessions, API keys and memberships; not while it is the last owner of a knowledge base."""
    call = call_of(router)
    call.hub.audit.record(call.principal, "user_delete", call.request_id, object_id=user_id)
    call.hub.accounts.users.remove(call.principal, user_id)
    return Response(HTTPStatus.NO_CONTENT)


def shape(user: User) -> dict[str, Any]:
    """Show a user."""
    return {
        "user_id": user.user_id,
        "username": user.username,
        "role": user.role,
        "disabled": user.disabled,
        "issuer": user.issuer or None,
        "created_at": user.created_at,
    }


def _without_password(call: Call, body: UserIn) -> Call:
    """Give the call with what tells a repeated request from another: no hash of a password is kept for that."""
    told = body.model_dump_json(exclude={"password"}).encode()
    return replace(call, request=replace(call.request, body=told))


def _shown(status: HTTPStatus, user: User) -> Response[UserOut]:
    out = UserOut.model_validate(shape(user))
    return Response(status, "application/json", out, headers=entity_tag(user.version))
