"""What the client never connects to, on the first hop and on every later one."""

import os
import ssl
import subprocess
import sys
from pathlib import Path

import pytest

from knowhub.errors import SourceFailed
from knowhub.net.client import GuardedClient
from knowhub.net.connecting import DirectConnector
from knowhub.net.headers import Validators
from knowhub.net.policy import Policy
from tests.integration.net.servers import PUBLIC, Names, Routes, answer, certificate, redirect, serving

OTHER = "1.1.1.1"
OPEN = Policy(http=True)
NAMES = {"a.example": [[PUBLIC]], "b.example": [[OTHER]]}


def outcome(client: GuardedClient, url: str) -> tuple[str, str, dict[str, object]]:
    """Give all that a caller can see of a failure."""
    with pytest.raises(SourceFailed) as caught:
        client.get(url)
    return caught.value.code, caught.value.message, caught.value.detail


def test_an_answer_comes_with_its_status_headers_and_body() -> None:
    with serving(lambda _: [answer(b"hello", 203, ETag='"1"', Set_Cookie="a=b")]) as server:
        names, routes = Names(NAMES), Routes({PUBLIC: server.port})
        fetched = GuardedClient(OPEN, names, routes).get("http://a.example/x?y=1", {"X-Key": "k"})
    assert (fetched.status, fetched.body, fetched.final_url, fetched.hops) == (
        203, b"hello", "http://a.example/x?y=1", (),
    )  # fmt: skip
    assert fetched.headers == {"content-length": "5", "etag": '"1"'}
    assert (names.asked, routes.made) == (["a.example"], [(PUBLIC, 80, None)])
    assert server.requests[0].startswith("GET /x?y=1 HTTP/1.1\r\nhost: a.example\r\n")
    assert server.headers() == {
        "host": "a.example", "accept": "*/*", "user-agent": "knowhub", "x-key": "k",
        "accept-encoding": "gzip, deflate", "connection": "close",
    }  # fmt: skip


@pytest.mark.parametrize(
    "addresses",
    [
        ["10.0.0.1"], ["169.254.169.254"], ["127.0.0.1"], ["::1"], ["::ffff:93.184.216.34"], ["64:ff9b::5db8:d822"],
        [PUBLIC, "10.0.0.1"], ["fe80::1%eth0"], ["not an address"], [],
    ],
)  # fmt: skip
def test_a_name_with_any_address_inside_is_not_connected_to(addresses: list[str]) -> None:
    routes = Routes({})
    client = GuardedClient(OPEN, Names({"a.example": [addresses]}), routes)
    assert outcome(client, "https://a.example/")[2]["reason"] == "UNREACHABLE"
    assert routes.made == []


def test_everything_that_gives_nothing_looks_the_same() -> None:
    table = {"inside.example": [["10.0.0.1"]], "closed.example": [[PUBLIC]], "mixed.example": [[PUBLIC, "::1"]]}
    client = GuardedClient(OPEN, Names(table), Routes({}))
    urls = [
        "https://inside.example/", "https://closed.example/", "https://mixed.example/", "https://unknown.example/",
        "https://10.0.0.1/", "https://169.254.169.254/latest/meta-data/", "https://[::1]/", "https://localhost/",
        "https://2130706433/", "https://127.1/", "https://user@closed.example/", "https://closed.example:22/",
        "https://metadata.google.internal/", "ftp://closed.example/", "no url",
    ]  # fmt: skip
    assert {repr(outcome(client, url)) for url in urls} == {
        repr(
            (
                "SOURCE_FAILED",
                "The address can't be reached from here",
                {"reason": "UNREACHABLE", "transient": True},
            )
        )
    }


def test_plain_http_is_not_spoken_by_default() -> None:
    routes = Routes({})
    outcome(GuardedClient(Policy(), Names(NAMES), routes), "http://a.example/")
    assert routes.made == []


