"""The messages of the document queue, written and read in one place."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal, cast, get_args

from knowhub.errors import InvalidRequest
from knowhub.ports.queue import OutgoingMessage

Kind = Literal[
    "read",
    "purge_older_revisions",
    "purge_document",
    "purge_kb",
    "take_upload",
    "import",
    "reindex",
    "drop_generation",
]


@dataclass(frozen=True, slots=True)
class Work:
    """One piece of work: read a revision, or remove what nothing shows any more."""

    kind: Kind
    kb_id: int
    doc_id: str = ""
    """The document; for an upload its key, for an import or a rebuild its job."""
    revision: int = 0
    """The revision; for a generation of the index its number."""

    def message(self, delay_seconds: int = 0) -> OutgoingMessage:
        """Write the message; one group a KB, so that a large import does not starve the others."""
        body = json.dumps(asdict(self), separators=(",", ":"))
        return OutgoingMessage(body, group=f"kb-{self.kb_id}", delay_seconds=delay_seconds)


def parse(body: Mapping[str, object]) -> Work:
    """Read a message's body; one that is no piece of work raises `InvalidRequest`."""
    kind = body.get("kind")
    kb_id, doc_id, revision = body.get("kb_id"), body.get("doc_id", ""), body.get("revision", 0)
    fits = isinstance(kb_id, int) and isinstance(doc_id, str) and isinstance(revision, int)
    if kind not in get_args(Kind) or not fits:
        raise InvalidRequest("not a document queue message")
    return Work(cast("Kind", kind), cast("int", kb_id), cast("str", doc_id), cast("int", revision))
