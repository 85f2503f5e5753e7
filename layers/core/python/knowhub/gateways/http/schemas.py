"""The request and answer bodies of the HTTP interface, as OpenAPI shows them."""

from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
Url = Annotated[str, StringConstraints(max_length=2000, pattern=r"^https?://\S+$")]
KbId = Annotated[int, Field(ge=1, le=10**12)]
ItemT = TypeVar("ItemT")


class Body(BaseModel):
    """A request body: unknown members are refused, so that a misspelt one is not silently without effect."""

    # Validators are built when a route first needs them: a function's start pays for none.
    model_config = ConfigDict(extra="forbid", defer_build=True)


class Out(BaseModel):
    """An answer's body."""

    model_config = ConfigDict(defer_build=True)


class ChunkingIn(Body):
    """How the KB's text is cut; without a strategy by document type."""

    strategy: Literal["fixed", "markdown"] | None = None
    size: Annotated[int, Field(ge=100, le=8000)] = 1024
    overlap: Annotated[int, Field(ge=0, le=4000)] = 0

    @model_validator(mode="after")
    def _overlap_leaves_room(self) -> Self:
        if self.overlap >= self.size:
            raise ValueError("overlap is less than size")
        return self


class KnowledgeBaseIn(Body):
    """A new knowledge base."""

    name: Name
    description: Annotated[str, StringConstraints(max_length=2000)] = ""
    visibility: Literal["private", "shared", "public"] = "private"
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")] = "en"
    chunking: ChunkingIn = Field(default_factory=ChunkingIn)


class KnowledgeBaseOut(Out):
    """A knowledge base as its readers see it."""

    kb_id: int
    name: str
    description: str
    visibility: str
    role: str
    owner: str
    language: str
    chunking: dict[str, Any]
    document_count: int
    chunk_count: int
    created_at: str
    updated_at: str


class DocumentIn(Body):
    """A document sent as text."""

    title: Title
    text: str
    content_type: Annotated[str, StringConstraints(max_length=200)] = "text/plain"
    external_id: Annotated[str, StringConstraints(min_length=1, max_length=1000)] | None = None
    url: Url | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


class UploadIn(Body):
    """A file that is about to be uploaded."""

    filename: Title
    size: Annotated[int, Field(ge=1, le=100 * 1024 * 1024)]
    content_type: Annotated[str, StringConstraints(min_length=1, max_length=200)] = "application/octet-stream"
    title: Title | None = None
    external_id: Annotated[str, StringConstraints(min_length=1, max_length=1000)] | None = None
    url: Url | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


class UploadOut(Out):
    """Where and how to send the file, and the job that tells when it is read."""

    upload_id: str
    job_id: str
    url: str
    fields: dict[str, str]
    expires_at: str


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


class LossOut(Out):
    """Something that could not be carried over."""

    code: str
    where: str
    detail: str


class DocumentOut(Out):
    """A document as its readers see it."""

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
    created_at: str
    started_at: str | None
    finished_at: str | None


class KbSearchIn(Body):
    """A search in one knowledge base; `top_k` is clamped to 1..50."""

    query: Annotated[str, StringConstraints(max_length=2000)]
    mode: Literal["hybrid", "keyword", "exact", "dense"] = "hybrid"
    top_k: int = 10
    min_score: Annotated[float, Field(ge=0, le=1)] | None = 0
    include_debug: bool = False


class SearchIn(KbSearchIn):
    """A search over knowledge bases; without `kb_ids` over every readable one."""

    kb_ids: Annotated[list[KbId], Field(max_length=1000)] | None = None


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


class KbAskIn(Body):
    """A question to one knowledge base."""

    question: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
    top_k: int = 10
    mode: Literal["hybrid", "keyword", "exact", "dense"] = "hybrid"
    stream: bool = True


class AskIn(KbAskIn):
    """A question over knowledge bases; without `kb_ids` over every readable one."""

    kb_ids: Annotated[list[KbId], Field(max_length=1000)] | None = None


class HealthOut(Out):
    """That the function runs, and its version."""

    status: str
    version: str
