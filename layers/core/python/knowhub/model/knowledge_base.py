"""Knowledge bases and their members."""

from dataclasses import dataclass
from typing import Literal

Visibility = Literal["private", "shared", "public"]
MemberRole = Literal["viewer", "editor", "owner"]
Language = Literal["en", "zh", "ja", "ko"]


@dataclass(frozen=True, slots=True)
class Chunking:
    """How a KB's text documents are cut: sizes in code points; `strategy` None means by document type."""

    strategy: str | None = None
    size: int = 1024
    overlap: int = 0


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """A container of documents; times are ISO 8601 in UTC; `deleted` is the tombstone that hides all beneath it."""

    kb_id: int
    name: str
    description: str
    visibility: Visibility
    owner_id: str
    owner: str
    language: str
    chunking: Chunking
    list_shards: int
    created_at: str
    updated_at: str
    deleted: bool = False
    version: int = 1


@dataclass(frozen=True, slots=True)
class KbCounts:
    """Exact numbers of live documents and of chunks of visible revisions."""

    documents: int
    chunks: int
