"""Who may do what, as one rule that both lists and checks. Default is no.

| visibility | owner, members | any other signed-in user |
|---|---|---|
| private | by role | nothing, admins too |
| shared | by role | read |
| public | by role | read |

A credential narrows what its user may do: by scope (`read`, `write`, `admin`) and by KB.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

from knowhub.model.knowledge_base import KnowledgeBase, MemberRole
from knowhub.model.principal import Principal, Scope

Action = Literal["read", "write", "manage"]

_ROLES: Mapping[Action, frozenset[MemberRole]] = {
    "read": frozenset(("viewer", "editor", "owner")),
    "write": frozenset(("editor", "owner")),
    "manage": frozenset(("owner",)),
}
_SCOPES: Mapping[Action, frozenset[Scope]] = {
    "read": frozenset(("read", "write", "admin")),
    "write": frozenset(("write", "admin")),
    "manage": frozenset(("write", "admin")),
}


def effective_role(kb: KnowledgeBase, membership: MemberRole | None) -> MemberRole | None:
    """Give the role that a user has in a KB through membership or visibility; None means that it isn't there."""
    if kb.deleted:
        return None
    return membership or ("viewer" if kb.visibility in {"shared", "public"} else None)


def may(principal: Principal, action: Action, kb: KnowledgeBase, membership: MemberRole | None) -> bool:
    """Decide one action on one KB."""
    role = effective_role(kb, membership)
    within = principal.kb_limit is None or kb.kb_id in principal.kb_limit
    return role in _ROLES[action] and within and bool(principal.scopes & _SCOPES[action])


def readable(
    principal: Principal, kbs: Iterable[KnowledgeBase], memberships: Mapping[int, MemberRole]
) -> tuple[KnowledgeBase, ...]:
    """Filter the KBs that the principal reads, in the given order."""
    return tuple(kb for kb in kbs if may(principal, "read", kb, memberships.get(kb.kb_id)))


def may_create(principal: Principal) -> bool:
    """Decide whether the principal may make a KB; a credential limited to some KBs may not."""
    return principal.kb_limit is None and bool(principal.scopes & _SCOPES["write"])
