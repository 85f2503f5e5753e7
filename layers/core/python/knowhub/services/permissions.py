"""The permission check: the one way from a principal and a KB id to a KB."""

from collections.abc import Iterable

from knowhub.access.rules import Action, effective_role, may, readable
from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
from knowhub.catalog.members import MemberRows
from knowhub.errors import Forbidden, NotFound
from knowhub.model.knowledge_base import KnowledgeBase, MemberRole
from knowhub.model.principal import Principal


class Permissions:
    """Applies the access rule to what the catalog holds now; nothing is cached, so a revocation holds at once."""

    def __init__(self, kbs: KnowledgeBaseRows, members: MemberRows) -> None:
        """Keep the rows."""
        self._kbs = kbs
        self._members = members

    def require(self, principal: Principal, kb_id: int, action: Action) -> KnowledgeBase:
        """Give the KB, or raise: `NotFound` where it can't be read (or isn't there), `Forbidden` where it can.

        A KB that is absent, deleted or somebody else's is one answer, so that ids can't be probed.
        """
        kb = self._kbs.get(kb_id)
        membership = None if kb is None else self._members.role(principal.user_id, kb_id)
        if kb is None or not may(principal, "read", kb, membership):
            raise NotFound("KB", {"kb_id": kb_id})
        if not may(principal, action, kb, membership):
            raise Forbidden("Your role or credential does not allow this", {"kb_id": kb_id, "action": action})
        return kb

    def role(self, principal: Principal, kb: KnowledgeBase) -> MemberRole | None:
        """Give the principal's role in a KB."""
        return effective_role(kb, self._members.role(principal.user_id, kb.kb_id))

    def readable(self, principal: Principal) -> list[tuple[KnowledgeBase, MemberRole]]:
        """List the KBs that the principal reads, with its role in each, by ascending id."""
        memberships = self._members.memberships(principal.user_id)
        ids = sorted({*memberships, *self._kbs.shared_ids()})
        found = self._kbs.get_many(ids)
        allowed = readable(principal, (found[kb_id] for kb_id in ids if kb_id in found), memberships)
        return [(kb, memberships.get(kb.kb_id, "viewer")) for kb in allowed]

    def readable_of(self, principal: Principal, kb_ids: Iterable[int]) -> frozenset[int]:
        """Narrow these KBs to those that the principal reads now."""
        ids = sorted(set(kb_ids))
        found = self._kbs.get_many(ids)
        memberships = self._members.roles(principal.user_id, ids)
        return frozenset(kb.kb_id for kb in readable(principal, found.values(), memberships))
