"""Rows of memberships: who has which role in which KB."""

from collections.abc import Sequence

from knowhub.catalog import keys
from knowhub.catalog.rows import read_all
from knowhub.model.knowledge_base import KnowledgeBase, Member, MemberRole
from knowhub.ports.table import AllOf, Delete, Equals, Item, Put, Query, Table, Update


class MemberRows:
    """Memberships over the table port; every read is consistent."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def role(self, user_id: str, kb_id: int) -> MemberRole | None:
        """Read a user's role in a KB."""
        item = self._table.get(keys.membership(user_id, kb_id))
        return None if item is None else item["role"]  # type: ignore[return-value] # only `member_row` writes it

    def roles(self, user_id: str, kb_ids: Sequence[int]) -> dict[int, MemberRole]:
        """Read a user's roles in these KBs; those without one are left out."""
        rows = self._table.get_many([keys.membership(user_id, kb_id) for kb_id in kb_ids])
        return {int(str(item["kb_id"])): item["role"] for item in rows.values()}  # type: ignore[misc] # as above

    def memberships(self, user_id: str) -> dict[int, MemberRole]:
        """Read every membership of a user."""
        items = read_all(self._table, Query(keys.user(user_id).pk, prefix=keys.MEMBERSHIP_PREFIX, limit=1000))
        return {int(str(item["kb_id"])): item["role"] for item in items}  # type: ignore[misc] # as above

    def of(self, kb_id: int) -> list[Member]:
        """List a KB's members by user id; an index finds them, each is read consistently."""
        found = read_all(self._table, Query(keys.members(kb_id), index="list", limit=1000))
        rows = self._table.get_many([keys.membership(str(item["user_id"]), kb_id) for item in found])
        members = [Member(str(item["user_id"]), item["role"]) for item in rows.values()]  # type: ignore[arg-type] # as above
        return sorted(members, key=lambda member: member.user_id)

    def change(self, kb: KnowledgeBase, changed: KnowledgeBase, user_id: str, role: MemberRole | None) -> None:
        """Give a user a role in a KB, or none any more, together with the KB's new count of owners.

        Raises `ConditionFailed` where the KB or its members were changed since `kb` was read.
        """
        key = keys.membership(user_id, kb.kb_id)
        self._table.transact(
            [
                Update(
                    keys.knowledge_base(kb.kb_id),
                    values={"owners": changed.owners, "version": changed.version, "updated_at": changed.updated_at},
                    condition=AllOf((Equals("version", kb.version), Equals("deleted", value=False))),
                ),
                Delete(key) if role is None else Put(member_row(user_id, kb.kb_id, role)),
            ]
        )


def member_row(user_id: str, kb_id: int, role: MemberRole) -> Item:
    """Write a membership."""
    key = keys.membership(user_id, kb_id)
    return {
        "pk": key.pk,
        "sk": key.sk,
        "kb_id": kb_id,
        "user_id": user_id,
        "role": role,
        "list_pk": keys.members(kb_id),
        "list_sk": user_id,
    }
