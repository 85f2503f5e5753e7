"""Routes of signing in and of who is signed in."""

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from pydantic import StringConstraints

from knowhub.gateways.http.bodies import RequestBody
from knowhub.gateways.http.call import Call, call_of
from knowhub.gateways.http.schemas import Out
from knowhub.gateways.http.users import Password, UserName, UserOut, shape
from knowhub.model.times import iso
from knowhub.services.sign_in import Origin

router = Router()

NO_STORE = {"Cache-Control": "no-store"}
"""For answers that hold a secret."""

Typed = Annotated[str, StringConstraints(min_length=1, max_length=1000)]


class LoginIn(RequestBody):
    """What a person signs in with."""

    username: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    password: Typed


class SessionOut(Out):
    """A session: the token is shown once, and ends when it was not used for `expires_in` seconds."""

    access_token: str
    expires_in: int
    token_type: str


class ChangedPasswordIn(RequestBody):
    """The password as it is, and as it is to be."""

    old_password: Typed
    new_password: Password


class FirstAdminIn(RequestBody):
    """The deployment's secret, and whom to make with it."""

    secret: Typed
    username: UserName
    password: Password


class MeOut(Out):
    """Who the credential acts for; `kb_ids` is null where it is not limited, `expires_at` where it does not end."""

    user_id: str
    username: str
    role: str
    scopes: list[str]
    kb_ids: list[int] | None
    credential_id: str | None
    expires_at: str | None


@router.post("/auth/login", tags=["Identity"], summary="Sign in with a password")
def login(body: LoginIn) -> Response[SessionOut]:
    """Begin a session of 12 hours, which each use extends, to 30 days at most."""
    call = call_of(router)
    opened = call.hub.accounts.sign_in.open(body.username, body.password, _origin(call))
    out = SessionOut(access_token=opened.token, expires_in=opened.expires_in, token_type="Bearer")  # noqa: S106 - no secret
    return Response(HTTPStatus.OK, "application/json", out, headers=NO_STORE)


@router.post(
    "/auth/logout", tags=["Identity"], summary="Sign out", responses={204: {"description": "The session has ended"}}
)
def logout() -> Response[None]:
    """End the session that the request comes with; for nothing but a session."""
    call = call_of(router)
    call.hub.audit.record(call.principal, "logout", call.request_id)
    call.hub.accounts.sign_in.close(_authorization(call))
    return Response(HTTPStatus.NO_CONTENT)


@router.post(
    "/auth/bootstrap",
    tags=["Identity"],
    summary="Make the first administrator",
    responses={201: {"description": "Made", "content": {"application/json": {"model": UserOut}}}},
)
def bootstrap(body: FirstAdminIn) -> Response[UserOut]:
    """Make the first administrator with the secret of the deployment; this is possible once."""
    call = call_of(router)
    user = call.hub.accounts.first_admin.make(body.secret, body.username, body.password, _origin(call))
    return Response(HTTPStatus.CREATED, "application/json", UserOut.model_validate(shape(user)))


@router.get("/me", tags=["Identity"], summary="Tell who is signed in")
def me() -> MeOut:
    """Show the user that the credential acts for, and how it is narrowed."""
    principal = call_of(router).principal
    limit = principal.kb_limit
    return MeOut(
        user_id=principal.user_id,
        username=principal.username,
        role=principal.role,
        scopes=sorted(principal.scopes),
        kb_ids=None if limit is None else sorted(limit),
        credential_id=principal.credential_id,
        expires_at=iso(principal.expires) if principal.expires else None,
    )


@router.post(
    "/me/password",
    tags=["Identity"],
    summary="Change one's password",
    responses={204: {"description": "Changed; every other session has ended"}},
)
def change_password(body: ChangedPasswordIn) -> Response[None]:
    """Change the password, which takes the old one; every session but this one ends, API keys stay."""
    call = call_of(router)
    call.hub.audit.record(call.principal, "password_change", call.request_id)
    call.hub.accounts.sign_in.change_password(
        call.principal, _authorization(call), body.old_password, body.new_password, address=call.request.client
    )
    return Response(HTTPStatus.NO_CONTENT)


def _origin(call: Call) -> Origin:
    return Origin(call.request.client, call.request_id)


def _authorization(call: Call) -> str | None:
    return call.request.headers.get("authorization")
