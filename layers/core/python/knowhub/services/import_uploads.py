"""Uploads as an import reads them: its starter's before it has taken them, and the stored bytes ever after."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from knowhub.catalog.documents import DocumentRows
from knowhub.catalog.uploads import Upload, UploadRows
from knowhub.errors import InvalidRequest, NotFound
from knowhub.model.document import DocumentHead
from knowhub.ports.blobs import Blobs
from knowhub.ports.clock import Clock
from knowhub.ports.sources import SourceSpec, UploadedFile
from knowhub.ports.sources_rules import UPLOAD, not_arrived
from knowhub.services.uploads import PREFIX
from knowhub.sources.file import is_upload

_MEMBERS: Mapping[str, str] = {"file": "files", "auto": "inputs"}


@dataclass(frozen=True, slots=True)
class UploadStores:
    """Where an upload's parts lie before and after it is taken."""

    rows: UploadRows
    blobs: Blobs
    documents: DocumentRows
    clock: Clock


@dataclass(frozen=True, slots=True)
class Importer:
    """Who reads: one person in one KB; `doc_id` names the document that a URI becomes in this import."""

    kb_id: int
    user_id: str
    doc_id: Callable[[str], str]


class ImportUploads:
    """The uploads port of one import.

    An upload may be read by whoever announced it, in its KB, until it expires. Once taken it is read by those imports
    only whose document it has become, from that document's stored bytes.
    """

    def __init__(self, stores: UploadStores, importer: Importer) -> None:
        """Keep the stores and who reads."""
        self._stores = stores
        self._importer = importer

    def stat(self, upload_id: str) -> UploadedFile | None:
        """Describe an upload; None where it is not this import's to read. Raises `SourceFailed` (`NOT_ARRIVED`)."""
        upload = self._stores.rows.get(upload_id)
        if upload is None or not self._readable(upload):
            return None
        size = upload.size
        if not upload.taken:
            blob = self._stores.blobs.stat(PREFIX + upload_id)
            if blob is None:
                raise not_arrived()
            size = blob.size
        return UploadedFile(
            upload.name, upload.content_type, size, upload.title or None, upload.url, dict(upload.metadata)
        )

    def get(self, upload_id: str) -> bytes:
        """Read the bytes, of a taken one those that its document was made of; raises `NotFound`."""
        upload = self._stores.rows.get(upload_id)
        if upload is None or not self._readable(upload):
            raise NotFound("BLOB")
        if not upload.taken:
            return self._stores.blobs.get(PREFIX + upload_id)
        head = self._document(upload_id)
        detail = None if head is None else self._stores.documents.detail(head.doc_id, head.last_revision)
        if detail is None:
            raise NotFound("BLOB")
        return self._stores.blobs.get(detail.raw_key)

    def taken(self, upload_id: str, size: int) -> None:
        """Note that the bytes are a document's now, and let go of the upload's own; may be repeated."""
        self._stores.rows.take(upload_id, size)
        self._stores.blobs.delete([PREFIX + upload_id])

    def _readable(self, upload: Upload) -> bool:
        if upload.kb_id != self._importer.kb_id or not upload.for_import:
            return False
        if upload.taken:
            return self._document(upload.upload_id) is not None
        return is_unused(upload, self._importer.kb_id, self._importer.user_id, self._stores.clock.now())

    def _document(self, upload_id: str) -> DocumentHead | None:
        head = self._stores.documents.head(self._importer.doc_id(UPLOAD + upload_id))
        return None if head is None or head.deleted else head


def is_unused(upload: Upload, kb_id: int, user_id: str, now: float) -> bool:
    """Tell whether this person may have this KB import it: its own, for an import, not taken, not expired."""
    owned = upload.kb_id == kb_id and upload.user_id == user_id
    return owned and upload.for_import and not upload.taken and not upload.expired(now)


def check_uploads(rows: UploadRows, spec: SourceSpec, kb_id: int, user_id: str, now: float) -> None:
    """Refuse, each in its place, uploads that this person can't import now; whether their files are here shows later.

    Raises `InvalidRequest`. What is unknown, another's, another KB's, not for imports, expired or used is one answer.
    """
    named = {number: each.removeprefix(UPLOAD) for number, each in enumerate(spec.inputs) if is_upload(each)}
    if not named or spec.type not in _MEMBERS:
        return
    found = rows.many(named.values())
    message = "there is no unused upload of yours under this id that is for an import into this knowledge base"
    faults = [
        {"loc": ["body", "source", _MEMBERS[spec.type], number], "type": "upload", "message": message}
        for number, upload_id in named.items()
        if upload_id not in found or not is_unused(found[upload_id], kb_id, user_id, now)
    ]
    if faults:
        raise InvalidRequest("An upload can't be imported", {"errors": faults})
