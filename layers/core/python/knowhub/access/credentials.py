"""What a credential may do about users and other credentials; nothing of this gives a way to content.

A scope includes the narrower ones. A credential that is limited to some KBs, or in time, makes no others: whoever finds
it would otherwise keep what it was to have for a while only.
"""

from collections.abc import Collection, Mapping

from knowhub.model.principal import Principal, Scope, UserRole

_INCLUDED: Mapping[Scope, tuple[Scope, ...]] = {
    "read": ("read",),
    "write": ("read", "write"),
    "admin": ("read", "write", "admin"),
}


def scopes_of(role: UserRole) -> frozenset[Scope]:
    """Give the scopes of a user who has signed in."""
    return frozenset(_INCLUDED["admin" if role == "admin" else "write"])


def with_included(scopes: Collection[Scope]) -> tuple[Scope, ...]:
    """Add to scopes those that they include, the narrowest first."""
    asked = {included for scope in scopes for included in _INCLUDED[scope]}
    return tuple(scope for scope in _INCLUDED["admin"] if scope in asked)


def administers(principal: Principal) -> bool:
    """Decide whether the principal may manage users."""
    return principal.role == "admin" and "admin" in principal.scopes and principal.kb_limit is None


def may_see_keys(principal: Principal) -> bool:
    """Decide whether the principal may list its user's API keys."""
    return principal.kb_limit is None


def may_end_keys(principal: Principal) -> bool:
    """Decide whether the principal may revoke its user's API keys."""
    return may_see_keys(principal) and "write" in with_included(principal.scopes)


def may_make_key(principal: Principal, scopes: Collection[Scope]) -> bool:
    """Decide whether the principal may make an API key with these scopes: none that it hasn't itself."""
    wide = set(with_included(principal.scopes))
    return may_end_keys(principal) and not principal.expires and set(with_included(scopes)) <= wide
