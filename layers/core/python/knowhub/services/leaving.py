"""A user leaves the knowledge bases that it belongs to, none of which is left without an owner."""

from dataclasses import replace

from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
from knowhub.catalog.members import MemberRows
from knowhub.errors import ConditionFailed, Conflict
from knowhub.model.knowledge_base import KnowledgeBase, MemberRole
from knowhub.model.times import iso
from knowhub.ports.clock import Clock

_ATTEMPTS = 5


class Leaving:
    """Takes a user out of its KBs."""

    def __init__(self, kbs: KnowledgeBaseRows, members: MemberRows, clock: Clock) -> None:
        """Keep the collaborators."""
        self._kbs = kbs
        self._members = members
        self._clock = clock

    def owned_alone(self, user_id: str) -> int:
        """Count the KBs that have no other owner."""
        return sum(role == "owner" and kb.owners <= 1 for kb, role in self._belongs_to(user_id))

    def leave_all(self, user_id: str) -> None:
        """End every membership of the user; raises `Conflict` for a KB that would have no owner then."""
        for kb, role in self._belongs_to(user_id):
            self._leave(kb, user_id, role)

    def _leave(self, kb: KnowledgeBase, user_id: str, role: MemberRole | None) -> None:
        for _ in range(_ATTEMPTS):
            owners = kb.owners - (role == "owner")
            if role is None or kb.deleted:
                return
            if owners < 1:
                raise Conflict("The user has become the last owner of a knowledge base", {"kb_id": kb.kb_id})
            changed = replace(kb, owners=owners, version=kb.version + 1, updated_at=iso(self._clock.now()))
            try:
                self._members.change(kb, changed, user_id, None)
            except ConditionFailed:
                kb = self._kbs.get(kb.kb_id) or replace(kb, deleted=True)
                role = self._members.role(user_id, kb.kb_id)
                continue
            return
        raise Conflict("The members are being changed by others", {"kb_id": kb.kb_id})

    def _belongs_to(self, user_id: str) -> list[tuple[KnowledgeBase, MemberRole]]:
        memberships = self._members.memberships(user_id)
        kbs = self._kbs.get_many(memberships)
        return [(kbs[kb_id], role) for kb_id, role in memberships.items() if kb_id in kbs and not kbs[kb_id].deleted]
