"""The access rule as a whole matrix."""

from itertools import product
from typing import get_args

import pytest

from knowhub.access.rules import Action, may, may_create, readable
from knowhub.model.knowledge_base import Chunking, KnowledgeBase, MemberRole, Visibility
from knowhub.model.principal import Principal, Scope, UserRole

EXPECTED: dict[tuple[Visibility, MemberRole | None], set[Action]] = {
    ("private", None): set(),
    ("shared", None): {"read"},
    ("public", None): {"read"},
    **{(visibility, "viewer"): {"read"} for visibility in get_args(Visibility)},
    **{(visibility, "editor"): {"read", "write"} for visibility in get_args(Visibility)},
    **{(visibility, "owner"): {"read", "write", "manage"} for visibility in get_args(Visibility)},
}
"""What a user with every scope may do; being an admin adds nothing."""

BY_SCOPE: dict[Scope, set[Action]] = {
    "read": {"read"},
    "write": {"read", "write", "manage"},
    "admin": {"read", "write", "manage"},
}


def kb(visibility: Visibility = "private", *, kb_id: int = 1, deleted: bool = False) -> KnowledgeBase:
    return KnowledgeBase(kb_id, "n", "", visibility, "o", "o", "en", Chunking(), 1, "", "", deleted)


def principal(*scopes: Scope, role: UserRole = "member", limit: frozenset[int] | None = None) -> Principal:
    return Principal("u", "u", role, frozenset(scopes), None, limit)


CASES = list(product(get_args(Visibility), (None, *get_args(MemberRole)), get_args(Action), get_args(UserRole)))


@pytest.mark.parametrize(("visibility", "membership", "action", "role"), CASES)
def test_every_cell_of_the_matrix(
    visibility: Visibility, membership: MemberRole | None, action: Action, role: UserRole
) -> None:
    allowed = action in EXPECTED[visibility, membership]
    assert may(principal("read", "write", "admin", role=role), action, kb(visibility), membership) is allowed
    for scope, within in BY_SCOPE.items():
        expected = allowed and action in within
        assert may(principal(scope, role=role), action, kb(visibility), membership) is expected
    assert not may(principal(role=role), action, kb(visibility), membership)
    assert not may(principal("admin", limit=frozenset()), action, kb(visibility), membership)
    assert may(principal("admin", limit=frozenset({1})), action, kb(visibility), membership) is allowed
    assert not may(principal("admin", limit=frozenset({2})), action, kb(visibility), membership)
    assert not may(principal("admin"), action, kb(visibility, deleted=True), membership)


def test_the_list_is_what_the_check_says() -> None:
    kbs = [kb("private"), kb("shared", kb_id=2), kb("public", kb_id=3), kb("private", kb_id=4)]
    memberships: dict[int, MemberRole] = {4: "viewer"}
    asking = principal("read")
    listed = readable(asking, kbs, memberships)
    assert [one.kb_id for one in listed] == [2, 3, 4]
    assert list(listed) == [one for one in kbs if may(asking, "read", one, memberships.get(one.kb_id))]


def test_only_an_unlimited_credential_that_writes_makes_kbs() -> None:
    assert may_create(principal("write"))
    assert not may_create(principal("read"))
    assert not may_create(principal("write", limit=frozenset({1})))
