"""The answer bodies of the HTTP interface, as OpenAPI shows them."""

from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

ItemT = TypeVar("ItemT")


class Out(BaseModel):
    """An answer's body."""

    model_config = ConfigDict(defer_build=True)


class KnowledgeBaseOut(Out):
    """A knowledge base as its readers see it."""

    kb_id: int
    name: str
    description: str
    visibility: str
    role: str
    owner: str
    language: str | None
    chunking: dict[str, Any]
    document_count: int
    chunk_count: int
    created_at: str
    updated_at: str


class FacetValueOut(Out):
    """A metadata value and the number of visible documents that have it."""

    value: str | int | float | bool
    count: int


class FacetOut(Out):
    """A metadata key; `more` says that not every value is listed."""

    key: str
    values: list[FacetValueOut]
    more: bool


class FacetsOut(Out):
    """The metadata keys of a knowledge base, in order."""

    items: list[FacetOut]


class UploadOut(Out):
    """Where and how to send the file, and the job that tells when it is read; one for an import has none."""

    upload_id: str
    job_id: str | None
    url: str
    fields: dict[str, str]
    expires_at: str


class StartedOut(Out):
    """Background work that was started."""

    job_id: str


class SourceOut(Out):
    """A source of a knowledge base, and how its latest import ended."""

    name: str
    kb_id: int
    spec: dict[str, Any]
    busy: bool
    job_id: str
    runs: int
    document_count: int
    error: str | None
    losses: list[dict[str, str]]
    loss_count: int
    created_at: str
    updated_at: str


class ContentOut(Out):
    """A range of a document's extracted text, in code points; locators point into the whole of it."""

    doc_id: str
    revision: int
    start: int
    end: int
    total: int
    text: str


class SubmittedOut(Out):
    """A document that was taken in; the job tells when it is read."""

    doc_id: str
    job_id: str
    status: str


class DeletedOut(Out):
    """Documents that were deleted, and ids under which none was there."""

    deleted: list[str]
    missing: list[str]


class LossOut(Out):
    """Something that could not be carried over."""

    code: str
    where: str
    detail: str


class DocumentOut(Out):
    """A document as its readers see it; lists do not tell its attachments."""

    doc_id: str
    kb_id: int
    title: str
    name: str
    content_type: str
    size: int
    status: str
    revision: int
    updating: bool
    chunk_count: int
    source: str | None
    url: str | None
    evidence_state: str | None
    metadata: dict[str, Any]
    losses: list[LossOut]
    error: str | None
    created_at: str
    updated_at: str
    attachments: list[str] | None = None


class ChunkOut(Out):
    """One chunk of a document's visible revision."""

    chunk_id: str
    index: int
    text: str
    header_path: str | None
    chunk_type: str
    overlap: int
    locator: dict[str, Any]


class Page(Out, Generic[ItemT]):
    """One page: `total` is null where it is not counted, `next_cursor` null at the end."""

    items: list[ItemT]
    total: int | None
    page: int | None
    page_size: int
    next_cursor: str | None


class JobOut(Out):
    """Background work."""

    job_id: str
    kind: str
    state: str
    kb_id: int
    doc_id: str | None
    done: int
    total: int
    failed: int
    error: str | None
    losses: list[LossOut]
    loss_count: int
    created_at: str
    started_at: str | None
    finished_at: str | None


class HighlightOut(Out):
    """A range of the hit's text in code points."""

    start: int
    end: int


class HitOut(Out):
    """One chunk that was found."""

    rank: int
    score: float
    chunk_id: str
    doc_id: str
    kb_id: int
    title: str
    url: str | None
    text: str
    highlights: list[HighlightOut]
    header_path: str | None
    locator: dict[str, Any]
    metadata: dict[str, Any]
    source: str | None
    evidence_state: str | None
    observed_at: str | None


class SearchOut(Out):
    """What a search found, best first."""

    query: str
    mode: str
    hits: list[HitOut]
    legs: list[str]
    visual: str
    took_ms: float
    scope_truncated: bool
    debug: dict[str, Any] | None


class HealthOut(Out):
    """That the function runs, and its version."""

    status: str
    version: str
