"""Knowledge bases: make, show, list, delete."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from knowhub.access.rules import may_create
from knowhub.catalog.facets import FacetRows
from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
from knowhub.errors import ConditionFailed, Conflict, Forbidden, NotFound
from knowhub.model.facet import Facet
from knowhub.model.knowledge_base import Chunking, KbCounts, KnowledgeBase, MemberRole, Visibility
from knowhub.model.principal import Principal
from knowhub.model.times import iso
from knowhub.ports.clock import Clock
from knowhub.ports.queue import Queue
from knowhub.services.permissions import Permissions
from knowhub.services.work import Work

_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class NewKnowledgeBase:
    """What a caller says of a KB that it makes."""

    name: str
    description: str = ""
    visibility: Visibility = "private"
    language: str = ""
    chunking: Chunking = field(default_factory=Chunking)


@dataclass(frozen=True, slots=True)
class ChangedKnowledgeBase:
    """What is to be different; None leaves a member as it is."""

    name: str | None = None
    description: str | None = None
    visibility: Visibility | None = None
    language: str | None = None
    chunking: Chunking | None = None


@dataclass(frozen=True, slots=True)
class KnowledgeBaseView:
    """A KB as one principal sees it."""

    kb: KnowledgeBase
    role: MemberRole
    counts: KbCounts


class KnowledgeBases:
    """The use-cases of knowledge bases."""

    def __init__(
        self, rows: KnowledgeBaseRows, facets: FacetRows, permissions: Permissions, queue: Queue, clock: Clock
    ) -> None:
        """Keep the collaborators."""
        self._rows = rows
        self._facets = facets
        self._permissions = permissions
        self._queue = queue
        self._clock = clock

    def create(self, principal: Principal, new: NewKnowledgeBase) -> KnowledgeBaseView:
        """Make a KB that the principal owns; raises `Conflict` where it owns one of that name."""
        if not may_create(principal):
            raise Forbidden("Your credential does not allow this")
        now = iso(self._clock.now())
        kb = KnowledgeBase(
            kb_id=self._rows.next_id(),
            name=new.name,
            description=new.description,
            visibility=new.visibility,
            owner_id=principal.user_id,
            owner=principal.username,
            language=new.language,
            chunking=new.chunking,
            list_shards=1,
            created_at=now,
            updated_at=now,
        )
        self._rows.create(kb)
        return KnowledgeBaseView(kb, "owner", KbCounts(0, 0))

    def get(self, principal: Principal, kb_id: int) -> KnowledgeBaseView:
        """Show a KB; raises `NotFound`."""
        kb = self._permissions.require(principal, kb_id, "read")
        return KnowledgeBaseView(kb, self._permissions.role(principal, kb) or "viewer", self._rows.counts(kb_id))

    def list(self, principal: Principal) -> list[tuple[KnowledgeBase, MemberRole]]:
        """List the KBs that the principal reads, by ascending id."""
        return self._permissions.readable(principal)

    def view(self, kb: KnowledgeBase, role: MemberRole) -> KnowledgeBaseView:
        """Add the counts to a listed KB."""
        return KnowledgeBaseView(kb, role, self._rows.counts(kb.kb_id))

    def change(
        self, principal: Principal, kb_id: int, wanted: ChangedKnowledgeBase, expected: int | None
    ) -> KnowledgeBaseView:
        """Change what a KB says of itself, for its owners; `expected` is the version that the caller has seen.

        Raises `Conflict` where it has another version, where the owner has one of the new name, and for a change to or
        from `public`: what a public KB holds has been reviewed.
        """
        for _ in range(_ATTEMPTS):
            kb = self._permissions.require(principal, kb_id, "manage")
            if expected not in (None, kb.version):
                raise Conflict("The knowledge base was changed since you read it", {"kb_id": kb_id})
            given = {name: value for name, value in _members(wanted) if value is not None}
            new = replace(kb, **given, version=kb.version + 1, updated_at=iso(self._clock.now()))
            if new.visibility != kb.visibility and "public" in {new.visibility, kb.visibility}:
                raise Conflict("A knowledge base is public from its beginning or never", {"kb_id": kb_id})
            try:
                self._rows.change(kb, new)
            except Conflict as error:
                if not isinstance(error, ConditionFailed):
                    raise
                continue
            return self.get(principal, kb_id)
        raise Conflict("The knowledge base is being changed by others", {"kb_id": kb_id})

    def facets(self, principal: Principal, kb_id: int) -> Sequence[Facet]:
        """List the metadata keys and values of a KB's visible documents; raises `NotFound`."""
        return self._facets.of(self._permissions.require(principal, kb_id, "read").kb_id)

    def delete(self, principal: Principal, kb_id: int) -> None:
        """Hide a KB and all beneath it at once; its content is removed in the background."""
        kb = self._permissions.require(principal, kb_id, "manage")
        try:
            self._rows.delete(kb, iso(self._clock.now()))
        except ConditionFailed as error:
            raise NotFound("KB", {"kb_id": kb_id}) from error
        self._queue.send([Work("purge_kb", kb_id).message()])


def _members(wanted: ChangedKnowledgeBase) -> Iterator[tuple[str, Any]]:
    return ((one.name, getattr(wanted, one.name)) for one in fields(wanted))