def test_a_name_that_changes_its_address_is_looked_up_once_and_used_as_checked() -> None:
    """The first answer is public, every later one inside: a client that asks twice connects to the second."""
    with serving(lambda _: [answer(b"ok")]) as server:
        names = Names({"a.example": [[PUBLIC], ["127.0.0.1"]]})
        routes = Routes({PUBLIC: server.port})
        client = GuardedClient(OPEN, names, routes)
        assert client.get("http://a.example/").body == b"ok"
        assert outcome(client, "http://a.example/")[2]["reason"] == "UNREACHABLE"
    assert routes.made == [(PUBLIC, 80, None)]
    assert names.asked == ["a.example"] * 2


def test_a_name_that_changes_its_address_between_hops_is_refused_there() -> None:
    with serving(lambda _: [redirect("/again")]) as server:
        routes = Routes({PUBLIC: server.port})
        client = GuardedClient(OPEN, Names({"a.example": [[PUBLIC], ["127.0.0.1"]]}), routes)
        outcome(client, "http://a.example/")
    assert len(routes.made) == 1


def test_the_next_address_is_tried_when_one_is_closed() -> None:
    with serving(lambda _: [answer(b"ok")]) as server:
        routes = Routes({OTHER: server.port})
        names = Names({"a.example": [[PUBLIC, OTHER]]})
        assert GuardedClient(OPEN, names, routes).get("http://a.example/").body == b"ok"
    assert [address for address, _, _ in routes.made] == [PUBLIC, OTHER]


@pytest.mark.parametrize(
    "location",
    [
        "http://10.0.0.1/", "http://127.0.0.1:8010/", "http://[::1]/", "http://169.254.169.254/", "//localhost/",
        "http://2130706433/", "http://0x7f.1/", "http://a.example:22/", "http://x@b.example/", "file:///etc/passwd",
        "gopher://b.example/", "http://inside.example/", "http://b.example\\@a.example/", "http://[",
    ],
)  # fmt: skip
def test_a_redirect_to_where_nobody_may_go_is_not_followed(location: str) -> None:
    with serving(lambda _: [redirect(location)]) as server:
        routes = Routes({PUBLIC: server.port})
        names = Names({**NAMES, "inside.example": [["192.168.0.1"]]})
        found = outcome(GuardedClient(OPEN, names, routes), "http://a.example/")
    assert found[2] == {"reason": "UNREACHABLE", "transient": True}
    assert len(routes.made) == 1


def test_a_redirect_from_https_to_http_is_not_followed() -> None:
    with serving(lambda _: [redirect("http://a.example/")]) as server:
        routes = Routes({PUBLIC: server.port})
        found = outcome(GuardedClient(OPEN, Names(NAMES), routes), "https://a.example/")
    assert found[2]["reason"] == "UNREACHABLE"
    assert routes.made == [(PUBLIC, 443, "a.example")]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_five_redirects_are_followed_and_named(status: int) -> None:
    def reply(path: str) -> list[bytes]:
        number = int(path.removeprefix("/"))
        return [redirect(f"/{number + 1}", status) if number < 5 else answer(b"there")]

    with serving(reply) as server:
        fetched = GuardedClient(OPEN, Names(NAMES), Routes({PUBLIC: server.port})).get("http://a.example/0")
    assert (fetched.body, fetched.final_url) == (b"there", "http://a.example/5")
    assert fetched.hops == tuple(f"http://a.example/{number}" for number in range(5))


def test_a_sixth_redirect_is_not_followed() -> None:
    with serving(lambda _: [redirect("/")]) as server:
        client = GuardedClient(OPEN, Names(NAMES), Routes({PUBLIC: server.port}))
        assert outcome(client, "http://a.example/")[2]["reason"] == "TOO_MANY_REDIRECTS"
    assert len(server.requests) == 6


@pytest.mark.parametrize("headers", [{}, {"Location": "/x"}])
def test_what_is_no_redirect_is_an_answer(headers: dict[str, str]) -> None:
    status = 201 if headers else 302
    with serving(lambda _: [answer(status=status, **headers)]) as server:
        fetched = GuardedClient(OPEN, Names(NAMES), Routes({PUBLIC: server.port})).get("http://a.example/")
    assert fetched.status == status


