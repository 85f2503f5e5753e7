"""Who did what."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """One append-only record; `detail` holds ids and counts, never content, queries or credentials."""

    event_id: str
    at: str
    action: str
    principal_id: str
    request_id: str
    credential_id: str | None = None
    kb_id: int | None = None
    object_id: str | None = None
    detail: Mapping[str, object] = field(default_factory=dict)
