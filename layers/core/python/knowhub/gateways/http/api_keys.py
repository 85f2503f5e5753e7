"""Routes of the caller's own API keys."""

from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query
from pydantic import AwareDatetime, Field

from knowhub.gateways.http.bodies import KbId, Name, RequestBody
from knowhub.gateways.http.call import call_of
from knowhub.gateways.http.paging import TIME_AND_ID, PageSize, page_bounds, page_shape
from knowhub.gateways.http.repeats import once
from knowhub.gateways.http.schemas import Out, Page
from knowhub.model.api_key import ApiKey
from knowhub.model.principal import Scope
from knowhub.model.times import iso
from knowhub.services.api_keys import MadeApiKey, NewApiKey

router = Router()

Scopes = Annotated[list[Scope], Field(min_length=1, max_length=3)]


class ApiKeyIn(RequestBody):
    """A new API key: a scope includes the narrower ones; without `kb_ids` it reaches all that its user reaches."""

    name: Name
    scopes: Scopes = ["read", "write"]  # noqa: RUF012 - pydantic gives each model a copy
    kb_ids: Annotated[list[KbId], Field(max_length=1000)] | None = None
    expires_at: Annotated[AwareDatetime, Field(strict=False)] | None = None


class ApiKeyOut(Out):
    """An API key without its secret: `prefix` is how it begins, `last_used` the hour of its last use."""

    key_id: str
    name: str
    prefix: str
    scopes: list[str]
    kb_ids: list[int] | None
    created_at: str
    expires_at: str | None
    last_used: str | None


class MadeApiKeyOut(ApiKeyOut):
    """A new API key; its `secret` is shown this once, and null where the request was sent again."""

    secret: str | None


@router.get("/api-keys", tags=["Identity"], summary="List one's API keys")
def list_api_keys(
    page: Annotated[int | None, Query()] = None,
    page_size: PageSize = 20,
    cursor: Annotated[str | None, Query()] = None,
) -> Page[ApiKeyOut]:
    """List the caller's own keys, the oldest first; a key that is limited to some knowledge bases may not."""
    call = call_of(router)
    bounds = page_bounds("api-keys", page, page_size, cursor, TIME_AND_ID)
    found = call.hub.accounts.api_keys.list(call.principal)
    rest = [key for key in found if bounds.after is None or _place(key) > bounds.after][bounds.skip :]
    listed = rest[: bounds.limit]
    following = _place(listed[-1]) if len(rest) > bounds.limit else None
    return Page[ApiKeyOut](**page_shape("api-keys", bounds, [_shape(key) for key in listed], len(found), following))


@router.post(
    "/api-keys",
    tags=["Identity"],
    summary="Make an API key",
    responses={201: {"description": "Made", "content": {"application/json": {"model": MadeApiKeyOut}}}},
)
def create_api_key(body: ApiKeyIn) -> Response[MadeApiKeyOut]:
    """Make a key that acts for the caller, no wider than the credential in use; one that is limited makes none."""
    call = call_of(router)
    detail = {"scopes": list(body.scopes), "limited": body.kb_ids is not None}
    call.hub.audit.record(call.principal, "api_key_create", call.request_id, detail=detail)
    kb_ids = None if body.kb_ids is None else tuple(body.kb_ids)
    expires = 0 if body.expires_at is None else body.expires_at.timestamp()
    new = NewApiKey(body.name, tuple(body.scopes), kb_ids, expires)
    keys = call.hub.accounts.api_keys
    made = once(
        call,
        lambda: keys.create(call.principal, new),
        lambda made: {"key_id": made.key.key_id},
        lambda ids: MadeApiKey(keys.get(call.principal, ids["key_id"]), None),
    )
    out = MadeApiKeyOut(**_shape(made.key), secret=made.secret)
    return Response(HTTPStatus.CREATED, "application/json", out, headers={"Cache-Control": "no-store"})


@router.delete(
    "/api-keys/<key_id>",
    tags=["Identity"],
    summary="Revoke an API key",
    responses={204: {"description": "Revoked; holds in the next request"}},
)
def delete_api_key(key_id: str) -> Response[None]:
    """Revoke one of the caller's own keys."""
    call = call_of(router)
    call.hub.audit.record(call.principal, "api_key_delete", call.request_id, object_id=key_id)
    call.hub.accounts.api_keys.revoke(call.principal, key_id)
    return Response(HTTPStatus.NO_CONTENT)


def _place(key: ApiKey) -> str:
    return f"{key.created_at}#{key.key_id}"


def _shape(key: ApiKey) -> dict[str, Any]:
    return {
        "key_id": key.key_id,
        "name": key.name,
        "prefix": key.prefix,
        "scopes": list(key.scopes),
        "kb_ids": None if key.kb_ids is None else list(key.kb_ids),
        "created_at": key.created_at,
        "expires_at": iso(key.expires) if key.expires else None,
        "last_used": key.last_used or None,
    }
