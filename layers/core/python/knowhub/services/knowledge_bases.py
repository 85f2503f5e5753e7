"""Knowledge bases: make, show, list, delete."""

from dataclasses import dataclass, field

from knowhub.access.rules import may_create
from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
from knowhub.errors import ConditionFailed, Forbidden, NotFound
from knowhub.model.knowledge_base import Chunking, KbCounts, KnowledgeBase, MemberRole, Visibility
from knowhub.model.principal import Principal
from knowhub.model.times import iso
from knowhub.ports.clock import Clock
from knowhub.ports.queue import Queue
from knowhub.services.permissions import Permissions
from knowhub.services.work import Work


@dataclass(frozen=True, slots=True)
class NewKnowledgeBase:
    """What a caller says of a KB that it makes."""

    name: str
    description: str = ""
    visibility: Visibility = "private"
    language: str = "en"
    chunking: Chunking = field(default_factory=Chunking)


@dataclass(frozen=True, slots=True)
class KnowledgeBaseView:
    """A KB as one principal sees it."""

    kb: KnowledgeBase
    role: MemberRole
    counts: KbCounts


class KnowledgeBases:
    """The use-cases of knowledge bases."""

    def __init__(self, rows: KnowledgeBaseRows, permissions: Permissions, queue: Queue, clock: Clock) -> None:
        """Keep the collaborators."""
        self._rows = rows
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

    def delete(self, principal: Principal, kb_id: int) -> None:
        """Hide a KB and all beneath it at once; its content is removed in the background."""
        kb = self._permissions.require(principal, kb_id, "manage")
        try:
            self._rows.delete(kb, iso(self._clock.now()))
        except ConditionFailed as error:
            raise NotFound("KB", {"kb_id": kb_id}) from error
        self._queue.send([Work("purge_kb", kb_id).message()])
