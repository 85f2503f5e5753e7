"""The request bodies of the HTTP interface, as OpenAPI shows them."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from knowhub.gateways.http.metadata import Metadata, fits
from knowhub.model.file_names import base_name
from knowhub.model.knowledge_base import Chunking

_LINE = r"^[^\x00-\x1f\x7f]*$"
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=_LINE)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300, pattern=_LINE)]
Url = Annotated[str, StringConstraints(max_length=2000, pattern=r"^https?://\S+$")]
Separator = Annotated[str, StringConstraints(min_length=1, max_length=100)]
KbId = Annotated[int, Field(ge=1, le=10**12)]


class RequestBody(BaseModel):
    """A request body: unknown members are refused, so that a misspelt one is not silently without effect."""

    # Validators are built when a route first needs them: a function's start pays for none.
    # Strict: "5" is no number and 1 is no truth value.
    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class ChunkingIn(RequestBody):
    """How text is cut; without a strategy by document type, without a size at 1,024 code points, JSON at 2,000 bytes.

    `separators`, by rank, are for the strategy `recursive`. `trim_whitespace` gives up white space at the edges of
    documents, lines and chunks. `preserve_lines`, for the strategy `fixed`, says whether lines are kept whole.
    """

    strategy: Literal["fixed", "json", "markdown", "recursive"] | None = None
    size: Annotated[int, Field(ge=100, le=8000)] | None = None
    overlap: Annotated[int, Field(ge=0, le=4000)] = 0
    separators: Annotated[list[Separator], Field(min_length=1, max_length=50)] | None = None
    trim_whitespace: bool = False
    preserve_lines: bool | None = None

    @model_validator(mode="after")
    def _goes_together(self) -> Self:
        faults = self.chunking().faults()
        if faults:
            raise ValueError("; ".join(message for _, message in faults))
        return self

    def chunking(self) -> Chunking:
        """Give what was sent with what follows where nothing was."""
        size = Chunking.default_size(self.strategy) if self.size is None else self.size
        members = self.model_dump(exclude_unset=True, exclude_none=True)
        return Chunking.of({**members, "size": size})


class KnowledgeBaseIn(RequestBody):
    """A new knowledge base."""

    name: Name
    description: Annotated[str, StringConstraints(max_length=2000)] = ""
    visibility: Literal["private", "shared", "public"] = "private"
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")] | None = None
    chunking: ChunkingIn = Field(default_factory=ChunkingIn)


class ChangedKnowledgeBaseIn(RequestBody):
    """What is to be different about a knowledge base; a member that is left out or null stays."""

    name: Name | None = None
    description: Annotated[str, StringConstraints(max_length=2000)] | None = None
    visibility: Literal["private", "shared", "public"] | None = None
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")] | None = None
    chunking: ChunkingIn | None = None


class DocumentIn(RequestBody):
    """A document sent as text."""

    title: Title
    text: str
    content_type: Annotated[str, StringConstraints(min_length=1, max_length=200)] = "text/plain"
    external_id: Annotated[str, StringConstraints(min_length=1, max_length=1000)] | None = None
    url: Url | None = None
    metadata: Metadata = Field(default_factory=dict)


class ChangedDocumentIn(RequestBody):
    """What is to be different about a document; a member that is left out or null stays, an empty url goes."""

    title: Title | None = None
    url: Url | Literal[""] | None = None
    metadata: Metadata | None = None


class DeletedDocumentsIn(RequestBody):
    """Documents of one knowledge base that are to go."""

    doc_ids: Annotated[list[Annotated[str, StringConstraints(min_length=1, max_length=64)]], Field(max_length=100)]


class UploadIn(RequestBody):
    """A file that is about to be uploaded.

    It becomes a document when it has arrived, or with `for_import` as part of the import that names it.
    """

    filename: Title
    size: Annotated[int, Field(ge=1, le=100 * 1024 * 1024)]
    content_type: Annotated[str, StringConstraints(min_length=1, max_length=200)] = "application/octet-stream"
    title: Title | None = None
    external_id: Annotated[str, StringConstraints(min_length=1, max_length=1000)] | None = None
    url: Url | None = None
    metadata: Metadata = Field(default_factory=dict)
    for_import: bool = False

    @field_validator("filename")
    @classmethod
    def _without_folders(cls, filename: str) -> str:
        return base_name(filename)

    @model_validator(mode="after")
    def _has_one_identity(self) -> Self:
        if self.for_import and self.external_id is not None:
            raise ValueError("a document of an import is known by its upload's id: no external_id")
        return self


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
    """A search in one knowledge base; `top_k` is clamped to 1..50. An empty query lists what the filter lets by."""

    query: Annotated[str, StringConstraints(max_length=2000)] = ""
    mode: Literal["hybrid", "keyword", "exact", "dense"] = "hybrid"
    top_k: int = 10
    filter: dict[str, Any] | None = None
    min_score: Annotated[float, Field(ge=0, le=1)] | None = 0
    rerank: bool = False
    expand: Annotated[int, Field(ge=0, le=5)] = 0
    include_debug: bool = False


class SearchIn(KbSearchIn):
    """A search over knowledge bases; without `kb_ids` over every readable one."""

    kb_ids: Annotated[list[KbId], Field(max_length=1000)] | None = None
