"""Upload tickets of the blob folder: fields that a client can pass on but not change.

The secret lies in the folder, so that whichever process hands a ticket out, each can check it, after a restart too.
"""

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from knowhub.errors import Forbidden, Internal, InvalidRequest, PayloadTooLarge
from knowhub.stores.folder.tree import sync_folder

_SIGNED = ("key", "content_type", "max_bytes", "expires")
_SECRET_BYTES = 32


class Tickets:
    """What signs and checks, with a secret in the file `path`: made on first use, readable by its owner only."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def issue(self, key: str, *, content_type: str, max_bytes: int, expires: int) -> dict[str, str]:
        """Give the signed fields; `expires` is in epoch seconds."""
        fields = {"key": key, "content_type": content_type, "max_bytes": str(max_bytes), "expires": str(expires)}
        return {**fields, "signature": self._signature(fields)}

    def check(self, fields: Mapping[str, str], size: int, *, now: float) -> None:
        """Refuse an upload that its fields do not allow.

        Raises `InvalidRequest` for a missing field or no bytes, `Forbidden` for a wrong signature or a ticket that has
        expired, `PayloadTooLarge` for more bytes than allowed.
        """
        missing = [name for name in (*_SIGNED, "signature") if name not in fields]
        if missing:
            errors = [{"loc": [name], "type": "missing", "message": "Field required"} for name in missing]
            raise InvalidRequest("The upload lacks fields of its ticket", {"errors": errors})
        given = fields["signature"].encode("utf-8", "surrogatepass")
        if not hmac.compare_digest(self._signature(fields).encode(), given):
            raise Forbidden("The upload's fields are not those of its ticket")
        if now >= int(fields["expires"]):
            raise Forbidden("The upload ticket has expired")
        limit = int(fields["max_bytes"])
        if size > limit:
            raise PayloadTooLarge(f"The file is over {limit} bytes", {"limit": limit})
        if size == 0:
            errors = [{"loc": ["file"], "type": "empty", "message": "The file is empty"}]
            raise InvalidRequest("The file is empty", {"errors": errors})

    def _signature(self, fields: Mapping[str, str]) -> str:
        signed = json.dumps([fields[name] for name in _SIGNED])
        return hmac.new(self._secret(), signed.encode(), hashlib.sha256).hexdigest()

    def _secret(self) -> bytes:
        if not self._path.exists():
            self._make_secret()
        secret = self._path.read_bytes()
        if len(secret) != _SECRET_BYTES:
            raise Internal(f"The file {self._path.name} is damaged; remove it, and tickets handed out before are void")
        return secret

    def _make_secret(self) -> None:
        """Give the file its name only when it is complete, and only once: who comes second uses the first one's."""
        draft = self._path.with_name(f"{self._path.name}.{uuid4().hex}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_bytes(_SECRET_BYTES))
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):
                os.link(draft, self._path)
            sync_folder(self._path.parent)
        finally:
            draft.unlink()
