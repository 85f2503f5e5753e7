"""Rows of files on their way in: what a client said of a file before it sent it."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from knowhub.catalog import keys
from knowhub.catalog.rows import from_item, to_item
from knowhub.errors import ConditionFailed
from knowhub.model.times import iso
from knowhub.ports.table import Delete, Equals, Item, Missing, Put, Table, Update


@dataclass(frozen=True, slots=True)
class Upload:
    """A ticket's other half; `expires_at` is in epoch seconds.

    One `for_import` has no job of its own and waits for an import that names it. `taken` says that one has made a
    document of it, of `size` bytes: then it never expires, since a reload describes the document by it.
    """

    upload_id: str
    kb_id: int
    user_id: str
    title: str
    name: str
    content_type: str
    job_id: str | None = None
    expires_at: int | None = None
    external_id: str | None = None
    url: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    for_import: bool = False
    taken: bool = False
    size: int = 0

    def expired(self, now: float) -> bool:
        """Tell whether nothing may come of it any more."""
        return self.expires_at is not None and self.expires_at <= now


class UploadRows:
    """Uploads over the table port; every read is consistent."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def create(self, upload: Upload) -> None:
        """Write a new upload; the sweeper finds it when it has expired."""
        shard = sum(upload.upload_id.encode()) % keys.WORK_SHARDS
        due = f"{iso(upload.expires_at or 0)}#UPLOAD#{upload.upload_id}"
        item = to_item(keys.upload(upload.upload_id), upload, due_pk=keys.work(shard), due_sk=due)
        self._table.write(Put(item, Missing()))

    def get(self, upload_id: str) -> Upload | None:
        """Read an upload, an expired one too."""
        item = self._table.get(keys.upload(upload_id))
        return None if item is None else _upload(item)

    def many(self, upload_ids: Iterable[str]) -> dict[str, Upload]:
        """Read uploads by id, expired ones too; absent ones are left out."""
        rows = self._table.get_many([keys.upload(upload_id) for upload_id in upload_ids])
        return {upload.upload_id: upload for upload in map(_upload, rows.values())}

    def take(self, upload_id: str, size: int) -> None:
        """Note that an import has made a document of it; one that is gone stays gone."""
        with suppress(ConditionFailed):
            self._table.write(
                Update(
                    keys.upload(upload_id),
                    values={"taken": True, "size": size},
                    removals=("expires_at", "due_pk", "due_sk"),
                    condition=Equals("for_import", value=True),
                )
            )

    def forget(self, upload_id: str) -> None:
        """Remove an upload that has arrived or expired."""
        self._table.write(Delete(keys.upload(upload_id)))


def _upload(item: Item) -> Upload:
    metadata = item.get("metadata")
    return from_item(Upload, item, metadata=metadata if isinstance(metadata, dict) else {})
