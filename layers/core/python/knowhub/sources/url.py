"""Source `url`: what addresses answer, each under the identity of its own address or of another one."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from knowhub.errors import SourceFailed
from knowhub.net.client import Fetched, GuardedClient
from knowhub.net.headers import Validators
from knowhub.net.urls import identity
from knowhub.ports.sources import SourceContent, SourceItem, SourcePage
from knowhub.ports.sources_rules import not_found
from knowhub.sources import cursors
from knowhub.sources.naming import name_of_address, settled_type, type_of_name
from knowhub.sources.statuses import refused
from knowhub.sources.visits import Pace, Visits

_OK = 200
_NOT_MODIFIED = 304


class UrlSource:
    """Identifier addresses in order, each with the address that its content comes from.

    Nothing but content is taken from the latter: id, name, and the metadata are the identifier's.
    """

    def __init__(
        self, urls: Sequence[str], content_urls: Sequence[str], client: GuardedClient, visits: Visits | None = None
    ) -> None:
        """Keep the pairs; without content addresses each address is its own. Without visits nobody is spared."""
        self._pairs = dict(zip(urls, content_urls or urls, strict=True))
        self._urls = tuple(self._pairs)
        self._client = client
        self._visits = visits or Visits(None, Pace())

    def list(self, cursor: str | None = None, limit: int = 100) -> SourcePage:
        """Give the next addresses; nothing is asked of them yet."""
        cursors.check_limit(limit)
        start = cursors.position(cursor, len(self._urls))
        items = tuple(_item(url) for url in self._urls[start : start + limit])
        return SourcePage(items, (), cursors.at(start + len(items), len(self._urls)))

    def fetch(self, item: SourceItem, known: str | None = None) -> SourceContent | None:
        """Ask the address, with a condition where a version is known.

        Only status 200 is content; another one is `SourceFailed` with reason `STATUS` and the status in its detail.
        `ROBOTS_DISALLOWED` is what the site asks not to fetch, `NOT_YET` what it is not the turn of.
        """
        address = self._pairs.get(item.external_id)
        if address is None:
            raise not_found()
        validators = _validators(known, address)
        answer = self._answer(address, validators)
        if answer.status == _NOT_MODIFIED:
            return None
        declared = answer.headers.get("content-type")
        _, host, path = identity(item.external_id)
        name = name_of_address(host, path, declared)
        return SourceContent(answer.body, name, settled_type(declared, name), _version(answer, address))

    def _answer(self, address: str, validators: Validators | None) -> Fetched:
        """Ask when it is the address's turn; of use is what has content, or has not changed."""
        self._visits.begin(address)
        try:
            answer = self._client.get(address, conditional=validators, before=self._visits.permit)
            if answer.status != _OK and not (answer.status == _NOT_MODIFIED and validators is not None):
                raise refused(answer.status, answer.headers)
        except SourceFailed as error:
            if error.detail.get("transient"):
                self._visits.failed(address, error)
            raise
        self._visits.succeeded(address)
        return answer


def _item(url: str) -> SourceItem:
    scheme, host, path = identity(url)
    name = name_of_address(host, path, None)
    metadata = {"doc_id": url, "uri": url, "url": url, "url_scheme": scheme, "url_host": host, "url_path": path}
    return SourceItem(url, url, name, name, content_type=type_of_name(name), url=url, metadata=metadata)


def _version(answer: Fetched, address: str) -> str | None:
    """Write what a later request may make its condition of; it is good for the same address only."""
    validators = Validators.of(answer.headers)
    if not validators.headers():
        return None
    return json.dumps({"address": address, **asdict(validators)}, ensure_ascii=False, sort_keys=True)


def _validators(known: str | None, address: str) -> Validators | None:
    """Read a version that was written here; another address's, and any other text, is none."""
    try:
        found = json.loads(known or "null")
    except ValueError:
        return None
    if not isinstance(found, dict) or found.get("address") != address:
        return None
    headers = {name.replace("_", "-"): value for name, value in found.items() if isinstance(value, str)}
    validators = Validators.of(headers)
    return validators if validators.headers() else None
