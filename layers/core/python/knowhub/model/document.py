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
class Submission:
    """A document as it arrives: its bytes and what the caller says of them.

    Without a `title` the document has the one that its reader finds, else its `name`.
    """

    title: str | None
    name: str
    content_type: str
    data: bytes
    external_id: str | None = None
    url: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    source: str | None = None
    options: ReadingOptions = field(default_factory=ReadingOptions)


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """What is to be different about a document; None leaves a member as it is, an empty text takes it away."""

    title: str | None = None
    url: str | None = None
    metadata: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class DocumentHead:
    """What decides visibility: under 1 KB as a row.

    `visible_revision` and `pending_revision` are 0 where there is none; revisions count from 1 and are never reused.
    `deleted` is the tombstone; the row outlives the delete by 15 days. `parent` is the mail that an attachment came
    with: the outermost one, where mails lie within mails.
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
    parent: str | None = None

    @property
    def updating(self) -> bool:
        """Whether a newer revision is being read while an older one is visible."""
        return self.visible_revision > 0 and self.pending_revision > 0


@dataclass(frozen=True, slots=True)
class DocumentDetail:
    """One revision's description: what was sent, where its bytes are, what was lost in reading it.

    `title` and `metadata` are the caller's, `found` is the metadata that the reader found. `attachments` are the
    documents that came with it. `retried` says that the same bytes were asked to be read again.
    """

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
    title: str | None = None
    attachments: tuple[str, ...] = ()
    retried: bool = False
    found: Mapping[str, object] = field(default_factory=dict)

    @property
    def described(self) -> Mapping[str, object]:
        """The document's metadata: what the caller says of it wins over what was found in it."""
        return {**self.found, **self.metadata}


@dataclass(frozen=True, slots=True)
class Attached:
    """What ties an attachment to its mail, as a row beside the mail's own.

    `parent` is the mail, `holder` the mail within it that has the file, or the mail itself. `revisions` are those of
    the mail in which it was found. `origin` names the mail's content then: under the same one a deleted attachment does
    not come back by itself.
    """

    doc_id: str
    parent: str
    holder: str
    revisions: tuple[int, ...]
    origin: str
    version: int = 1
