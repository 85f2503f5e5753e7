"""The request bodies of the HTTP interface, as OpenAPI shows them."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from knowhub.gateways.http.metadata import Metadata, fits

_LINE = r"^[^\x00-\x1f\x7f]*$"
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=_LINE)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300, pattern=_LINE)]
Url = Annotated[str, StringConstraints(max_length=2000, pattern=r"^https?://\S+$")]
KbId = Annotated[int, Field(ge=1, le=10**12)]


class RequestBody(BaseModel):
    """A request body: unknown members are refused, so that a misspelt one is not silently without effect."""

    # Validators are built when a route first needs them: a function's start pays for none.
    # Strict: "5" is no number and 1 is no truth value.
    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class ChunkingIn(RequestBody):
    """How the KB's text is cut; without a strategy by document type."""

    strategy: Literal["fixed", "json", "markdown", "recursive"] | None = None
    size: Annotated[int, Field(ge=100, le=8000)] = 1024
    overlap: Annotated[int, Field(ge=0, le=4000)] = 0

    @model_validator(mode="after")
    def _overlap_leaves_room(self) -> Self:
        if self.overlap >= self.size:
            raise ValueError("overlap is less than size")
        return self


class KnowledgeBaseIn(RequestBody):
    """A new knowledge base."""

    name: Name
    description: Annotated[str, StringConstraints(max_length=2000)] = ""
    visibility: Literal["private", "shared", "public"] = "private"
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")] = "en"
    chunking: ChunkingIn = Field(default_factory=ChunkingIn)


class DocumentIn(RequestBody):
    """A document sent as text."""

    title: Title
    text: str
    content_type: Annotated[str, StringConstraints(min_length=1, max_length=200)] = "text/plain"
    external_id: Annotated[str, StringConstraints(min_length=1, max_length=1000)] | None = None
    url: Url | None = None
    metadata: Metadata = Field(default_factory=dict)


class UploadIn(RequestBody):
    """A file that is about to be uploaded."""

    filename: Title
    size: Annotated[int, Field(ge=1, le=100 * 1024 * 1024)]
    content_type: Annotated[str, StringConstraints(min_length=1, max_length=200)] = "application/octet-stream"
    title: Title | None = None
    external_id: Annotated[str, StringConstraints(min_length=1, max_length=1000)] | None = None
    url: Url | None = None
    metadata: Metadata = Field(default_factory=dict)


class ImportIn(RequestBody):
    """What to import and how; the source's own members are checked by its type."""

    source: dict[str, Any]
    name: Name | None = None
    chunking: ChunkingIn | None = None
    chunk_size: int | None = None
    chunk_overlap: int | None = None
    transformers: Annotated[list[dict[str, Any]], Field(max_length=20)] | None = None
    reader: str | None = None
    metadata: Metadata | None = None

    @field_validator("source")
    @classmethod
    def _its_metadata_too(cls, source: dict[str, Any]) -> dict[str, Any]:
        if isinstance(source.get("metadata"), dict):
            fits(source["metadata"])
        return source


class KbSearchIn(RequestBody):
    """A search in one knowledge base; `top_k` is clamped to 1..50."""

    query: Annotated[str, StringConstraints(max_length=2000)]
    mode: Literal["hybrid", "keyword", "exact", "dense"] = "hybrid"
    top_k: int = 10
    min_score: Annotated[float, Field(ge=0, le=1)] | None = 0
    include_debug: bool = False


class SearchIn(KbSearchIn):
    """A search over knowledge bases; without `kb_ids` over every readable one."""

    kb_ids: Annotated[list[KbId], Field(max_length=1000)] | None = None


class KbAskIn(RequestBody):
    """A question to one knowledge base."""

    question: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
    top_k: int = 10
    mode: Literal["hybrid", "keyword", "exact", "dense"] = "hybrid"
    stream: bool = True


class AskIn(KbAskIn):
    """A question over knowledge bases; without `kb_ids` over every readable one."""

    kb_ids: Annotated[list[KbId], Field(max_length=1000)] | None = None
