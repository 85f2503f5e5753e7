"""Members: who may do what in a KB."""

from dataclasses import replace

from knowhub.catalog.members import MemberRows
from knowhub.catalog.people import PeopleRows
from knowhub.errors import ConditionFailed, Conflict, NotFound
from knowhub.model.knowledge_base import KnowledgeBase, Member, MemberRole
from knowhub.model.principal import Principal
from knowhub.model.times import iso
from knowhub.ports.clock import Clock
from knowhub.services.permissions import Permissions

_ATTEMPTS = 5


class Members:
    """The use-cases of membership; what is changed holds in the next request."""

    def __init__(self, rows: MemberRows, people: PeopleRows, permissions: Permissions, clock: Clock) -> None:
        """Keep the collaborators."""
        self._rows = rows
        self._people = people
        self._permissions = permissions
        self._clock = clock

    def list(self, principal: Principal, kb_id: int) -> "list[Member]":
        """List a KB's members by user id, to whoever is one of them."""
        kb = self._permissions.require(principal, kb_id, "read")
        if self._rows.role(principal.user_id, kb_id) is None:
            # Who reads a shared KB without belonging to it need not know who does.
            self._permissions.require(principal, kb.kb_id, "manage")
        return [self._named(member) for member in self._rows.of(kb_id)]

    def put(self, principal: Principal, kb_id: int, user_id: str, role: MemberRole) -> Member:
        """Give a user a role in a KB; raises `Conflict` where the KB would be left without an owner."""
        user = self._people.user(user_id)
        for _ in range(_ATTEMPTS):
            kb = self._permissions.require(principal, kb_id, "manage")
            if user is None:
                raise NotFound("USER", {"user_id": user_id})
            if self._change(kb, user_id, role):
                return Member(user_id, role, user.username)
        raise Conflict("The members are being changed by others", {"kb_id": kb_id})

    def remove(self, principal: Principal, kb_id: int, user_id: str) -> None:
        """Take a user's role away; a member may go by itself. Raises `Conflict` for the last owner."""
        for _ in range(_ATTEMPTS):
            kb = self._permissions.require(principal, kb_id, "read" if user_id == principal.user_id else "manage")
            if self._rows.role(user_id, kb_id) is None:
                raise NotFound("MEMBER", {"user_id": user_id})
            if self._change(kb, user_id, None):
                return
        raise Conflict("The members are being changed by others", {"kb_id": kb_id})

    def _change(self, kb: KnowledgeBase, user_id: str, role: MemberRole | None) -> bool:
        """Change one membership; False where somebody else changed the KB in between."""
        old = self._rows.role(user_id, kb.kb_id)
        owners = kb.owners + (role == "owner") - (old == "owner")
        if owners < 1:
            raise Conflict("A knowledge base keeps at least one owner", {"kb_id": kb.kb_id})
        changed = replace(kb, owners=owners, version=kb.version + 1, updated_at=iso(self._clock.now()))
        try:
            self._rows.change(kb, changed, user_id, role)
        except ConditionFailed:
            return False
        return True

    def _named(self, member: Member) -> Member:
        user = self._people.user(member.user_id)
        return member if user is None else replace(member, username=user.username)
