"""The guarded HTTP client: GET from public addresses, checked again on every hop."""

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from socket import socket

from knowhub.net import addresses, headers, urls
from knowhub.net.addresses import Address
from knowhub.net.connecting import Connector, DirectConnector
from knowhub.net.exchange import REDIRECTS, exchange
from knowhub.net.failures import failure, unreachable
from knowhub.net.headers import Validators
from knowhub.net.policy import Policy
from knowhub.net.resolving import Resolver
from knowhub.net.urls import Target, UnusableUrl
from knowhub.net.wire import Deadline, Monotonic

_MOST_TRIED = 4
"""Addresses of one name that are tried, one after the other."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """The last answer of a call, of any status that is no redirect to follow.

    `headers` are by name in lower case and without cookies; `body` is without its content coding; `hops` are the URLs
    that led on, in order, without `final_url`.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    final_url: str
    hops: tuple[str, ...] = ()


class GuardedClient:
    """Fetches what anybody on the internet may fetch, and nothing that only this machine can reach.

    A name is looked up once a hop; if any of its addresses is not permitted, none is used. The connection goes to an
    address that was checked, with the name for `Host` and certificate. No proxy, cookie or credential of the
    environment is used.
    """

    def __init__(
        self,
        policy: Policy,
        resolver: Resolver,
        connector: Connector | None = None,
        clock: Monotonic = time.monotonic,
    ) -> None:
        """Keep the collaborators; the clock gives seconds that never go back."""
        self._policy = policy
        self._resolver = resolver
        self._connector = connector
        self._clock = clock

    def check(self, url: str) -> None:
        """Raise `UnusableUrl` for what is never fetched, from its text alone: nobody is asked."""
        target = urls.parse(url, loopback=self._policy.loopback)
        if not self._policy.permits_scheme(target.scheme):
            raise UnusableUrl("only https addresses are fetched")

    def get(
        self,
        url: str,
        given: Mapping[str, str] | None = None,
        conditional: Validators | None = None,
        before: Callable[[str], None] | None = None,
    ) -> Fetched:
        """Fetch a URL, over redirects, with these headers; with validators the answer may be a 304.

        `before` is told each URL that a redirect leads to, and may raise to keep it from being asked.

        To another origin no header goes along that could be a credential, and none comes back on the way home. Raises
        `SourceFailed`, whose reason is `UNREACHABLE` for everything that is not permitted or does not answer, else
        `TOO_MANY_REDIRECTS`, `TOO_LARGE`, `TOO_SLOW`, `BROKEN_ANSWER` or `MALFORMED_ANSWER`.
        """
        sent = headers.outgoing(given or {}, conditional)
        deadline = Deadline(self._clock, self._policy.total_seconds)
        target = self._target(url)
        hops: list[str] = []
        while True:
            with closing(self._connect(target, deadline)) as connection:
                answer = exchange(connection, target, sent, policy=self._policy, deadline=deadline, clock=self._clock)
            location = answer.headers.get("location")
            if answer.status not in REDIRECTS or location is None:
                return Fetched(answer.status, answer.headers, answer.body, target.url, tuple(hops))
            if len(hops) >= self._policy.max_redirects:
                raise failure("TOO_MANY_REDIRECTS", "The address leads on too many times", transient=False)
            hops.append(target.url)
            following = self._follow(target, location)
            if before is not None:
                before(following.url)
            sent = sent if following.origin == target.origin else headers.portable(sent)
            target = following

    def _target(self, url: str) -> Target:
        try:
            return urls.parse(url, loopback=self._policy.loopback)
        except UnusableUrl as error:
            raise unreachable() from error

    def _follow(self, target: Target, location: str) -> Target:
        try:
            following = urls.follow(target, location, loopback=self._policy.loopback)
        except UnusableUrl as error:
            raise unreachable() from error
        if target.scheme == "https" and following.scheme != "https":
            raise unreachable()
        return following

    def _connect(self, target: Target, deadline: Deadline) -> socket:
        """Open a connection to the first checked address that takes one."""
        if not self._policy.permits_scheme(target.scheme):
            raise unreachable()
        connecting = Deadline(self._clock, min(self._policy.connect_seconds, deadline.remaining()))
        connector = self._connector = self._connector or DirectConnector()
        name = target.host if target.scheme == "https" else None
        cause: OSError | None = None
        for address in self._addresses(target, connecting)[:_MOST_TRIED]:
            seconds = connecting.remaining()
            if seconds <= 0:
                break
            try:
                return connector.connect(address, target.port, server_name=name, seconds=seconds)
            except OSError as error:
                cause = error
        raise unreachable() from cause

    def _addresses(self, target: Target, connecting: Deadline) -> list[Address]:
        """Look the host up once and give all of its addresses, each of them permitted."""
        literal = addresses.parse(target.host)
        found: list[Address | None] = [literal]
        if literal is None:
            try:
                texts = self._resolver.resolve(target.host, seconds=max(connecting.remaining(), 0))
            except OSError as error:
                raise unreachable() from error
            found = [addresses.parse(text) for text in texts]
        checked = [each for each in found if each is not None and self._policy.permits(each, target.port)]
        if not checked or len(checked) != len(found):
            raise unreachable()
        return checked
