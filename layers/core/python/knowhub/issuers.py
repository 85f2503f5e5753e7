"""Whose tokens are taken beside the hub's own, as settings write it: an OpenID issuer and what its groups mean.

Reading is all that is done here. What does not fit raises `ValueError`, whose words follow the variable's name and show
nothing of its value.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from knowhub.calling.endpoints import endpoint

Role = Literal["member", "admin"]

_MOST_GROUPS = 200


@dataclass(frozen=True, slots=True)
class GroupRoles:
    """Which claim lists a person's groups, and which role each gives.

    `default` is the role of a person in none of them; None lets such a person in at all only as nobody.
    """

    claim: str
    roles: Mapping[str, Role]
    default: Role | None = None

    def role(self, groups: Collection[str]) -> Role | None:
        """Give the highest role that the groups give."""
        given = {self.roles[group] for group in groups if group in self.roles}
        return "admin" if "admin" in given else "member" if given else self.default


@dataclass(frozen=True, slots=True)
class TrustedIssuer:
    """An issuer, the audience that its tokens for this hub have, and its groups; without groups all are members."""

    issuer: str
    audience: str
    groups: GroupRoles | None = None


def issuer_address(text: str) -> str:
    """Read an issuer's identifier, which is an address: it is compared as it stands, its last slash too."""
    endpoint(text.strip())
    return text.strip()


def group_roles(text: str) -> GroupRoles:
    """Read `{"claim": NAME, "roles": {GROUP: "member" or "admin", …}, "default": "member"}`, the last one optional."""
    try:
        return _group_roles(json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ValueError('is no {"claim": …, "roles": {GROUP: "member" or "admin"}, "default": "member"}') from None


def _group_roles(value: dict[str, Any]) -> GroupRoles:
    claim, roles, default = value["claim"], value["roles"], value.get("default")
    if not isinstance(claim, str) or not claim or set(value) - {"claim", "roles", "default"}:
        raise ValueError(claim)
    if not set(roles.values()) <= {"member", "admin"} or len(roles) > _MOST_GROUPS or default not in {None, "member"}:
        raise ValueError(claim)
    return GroupRoles(claim, dict(roles), default)
