"""Which addresses are public, over the whole space and at the edges of every closed range."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.net import addresses
from knowhub.net.policy import Policy

CLOSED = [
    "0.0.0.0",  # noqa: S104 - nothing is bound here
    "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.100.100.200", "100.127.255.255",
    "127.0.0.1", "127.255.255.254", "168.63.129.16", "169.254.0.1", "169.254.169.254", "169.254.170.2",
    "169.254.170.23", "172.16.0.0", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.1",
    "198.18.0.1", "198.19.255.255", "198.51.100.9", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:7f00:1", "::8.8.8.8",
    "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:4136:e378::1", "2001:2::1", "2001:10::1",
    "2001:20::1", "2001:db8::1", "2002:7f00:1::1", "2002:808:808::1", "3fff::1", "fc00::1", "fd00:ec2::254",
    "fe80::1", "fec0::1", "ff02::1", "4000::1", "5f00::1",
]  # fmt: skip
OPEN = [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
    "168.63.129.17", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.255.255", "192.169.0.0",
    "198.17.255.255", "198.20.0.0", "223.255.255.255", "2001:200::1", "2606:4700:4700::1111", "2a00:1450::1",
]  # fmt: skip


@pytest.mark.parametrize("text", CLOSED)
def test_what_is_not_public_is_closed(text: str) -> None:
    assert not addresses.is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", OPEN)
def test_what_lies_beside_a_closed_range_is_open(text: str) -> None:
    assert addresses.is_public(ipaddress.ip_address(text))


@given(st.ip_addresses())
def test_the_standard_library_knows_no_private_address_that_is_open_here(address: addresses.Address) -> None:
    if addresses.is_public(address):
        assert address.is_global
        assert not address.is_multicast


@given(st.ip_addresses(v=4))
def test_a_version_4_address_inside_a_version_6_one_is_never_open(address: ipaddress.IPv4Address) -> None:
    inside = int(address)
    for base in ("::", "::ffff:0:0", "64:ff9b::", "64:ff9b:1::"):
        assert not addresses.is_public(ipaddress.IPv6Address(int(ipaddress.IPv6Address(base)) + inside))
    assert not addresses.is_public(ipaddress.IPv6Address((0x2002 << 112) + (inside << 80)))


@given(st.ip_addresses())
def test_an_address_is_read_from_its_own_spelling(address: addresses.Address) -> None:
    assert addresses.parse(str(address)) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "127.1",
        "0177.0.0.1",
        "0x7f.0.0.1",
        "2130706433",
        "1.2.3.4.5",
        "fe80::1%eth0",
        "10.0.0.0/8",
        "１.1.1.1",
        "1.1.1.1 ",
    ],
)
def test_other_spellings_are_no_addresses(text: str) -> None:
    assert addresses.parse(text) is None


@given(st.ip_addresses(), st.integers(1, 65535))
def test_without_the_loopback_option_only_public_addresses_on_listed_ports_pass(
    address: addresses.Address, port: int
) -> None:
    assert Policy().permits(address, port) == (addresses.is_public(address) and port in {80, 443})


def test_the_local_policy_opens_loopback_on_any_port_and_nothing_else_inside() -> None:
    local = Policy.local()
    opened = [each for each in CLOSED if local.permits(ipaddress.ip_address(each), 8010)]
    assert opened == ["127.0.0.1", "127.255.255.254", "::1"]
    assert not local.permits(ipaddress.ip_address("8.8.8.8"), 8010)


def test_plain_http_is_an_option_that_is_off_by_default() -> None:
    assert [Policy().permits_scheme(scheme) for scheme in ("https", "http", "ftp")] == [True, False, False]
    assert [Policy(http=True).permits_scheme(scheme) for scheme in ("https", "http", "ftp")] == [True, True, False]
