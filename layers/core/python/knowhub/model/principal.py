"""Who is asking."""

from dataclasses import dataclass
from typing import Literal

Scope = Literal["read", "write", "admin"]
UserRole = Literal["member", "admin"]


@dataclass(frozen=True, slots=True)
class Principal:
    """A signed-in user or an API key acting for its user.

    `kb_limit` is None where the credential reaches everything that its user reaches; an empty set reaches nothing.
    `credential_id` is the public id of the API key or session, None where there is none: a token of an OpenID issuer,
    or work that was begun earlier. `expires` is when an API key ends, in epoch seconds; 0 for everything else.
    """

    user_id: str
    username: str
    role: UserRole
    scopes: frozenset[Scope]
    credential_id: str | None = None
    kb_limit: frozenset[int] | None = None
    expires: float = 0
