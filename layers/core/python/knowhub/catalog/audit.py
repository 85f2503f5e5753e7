"""Rows of audit events: appended, never changed."""

from hashlib import sha256

from knowhub.catalog import keys
from knowhub.catalog.rows import to_item
from knowhub.model.audit import AuditEvent
from knowhub.ports.table import Missing, Put, Table


class AuditRows:
    """Audit events over the table port, spread over shards of a day."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def append(self, event: AuditEvent) -> None:
        """Write one event; an id is written once."""
        shard = sha256(event.event_id.encode()).digest()[0] % keys.AUDIT_SHARDS
        key = keys.audit_event(event.at[:10], shard, event.at, event.event_id)
        self._table.write(Put(to_item(key, event), Missing()))
