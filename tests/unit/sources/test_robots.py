"""What a robots.txt says, and whom it is asked from."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest

from knowhub.errors import SourceFailed
from knowhub.net.client import GuardedClient
from knowhub.net.policy import Policy
from knowhub.sources.robots import KEPT_SECONDS, RobotsTexts, parse
from knowhub.sources.url import UrlSource
from knowhub.sources.visits import Pace, Visits
from tests.integration.net.servers import PUBLIC, Names, Routes, Server, StepClock, answer, redirect, serving

SITE = "https://a.example"


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("User-agent: *\nDisallow: /a", "/a/b", False),
        ("User-agent: *\nDisallow: /a", "/b/a", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nAllow: /a\nDisallow: /a", "/a", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?z", True),
        ("User-agent: *\nDisallow: /*?print", "/x?print=1", False),
        ("User-agent: *\nDisallow:", "/x", True),
        ("User-agent: *\nDisallow: /", "/x", False),
        ("User-agent: KnowHub\nDisallow: /x\n\nUser-agent: *\nDisallow: /", "/y", True),
        ("User-agent: knowhub/1.0\nDisallow: /x", "/x", False),
        ("User-agent: other\nDisallow: /", "/x", True),
        ("User-agent: other\nUser-agent: *\nDisallow: /x", "/x", False),
        ("User-agent: knowhubbot\nDisallow: /", "/x", True),
        ("\ufeffuser-agent : *\r\ndisallow : /x # no\r\n", "/x", False),
        ("User-agent: *\nDisallow: /caf%C3%A9", "/caf%c3%a9", False),
        ("Disallow: /", "/x", True),
        ("<html><body>Not found</body></html>", "/x", True),
        ("", "/x", True),
    ],
)
def test_the_longest_rule_of_ones_own_group_decides(text: str, path: str, expected: bool) -> None:
    assert parse(text.encode()).permit(SITE + path) is expected


def test_a_delay_is_that_of_ones_own_group() -> None:
    text = b"User-agent: other\nCrawl-delay: 60\n\nUser-agent: knowhub\nCrawl-delay: 2.5\n"
    assert parse(text).delay == 2.5
    assert parse(b"User-agent: *\nCrawl-delay: never\n").delay == 0


@pytest.mark.parametrize("field", ["User-agent:", "useragent", "USER AGENT :", "user-agent", " User \t agent"])
def test_thousands_of_other_robots_are_one(field: str) -> None:
    # The parser keeps every rule once for each robot of its group: 16,000 times 28,000 here, were they not one.
    text = "".join(f"{field} robot{number}\n" for number in range(16_000)) + "Disallow: /\n" * 28_000
    rules = parse(text.encode())
    assert rules.parsed is not None
    assert len(rules.parsed._user_agents) <= 1
    assert rules.permit(f"{SITE}/x")


@pytest.mark.parametrize("rule", ["/" + "*a" * 200_000 + "b", "/*a*a*a*a*a*a*b$\nDisallow: " * 15_000 + "/x"])
def test_patterns_of_many_stars_are_no_trap(rule: str) -> None:
    assert parse(f"User-agent: *\nDisallow: {rule}".encode()).permit(f"{SITE}/{'a' * 4000}")


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"\0" * 1000, bytes(range(256)) * 100])
def test_what_is_no_text_allows_everything(data: bytes) -> None:
    assert parse(data).permit(f"{SITE}/x")


@contextmanager
def texts(pages: Mapping[str, bytes], clock: StepClock | None = None) -> Iterator[tuple[RobotsTexts, Server]]:
    with serving(lambda path: [pages.get(path, answer(status=404))]) as server:
        client = GuardedClient(Policy(http=True), Names({"a.example": [[PUBLIC]]}), Routes({PUBLIC: server.port}))
        yield RobotsTexts(client, clock or StepClock()), server


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451, 204, 304])
def test_a_site_without_one_allows_everything(status: int) -> None:
    with texts({"/robots.txt": answer(b"", status)}) as (robots, _):
        assert robots.rules("http://a.example/x").permit("http://a.example/x")


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 507])
def test_a_site_at_fault_says_nothing_and_is_asked_again(status: int) -> None:
    with texts({"/robots.txt": answer(b"", status)}) as (robots, server):
        for _ in range(2):
            with pytest.raises(SourceFailed) as caught:
                robots.rules("http://a.example/x")
            assert caught.value.detail["status"] == status
            assert caught.value.detail["transient"]
        assert len(server.requests) == 2


def test_it_is_fetched_over_redirects_and_with_too_many_allows_everything() -> None:
    page = answer(b"User-agent: *\nDisallow: /x\n")
    with texts({"/robots.txt": redirect("/r2"), "/r2": page}) as (robots, _):
        assert not robots.rules("http://a.example/x").permit("http://a.example/x")
    with texts({"/robots.txt": redirect("/robots.txt")}) as (robots, _):
        assert robots.rules("http://a.example/x").permit("http://a.example/x")


def test_it_is_asked_for_once_in_ten_minutes() -> None:
    clock = StepClock()
    with texts({"/robots.txt": answer(b"User-agent: *\nDisallow: /x\n")}, clock) as (robots, server):
        for path in ("/x", "/y", "/x?z"):
            robots.rules(f"http://a.example{path}")
        assert len(server.requests) == 1
        clock.time += KEPT_SECONDS
        robots.rules("http://A.example/x")
        assert len(server.requests) == 2


def test_where_a_redirect_leads_is_asked_for_too() -> None:
    pages = {
        "/a": redirect("/private/b"),
        "/private/b": answer(b"secret"),
        "/robots.txt": answer(b"User-agent: *\nDisallow: /private/\n"),
    }
    with serving(lambda path: [pages[path]]) as server:
        client = GuardedClient(Policy(http=True), Names({"a.example": [[PUBLIC]]}), Routes({PUBLIC: server.port}))
        visits = Visits(RobotsTexts(client), Pace())
        source = UrlSource(["http://a.example/a"], [], client, visits)
        with pytest.raises(SourceFailed) as caught:
            source.fetch(source.list().items[0])
        assert caught.value.detail == {"reason": "ROBOTS_DISALLOWED", "transient": False}
        assert [head.split(" ")[1] for head in server.requests] == ["/robots.txt", "/a"]
