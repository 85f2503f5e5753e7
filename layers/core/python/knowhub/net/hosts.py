"""Host names as they stand in URLs: one spelling is let through, and no second reading of it is possible.

Other programs read `2130706433`, `0x7f.1`, `127.1`, full-width digits and names with a final dot in ways of their own,
so all of these are refused rather than interpreted.
"""

import re
import unicodedata

from knowhub.net import addresses

_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)\Z")
_NUMBER_LIKE = re.compile(r"(?:[0-9]+|0x[0-9a-f]*)\Z")
_LOCAL_SUFFIXES = ("localhost", "local", "localdomain", "internal", "intranet", "lan", "home.arpa", "onion", "alt")
_OTHER_DOTS = frozenset("。．｡")
_MAX_NAME = 253


def canonical(host: str, *, loopback: bool = False) -> str | None:
    """Give a host in lower-case ASCII, an IPv6 address without brackets; None for what is refused.

    Names that only have a meaning inside of a network are refused before anybody is asked for them; with `loopback`
    the name `localhost` passes. International names are encoded (RFC 3490) if Unicode knows one spelling only of them.
    """
    if host.startswith("[") and host.endswith("]"):
        found = addresses.parse(host[1:-1])
        return str(found) if found is not None and found.version == 6 else None  # noqa: PLR2004 - brackets mean IPv6
    name = _ascii(host)
    if name is None:
        return None
    found = addresses.parse(name)
    if found is not None:
        return str(found) if found.version == 4 else None  # noqa: PLR2004 - an IPv6 address needs brackets
    return name if _is_public_name(name) or (loopback and name == "localhost") else None


def _ascii(host: str) -> str | None:
    if host.isascii():
        return host.lower()
    folded = host.lower()
    if unicodedata.normalize("NFKC", folded) != folded or _OTHER_DOTS & set(host):
        return None
    try:
        encoded = folded.encode("idna")
        # The encoding drops some characters and replaces others, in a way that newer rules don't.
        return encoded.decode("ascii").lower() if encoded.decode("idna") == folded else None
    except UnicodeError:
        return None


def _is_public_name(name: str) -> bool:
    labels = name.split(".")
    if len(labels) < 2 or len(name) > _MAX_NAME or not all(map(_LABEL.match, labels)):  # noqa: PLR2004 - one dot
        return False
    # A last label that looks like a number makes readers of URLs try the whole name as an address.
    return not _NUMBER_LIKE.match(labels[-1]) and not any(
        name == suffix or name.endswith(f".{suffix}") for suffix in _LOCAL_SUFFIXES
    )
