"""An API key as it is kept."""

from dataclasses import dataclass

from knowhub.model.principal import Scope


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A credential as it is kept: the secret's hash, never the secret; `expires` is in epoch seconds, 0 for never.

    `last_used` is the beginning of the hour of its last use that was noted, empty before the first.
    """

    key_id: str
    user_id: str
    name: str
    digest: str
    prefix: str
    scopes: tuple[Scope, ...]
    created_at: str
    kb_ids: tuple[int, ...] | None = None
    expires: float = 0
    last_used: str = ""
