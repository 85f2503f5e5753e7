"""Knowledge bases and their members."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

Visibility = Literal["private", "shared", "public"]
MemberRole = Literal["viewer", "editor", "owner"]

DEFAULT_JSON_SIZE = 2000
"""Bytes of one JSON chunk as it is serialised, in UTF-8."""

DEFAULT_SIZE = 1024
"""Code points in one chunk, repeated text and added headers included."""


@dataclass(frozen=True, slots=True)
class Chunking:
    """How a KB's text documents are cut: sizes in code points; `strategy` None means by document type.

    `separators` are for the recursive strategy, by rank; None means its own. `trim_whitespace` gives up white space at
    the edges of documents, lines and chunks. `preserve_lines`, for the fixed strategy, None leaves it to the document's
    type whether lines are kept whole.
    """

    strategy: str | None = None
    size: int = DEFAULT_SIZE
    overlap: int = 0
    separators: tuple[str, ...] | None = None
    trim_whitespace: bool = False
    preserve_lines: bool | None = None

    @staticmethod
    def default_size(strategy: str | None) -> int:
        """Give the size of chunks that nobody gave a size: code points, for JSON bytes."""
        return DEFAULT_JSON_SIZE if strategy == "json" else DEFAULT_SIZE

    def faults(self) -> list[tuple[str, str]]:
        """Name each member that does not go together with the others, and why."""
        found = []
        if self.overlap >= self.size:
            found.append(("overlap", "overlap is less than size"))
        if self.separators is not None and self.strategy != "recursive":
            found.append(("separators", "separators are for the strategy recursive"))
        if self.trim_whitespace and self.strategy == "json":
            found.append(("trim_whitespace", "white space is not trimmed in JSON"))
        if self.preserve_lines is not None and self.strategy not in {None, "fixed"}:
            found.append(("preserve_lines", "whole lines are for the strategy fixed"))
        return found

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Self:
        """Read one from its members as JSON has them."""
        separators = members.get("separators")
        return cls(**{**members, "separators": None if separators is None else tuple(separators)})


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """A container of documents; times are ISO 8601 in UTC; `deleted` is the tombstone that hides all beneath it.

    `version` counts the changes of the KB itself and of its members, `owners` the members who own it.
    """

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
    owners: int = 1


@dataclass(frozen=True, slots=True)
class Member:
    """A user's role in a KB, with the user's name where the user is still there."""

    user_id: str
    role: MemberRole
    username: str | None = None


@dataclass(frozen=True, slots=True)
class KbCounts:
    """Exact numbers of live documents and of chunks of visible revisions."""

    documents: int
    chunks: int
