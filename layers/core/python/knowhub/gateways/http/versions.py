"""`ETag` and `If-Match`: an entity tag is a row's version, which counts its changes."""

import re

from knowhub.errors import Conflict
from knowhub.gateways.events import ProxyRequest

_TAG = re.compile(r'"([0-9]{1,18})"')


def entity_tag(version: int) -> dict[str, str]:
    """Give the header that names a version."""
    return {"ETag": f'"{version}"'}


def expected_version(request: ProxyRequest) -> int | None:
    """Read the version that `If-Match` asks for; None where it is absent or takes any.

    A tag that can't be one of ours matches nothing, so it raises `Conflict` as a stale one does.
    """
    asked = request.headers.get("if-match", "*").strip()
    if asked == "*":
        return None
    found = _TAG.fullmatch(asked)
    if found is None:
        raise Conflict("If-Match names no version of this")
    return int(found[1])
