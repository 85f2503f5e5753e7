"""Everything about users and their credentials but recognising them: one member a use-case."""

from dataclasses import dataclass
from typing import Self

from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
from knowhub.catalog.members import MemberRows
from knowhub.catalog.tries import TryRows
from knowhub.ports.clock import Clock
from knowhub.ports.identifiers import Identifiers
from knowhub.ports.table import Table
from knowhub.services.api_keys import ApiKeys
from knowhub.services.audit import Audit
from knowhub.services.first_admin import FirstAdmin, Secret
from knowhub.services.identity import Identity, IdentityRows
from knowhub.services.leaving import Leaving
from knowhub.services.sign_in import SignIn
from knowhub.services.throttling import Throttle
from knowhub.services.users import Users


@dataclass(frozen=True, slots=True)
class Accounts:
    """The use-cases of users, sessions and API keys."""

    sign_in: SignIn
    first_admin: FirstAdmin
    api_keys: ApiKeys
    users: Users

    @classmethod
    def over(
        cls,
        table: Table,
        identity: Identity,
        audit: Audit,
        *,
        clock: Clock,
        identifiers: Identifiers,
        secret: Secret | None,
    ) -> Self:
        """Put them together over a table; `secret` is what the first admin is made with."""
        rows, throttle = IdentityRows.of(table), Throttle(TryRows(table), clock)
        leaving = Leaving(KnowledgeBaseRows(table), MemberRows(table), clock)
        return cls(
            sign_in=SignIn(rows, throttle, audit, clock, identifiers),
            first_admin=FirstAdmin(rows.people, throttle, audit, clock, identifiers, secret=secret),
            api_keys=ApiKeys(rows.keys, identity, clock),
            users=Users(rows, identity, leaving),
        )
