"""Who is asking."""

from dataclasses import dataclass
from typing import Literal

Scope = Literal["read", "write", "admin"]
UserRole = Literal["member", "admin"]


@dataclass(frozen=True, slots=True)
class Principal:
    """A signed-in user or an API key acting for its user.

    `kb_limit` is None where the credential reaches everything that its user reaches; an empty set reaches nothing.
    `credential_id` is the API key's public id, or None for a user session.
    """

    user_id: str
    username: str
    role: UserRole
    scopes: frozenset[Scope]
    credential_id: str | None = None
    kb_limit: frozenset[int] | None = None
