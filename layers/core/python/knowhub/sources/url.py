"""Source `url`: what addresses answer, each under the identity of its own address or of another one."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from email.utils import parsedate_to_datetime

from knowhub.errors import SourceFailed
from knowhub.net.client import Fetched, GuardedClient
from knowhub.net.headers import Validators
from knowhub.net.urls import identity
from knowhub.ports.sources import SourceContent, SourceItem, SourcePage
from knowhub.ports.sources_rules import not_found
from knowhub.sources import cursors
from knowhub.sources.naming import name_of_address, settled_type, type_of_name

_OK = 200
_NOT_MODIFIED = 304
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST_WAIT = 24 * 3600


class UrlSource:
    """Identifier addresses in order, each with the address that its content comes from.

    Nothing but content is taken from the latter: id, name, and the metadata are the identifier's.
    """

    def __init__(self, urls: Sequence[str], content_urls: Sequence[str], client: GuardedClient) -> None:
        """Keep the pairs; without content addresses each address is its own."""
        self._pairs = dict(zip(urls, content_urls or urls, strict=True))
        self._urls = tuple(self._pairs)
        self._client = client

    def list(self, cursor: str | None = None, limit: int = 100) -> SourcePage:
        """Give the next addresses; nothing is asked of them yet."""
        cursors.check_limit(limit)
        start = cursors.position(cursor, len(self._urls))
        items = tuple(_item(url) for url in self._urls[start : start + limit])
        return SourcePage(items, (), cursors.at(start + len(items), len(self._urls)))

    def fetch(self, item: SourceItem, known: str | None = None) -> SourceContent | None:
        """Ask the address, with a condition where a version is known.

        Only status 200 is content; another one is `SourceFailed` with reason `STATUS` and the status in its detail.
        """
        address = self._pairs.get(item.external_id)
        if address is None:
            raise not_found()
        validators = _validators(known, address)
        answer = self._client.get(address, conditional=validators)
        if answer.status == _NOT_MODIFIED and validators is not None:
            return None
        if answer.status != _OK:
            raise _refused(answer)
        declared = answer.headers.get("content-type")
        _, host, path = identity(item.external_id)
        name = name_of_address(host, path, declared)
        return SourceContent(answer.body, name, settled_type(declared, name), _version(answer, address))


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


def _refused(answer: Fetched) -> SourceFailed:
    transient = answer.status in _PASSING
    detail: dict[str, object] = {"reason": "STATUS", "status": answer.status, "transient": transient}
    wait = _retry_after(answer.headers) if transient else None
    if wait is not None:
        detail["retry_after"] = wait
    return SourceFailed(f"The address answered with status {answer.status}", detail)


def _retry_after(headers: Mapping[str, str]) -> int | None:
    """Read the seconds to wait; a date counts from the answer's own, so that no clock of ours is compared with it."""
    said = headers.get("retry-after", "").strip()
    if said.isascii() and said.isdigit():
        return min(int(said[:9]), _LONGEST_WAIT)
    try:
        wait = parsedate_to_datetime(said) - parsedate_to_datetime(headers.get("date", ""))
    except (ValueError, TypeError):
        return None
    return int(min(max(wait, timedelta()), timedelta(seconds=_LONGEST_WAIT)).total_seconds())
