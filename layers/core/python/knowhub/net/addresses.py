"""Which IP addresses are public: pure rules, without a socket or a look-up.

The lists are IANA's special-purpose registries (RFC 6890 and its updates), with what clouds keep elsewhere. A version 6
address must be global unicast (`2000::/3`), so that mapped, translated, local and multicast ones need no list; what
carries a version 4 address inside (6to4, Teredo) is refused whatever it carries.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

_CLOSED_4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",  # a cloud's virtual host, from inside its machines only
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
_OPEN_6 = IPv6Network("2000::/3")
_CLOSED_6 = tuple(
    IPv6Network(text)
    for text in (
        "2001::/23",  # protocol assignments: Teredo, benchmarking, ORCHID
        "2001:db8::/32",
        "2002::/16",
        "3fff::/20",
    )
)


def parse(text: str) -> Address | None:
    """Read an address in its usual spelling; None for anything else, one with a zone too.

    Version 4 is four decimal numbers without leading zeros, and nothing shorter.
    """
    if not text.isascii() or "%" in text or "/" in text:
        return None
    try:
        return ip_address(text)
    except ValueError:
        return None


def is_public(address: Address) -> bool:
    """Tell whether an address may belong to anybody on the public internet."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _CLOSED_4)
    return address in _OPEN_6 and not any(address in network for network in _CLOSED_6)


def is_loopback(address: Address) -> bool:
    """Tell whether an address is this machine's own, in its own spelling: a mapped one is not."""
    return address == IPv6Address(1) if isinstance(address, IPv6Address) else address.is_loopback
