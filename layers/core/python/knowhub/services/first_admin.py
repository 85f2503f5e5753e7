"""The first admin of a hub that nobody can sign in to yet: made once, for whoever has the secret of the deployment."""

import hmac
from collections.abc import Callable
from hashlib import sha256

from knowhub.auth.passwords import hash_new_password
from knowhub.catalog import keys
from knowhub.catalog.people import PeopleRows
from knowhub.errors import ConditionFailed, Conflict, Unauthenticated, Unavailable
from knowhub.model.principal import Principal
from knowhub.model.times import iso
from knowhub.model.user import User
from knowhub.ports.clock import Clock
from knowhub.ports.identifiers import Identifiers
from knowhub.ports.table import Missing, Put
from knowhub.services.audit import Audit
from knowhub.services.sign_in import Origin
from knowhub.services.throttling import Throttle
from knowhub.settings import InvalidSettings

Secret = Callable[[], str]


class FirstAdmin:
    """Makes the first admin, and never a second."""

    def __init__(
        self,
        people: PeopleRows,
        throttle: Throttle,
        audit: Audit,
        clock: Clock,
        identifiers: Identifiers,
        *,
        secret: Secret | None,
    ) -> None:
        """Keep the collaborators; without a secret nothing opens this."""
        self._people = people
        self._throttle = throttle
        self._audit = audit
        self._clock = clock
        self._identifiers = identifiers
        self._secret = secret

    def make(self, secret: str, username: str, password: str, origin: Origin) -> User:
        """Make the admin; raises `Unauthenticated` for a wrong secret, `Conflict` after the first time.

        Raises `RateLimited` for an attempt too many from one address, `InvalidRequest` for a short password.
        """
        self._throttle.admit_address(origin.address)
        if self._secret is None or not _same(secret, _read(self._secret)):
            raise Unauthenticated("The secret is wrong")
        now = iso(self._clock.now())
        user = User(self._identifiers.new("u_"), username, "admin", hash_new_password(password), now)
        who = Principal(user.user_id, username, "admin", frozenset())
        self._audit.record(who, "bootstrap", origin.request_id, detail={"address": origin.address})
        done = keys.first_admin()
        try:
            self._people.create_user(user, [Put({"pk": done.pk, "sk": done.sk, "user_id": user.user_id}, Missing())])
        except ConditionFailed as error:
            raise Conflict("The first admin was made already") from error
        return user


def _read(secret: Secret) -> str:
    try:
        return secret()
    except InvalidSettings as error:
        raise Unavailable("The secret of this deployment can't be read") from error


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(sha256(given.encode()).digest(), sha256(expected.encode()).digest())
