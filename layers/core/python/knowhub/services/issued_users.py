"""Users of an OpenID issuer: made when they are first seen, known by issuer and subject, never by name or address."""

import re
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from knowhub.access.credentials import scopes_of
from knowhub.auth.tokens import looks_like_token
from knowhub.catalog.people import PeopleRows
from knowhub.errors import ConditionFailed, Conflict
from knowhub.model.principal import Principal
from knowhub.model.times import iso
from knowhub.model.user import User
from knowhub.ports.clock import Clock
from knowhub.ports.identifiers import Identifiers

if TYPE_CHECKING:
    from knowhub.auth.issuer import Issuer, Person

USERNAME = r"[\w.@+-]{1,100}"
"""What a username looks like: letters and digits of any script, and what addresses are made of."""


class IssuedUsers:
    """Turns an issuer's tokens into principals. A user's role is the token's, each time anew."""

    def __init__(self, issuer: "Issuer", people: PeopleRows, clock: Clock, identifiers: Identifiers) -> None:
        """Keep the collaborators."""
        self._issuer = issuer
        self._people = people
        self._clock = clock
        self._identifiers = identifiers

    def principal(self, token: str) -> Principal | None:
        """Give who asks with this token; None where it is not to be believed, or the user is disabled."""
        person = self._issuer.person(token) if looks_like_token(token) else None
        if person is None:
            return None
        user = self._people.issued(person.issuer, person.subject) or self._first_seen(person)
        if user is None or user.disabled:
            return None
        if user.role != person.role:
            # What is kept is for the user's API keys; a change at the same moment decides them just as well.
            with suppress(ConditionFailed):
                self._people.change(user, replace(user, role=person.role, version=user.version + 1))
        return Principal(user.user_id, user.username, person.role, scopes_of(person.role))

    def _first_seen(self, person: "Person") -> User | None:
        user_id = self._identifiers.new("u_")
        name = next((name for name in person.names if re.fullmatch(USERNAME, name)), "user")
        # No name that somebody chooses here has a tilde, so that the second one is free.
        for username in (name, f"{name}~{user_id[-8:]}"):
            user = User(
                user_id=user_id,
                username=username,
                role=person.role,
                password_hash="",
                created_at=iso(self._clock.now()),
                issuer=person.issuer,
                subject=person.subject,
            )
            try:
                self._people.create_user(user)
            except ConditionFailed:
                # Another request has just seen the same person.
                return self._people.issued(person.issuer, person.subject)
            except Conflict:
                continue
            return user
        return None
