"""The audit: a record of each act, written before it."""

from collections.abc import Mapping

from knowhub.catalog.audit import AuditRows
from knowhub.catalog.knowledge_bases import MAX_KB_ID
from knowhub.model.audit import AuditEvent
from knowhub.model.principal import Principal
from knowhub.model.times import iso
from knowhub.ports.clock import Clock
from knowhub.ports.identifiers import Identifiers

_LONGEST_ID = 200


class Audit:
    """Appends events; a caller whose event can't be written must refuse the act."""

    def __init__(self, rows: AuditRows, clock: Clock, identifiers: Identifiers) -> None:
        """Keep the collaborators."""
        self._rows = rows
        self._clock = clock
        self._identifiers = identifiers

    def record(
        self,
        principal: Principal,
        action: str,
        request_id: str,
        *,
        kb_id: int | None = None,
        object_id: str | None = None,
        detail: Mapping[str, object] | None = None,
    ) -> None:
        """Append one event; `detail` holds ids and counts, never what was asked or found."""
        self._rows.append(
            AuditEvent(
                event_id=self._identifiers.new("ev_"),
                at=iso(self._clock.now()),
                action=action,
                principal_id=principal.user_id,
                request_id=request_id,
                credential_id=principal.credential_id,
                # No KB has such an id: what was asked for is only noise then, and no store could keep it.
                kb_id=kb_id if kb_id is None or 0 < kb_id <= MAX_KB_ID else None,
                object_id=object_id[:_LONGEST_ID] if object_id else None,
                detail=detail or {},
            )
        )
