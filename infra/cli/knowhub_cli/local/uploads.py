"""Presigned uploads: what S3 and its notification do on AWS."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from knowhub.errors import Forbidden, InvalidRequest, KnowhubError, PayloadTooLarge, Unauthenticated
from knowhub.ports.blobs import BlobInfo, BlobPage
from knowhub.ports.clock import Clock
from knowhub.ports.queue import OutgoingMessage, Queue
from knowhub_cli.local.blueprint import UploadNotice
from knowhub_cli.local.http_events import Answer, error_answer
from knowhub_cli.local.multipart import parse_form
from knowhub_cli.local.payloads import upload_event

MAX_UPLOAD: Final = 101 * 1024 * 1024
"""Bytes of the whole form: the largest file that a ticket allows, and its fields."""

_STATUS: Final = (
    (Forbidden, 403),
    (Unauthenticated, 403),
    (PayloadTooLarge, 413),
    (InvalidRequest, 422),
)


class UploadStore(Protocol):
    """What the folder store offers beyond presigning."""

    def accept_upload(self, fields: Mapping[str, str], content_type: str, data: bytes) -> str:
        """Check the ticket's fields and store the file; gives its key."""

    def stat(self, key: str) -> BlobInfo | None:
        """Describe a blob."""

    def list(self, prefix: str, *, cursor: str | None = None, limit: int = 1000) -> BlobPage:
        """List keys."""


class Uploads:
    """Takes uploaded files into the folder store, and announces them in the queues that the template names."""

    def __init__(
        self, store: UploadStore, notices: Sequence[UploadNotice], queues: Mapping[str, Queue], clock: Clock
    ) -> None:
        self._store = store
        self._notices = notices
        self._queues = queues
        self._clock = clock

    async def accept(self, content_type: str, body: bytes, request_id: str) -> Answer:
        """Answer a presigned POST: 204 once the file is stored and announced, both durably."""
        try:
            await asyncio.to_thread(self._accept, content_type, body)
        except KnowhubError as error:
            status = next((status for kind, status in _STATUS if isinstance(error, kind)), 503)
            return error_answer(status, error.code, error.message, request_id, error.detail)
        return Answer(204, ())

    def announce_waiting(self) -> int:
        """Announce files that a host before this one has stored and perhaps not announced; gives their number.

        A file that was announced before is announced again: whoever reads such messages must not mind.
        """
        count = 0
        for notice in self._notices:
            cursor: str | None = None
            while True:
                page = self._store.list(notice.prefix, cursor=cursor)
                for key in page.keys:
                    count += self._announce(key, [notice])
                cursor = page.cursor
                if cursor is None:
                    break
        return count

    def _accept(self, content_type: str, body: bytes) -> None:
        form = parse_form(content_type, body)
        key = self._store.accept_upload(form.fields, form.content_type, form.data)
        self._announce(key, [notice for notice in self._notices if key.startswith(notice.prefix)])

    def _announce(self, key: str, notices: Sequence[UploadNotice]) -> bool:
        blob = self._store.stat(key)
        if blob is None:
            return False
        for notice in notices:
            event = upload_event(notice.bucket, blob, now=self._clock.now())
            self._queues[notice.queue].send([OutgoingMessage(json.dumps(event))])
        return True