def test_credentials_stay_with_their_origin_and_do_not_come_back() -> None:
    leads = {"/start": "/same", "/same": "http://b.example/away", "/away": "http://a.example/home"}
    with serving(lambda path: [redirect(leads[path]) if path in leads else answer(b"ok")]) as server:
        client = GuardedClient(OPEN, Names(NAMES), Routes({PUBLIC: server.port, OTHER: server.port}))
        secret = {"Authorization": "Bearer s", "X-Api-Key": "s"}
        client.get("http://a.example/start", secret, Validators(etag='"1"'))
    kept = [("authorization" in server.headers(n), "x-api-key" in server.headers(n)) for n in range(4)]
    assert kept == [(True, True), (True, True), (False, False), (False, False)]
    assert {server.headers(n)["if-none-match"] for n in range(4)} == {'"1"'}
    assert [server.headers(n)["host"] for n in range(4)] == ["a.example", "a.example", "b.example", "a.example"]


def test_a_cookie_of_one_hop_is_not_sent_on_the_next() -> None:
    def reply(path: str) -> list[bytes]:
        return [answer(status=302, Location="/b", Set_Cookie="session=1") if path == "/a" else answer()]

    with serving(reply) as server:
        GuardedClient(OPEN, Names(NAMES), Routes({PUBLIC: server.port})).get("http://a.example/a")
    assert [("cookie" in server.headers(n)) for n in range(2)] == [False, False]


def test_the_certificate_must_be_of_the_name_although_the_address_is_used(tmp_path: Path) -> None:
    ours, theirs = certificate(tmp_path, "a.example")
    with serving(lambda _: [answer(b"secret")], ours) as server:
        client = GuardedClient(
            Policy(loopback=True),
            Names({"a.example": [["127.0.0.1"]], "b.example": [["127.0.0.1"]]}),
            DirectConnector(theirs),
        )
        assert client.get(f"https://a.example:{server.port}/").body == b"secret"
        assert outcome(client, f"https://b.example:{server.port}/")[2]["reason"] == "UNREACHABLE"
        untrusting = GuardedClient(Policy(loopback=True), Names({"a.example": [["127.0.0.1"]]}))
        assert outcome(untrusting, f"https://a.example:{server.port}/")[2]["reason"] == "UNREACHABLE"
    assert server.names[:2] == ["a.example", "b.example"]
    assert len(server.requests) == 1
    assert server.headers()["host"] == f"a.example:{server.port}"


def test_an_old_protocol_version_is_not_spoken() -> None:
    assert DirectConnector()._context.minimum_version == ssl.TLSVersion.TLSv1_2
    assert DirectConnector()._context.verify_mode == ssl.CERT_REQUIRED


def test_loopback_is_reached_with_the_local_policy_only() -> None:
    with serving(lambda _: [answer(b"mine")]) as server:
        url = f"http://127.0.0.1:{server.port}/"
        assert GuardedClient(Policy.local(), Names({})).get(url).body == b"mine"
        outcome(GuardedClient(OPEN, Names({})), url)
        every_port = Policy(http=True, ports=frozenset(range(65536)))
        outcome(GuardedClient(every_port, Names({})), url)
    assert len(server.requests) == 1


def test_proxies_of_the_environment_are_not_used() -> None:
    """A proxy would see the request; here it is the environment's word against the client's."""
    script = (
        "import sys; from knowhub.net.client import GuardedClient; from knowhub.net.policy import Policy\n"
        "from knowhub.net.resolving import SystemResolver\n"
        "print(GuardedClient(Policy.local(), SystemResolver()).get(sys.argv[1]).body.decode())"
    )
    with serving(lambda _: [answer(b"direct")]) as server, serving(lambda _: [answer(b"proxied")]) as proxy:
        address = f"http://127.0.0.1:{proxy.port}"
        environment = {
            "PYTHONPATH": os.pathsep.join(sys.path),
            **dict.fromkeys(("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"), address),
        }
        command = [sys.executable, "-c", script, f"http://127.0.0.1:{server.port}/"]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "direct"
    assert proxy.requests == []
