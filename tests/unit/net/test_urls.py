"""URLs are read in one way or not at all."""

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.net import addresses, hosts, urls
from knowhub.net.urls import UnusableUrl

REFUSED = [
    "", "example.com", "//example.com/", "ftp://example.com/", "file:///etc/passwd", "gopher://example.com/",
    "javascript:alert(1)", "https:example.com", "https:/example.com", "https:///example.com", "https://",
    "https://?x", "https://user@example.com/", "https://user:pw@example.com/", "https://example.com@10.0.0.1/",
    "https://example.com:80@10.0.0.1/", "https://example.com\\@10.0.0.1/", "https://example.com\\.evil.example/",
    "https:\\\\example.com/", "https://exa mple.com/", "https://example.com/a b", "https://example.com/\r\nHost: x",
    "https://exa\tmple.com/", "https://example.com\n/", "https://exam\x00ple.com/", "https://exam%00ple.com/",
    "https://example.com%2f.evil.example/", "https://%31%32%37.0.0.1/", "https://2130706433/", "https://0x7f000001/",
    "https://0x7f.1/", "https://0177.0.0.1/", "https://127.1/", "https://127.0.0.1./", "https://0/",
    "https://1.2.3/", "https://1.2.3.4.5/", "https://example.0x1/", "https://example.1/", "https://example.com./",
    "https://localhost/", "https://localhost./", "https://LOCALHOST/", "https://a.localhost/", "https://printer/",
    "https://metadata.google.internal/", "https://db.internal/", "https://nas.local/", "https://router.lan/",
    "https://x.home.arpa/", "https://１２７.0.0.1/", "https://①②⑦.0.0.1/", "https://example。com/", "https://ⅇxample.com/",
    "https://exam\u200bple.com/", "https://exam\u00adple.com/", "https://straße.example/", "https://[::1%25eth0]/", "https://[fe80::1%eth0]/",
    "https://[::1]evil.example/", "https://[127.0.0.1]/", "https://::1/", "https://[::1", "https://example.com:0/",
    "https://example.com:65536/", "https://example.com:８０/", "https://example.com:80:90/", "https://example.com:-1/",
    "https://-a.example/", "https://a..example.com/", "https://.example.com/", "https://" + "a" * 64 + ".example/",
    "https://" + "a." * 130 + "example/", "https://example.com/" + "a" * 5000, "https://example.com/\ud800",
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_what_two_readers_could_read_differently_is_refused(text: str) -> None:
    with pytest.raises(UnusableUrl):
        urls.parse(text)


@pytest.mark.parametrize("text", REFUSED)
def test_a_redirect_to_it_leads_nowhere_either_or_stays_where_it_was(text: str) -> None:
    target = urls.parse("https://example.com/start")
    try:
        followed = urls.follow(target, text.encode("utf-8", "surrogatepass").decode("latin-1"))
    except UnusableUrl:
        return
    assert followed.host == "example.com"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://example.com", "https://example.com/"),
        ("HTTPS://EXAMPLE.COM:443/A?b=c#d", "https://example.com/A?b=c"),
        ("http://example.com:80", "http://example.com/"),
        ("https://example.com:8443/", "https://example.com:8443/"),
        ("https://example.com?x=1", "https://example.com/?x=1"),
        ("https://example.com:/x", "https://example.com/x"),
        ("https://bücher.example/ü?q=ä", "https://xn--bcher-kva.example/%C3%BC?q=%C3%A4"),
        ("https://例え.テスト.com/", "https://xn--r8jz45g.xn--zckzah.com/"),
        ("https://93.184.216.34/", "https://93.184.216.34/"),
        ("https://[2606:4700:0:0::1111]/", "https://[2606:4700::1111]/"),
        ("https://example.com/%41%0d%0a?%00", "https://example.com/%41%0d%0a?%00"),
        ("https://example.com/a@b:c", "https://example.com/a@b:c"),
    ],
)
def test_a_usable_url_has_one_spelling(text: str, expected: str) -> None:
    target = urls.parse(text)
    assert target.url == expected
    assert urls.parse(target.url) == target


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("/b", "https://example.com/b"),
        ("b?c", "https://example.com/a/b?c"),
        ("//other.example/x", "https://other.example/x"),
        ("http://other.example/", "http://other.example/"),
        (" /padded\t", "https://example.com/padded"),
        ("/ü".encode().decode("latin-1"), "https://example.com/%C3%BC"),
        ("/%41", "https://example.com/%41"),
    ],
)
def test_a_redirect_is_read_from_where_it_was_given(location: str, expected: str) -> None:
    assert urls.follow(urls.parse("https://example.com/a/start"), location).url == expected


@given(st.text(max_size=40))
def test_no_text_becomes_a_url_with_a_host_that_the_standard_library_reads_otherwise(text: str) -> None:
    try:
        target = urls.parse(f"https://{text}")
    except UnusableUrl:
        return
    assert (urlsplit(target.url).hostname, urlsplit(target.url).username) == (target.host, None)
    assert target.url.isascii()


@given(st.lists(st.sampled_from(["0", "1", "7f", "0x", "127", "255", "0177", ".", "a", "-", "。", "１"]), max_size=8))
def test_a_host_that_any_reader_may_take_for_a_number_is_a_plain_address(parts: list[str]) -> None:
    name = hosts.canonical("".join(parts))
    if name is not None and name[-1].isdigit() and name.rpartition(".")[2].isdigit():
        assert addresses.parse(name) is not None


def test_localhost_passes_only_where_loopback_does() -> None:
    assert urls.parse("http://localhost:8010/x", loopback=True).url == "http://localhost:8010/x"
    with pytest.raises(UnusableUrl):
        urls.parse("http://localhost:8010/x")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://Wiki/Page%20One", ("https", "wiki", "/Page%20One")),
        ("HTTP://example.com:8080?x#y", ("http", "example.com", "")),
    ],
)
def test_an_identity_needs_no_public_host(text: str, expected: tuple[str, str, str]) -> None:
    assert urls.identity(text) == expected


@pytest.mark.parametrize("text", ["ftp://x/", "https://u:p@x/", "https://a b/", "x", "https://[/", "https://:80/"])
def test_an_identity_is_still_an_address(text: str) -> None:
    with pytest.raises(UnusableUrl):
        urls.identity(text)
