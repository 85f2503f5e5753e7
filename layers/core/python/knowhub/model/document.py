"""Documents: the slim head that hot paths read, and the detail beside it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from knowhub.model.knowledge_base import Chunking

DocumentStatus = Literal["pending", "reading", "ready", "failed", "deleting"]


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that could not be carried over: a stable code, the place in the source, and words for a person."""

    code: str
    where: str
    detail: str


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How a document is read where that is not its KB's default: None and empty mean the default.

    `transformers` are as their registry names them, in the order in which they run.
    """

    chunking: Chunking | None = None
    transformers: tuple[Mapping[str, object], ...] = ()
    reader: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentHead:
    """What decides visibility: under 1 KB as a row.

    `visible_revision` and `pending_revision` are 0 where there is none; revisions count from 1 and are never reused.
    `deleted` is the tombstone; the row outlives the delete by 15 days.
    """

    doc_id: str
    kb_id: int
    title: str
    status: DocumentStatus
    last_revision: int
    visible_revision: int
    pending_revision: int
    chunk_count: int
    content_hash: str
    fingerprint: str
    attempts: int
    created_at: str
    updated_at: str
    job_id: str | None = None
    source: str | None = None
    owner_target: str | None = None
    owner_epoch: int = 0
    deleted: bool = False
    version: int = 1

    @property
    def updating(self) -> bool:
        """Whether a newer revision is being read while an older one is visible."""
        return self.visible_revision > 0 and self.pending_revision > 0


@dataclass(frozen=True, slots=True)
class DocumentDetail:
    """One revision's description: what was sent, where its bytes are, what was lost in reading it."""

    doc_id: str
    revision: int
    name: str
    content_type: str
    size: int
    raw_key: str
    external_id: str | None = None
    url: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    losses: tuple[Loss, ...] = ()
    loss_count: int = 0
    error: str | None = None
    options: ReadingOptions = field(default_factory=ReadingOptions)
