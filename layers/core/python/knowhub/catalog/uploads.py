"""Rows of files on their way in: what a client said of a file before it sent it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from knowhub.catalog import keys
from knowhub.catalog.rows import from_item, to_item
from knowhub.ports.table import Delete, Missing, Put, Table


@dataclass(frozen=True, slots=True)
class Upload:
    """A ticket's other half; `expires_at` is in epoch seconds."""

    upload_id: str
    kb_id: int
    user_id: str
    job_id: str
    title: str
    name: str
    content_type: str
    expires_at: int
    external_id: str | None = None
    url: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)


class UploadRows:
    """Uploads over the table port."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def create(self, upload: Upload) -> None:
        """Write a new upload."""
        self._table.write(Put(to_item(keys.upload(upload.upload_id), upload), Missing()))

    def get(self, upload_id: str) -> Upload | None:
        """Read an upload, an expired one too."""
        item = self._table.get(keys.upload(upload_id))
        if item is None:
            return None
        metadata = item.get("metadata")
        return from_item(Upload, item, metadata=metadata if isinstance(metadata, dict) else {})

    def forget(self, upload_id: str) -> None:
        """Remove an upload that has arrived."""
        self._table.write(Delete(keys.upload(upload_id)))
