"""Addresses that fail and may pass are asked again within the import, politely, and given up in the end."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from knowhub.gateways.queues import document_queue_gateway
from knowhub.net.client import GuardedClient
from knowhub.net.policy import Policy
from knowhub.services import import_runs
from knowhub.services.import_retries import MOST_TRIES
from knowhub.sources.opening import SourceOpener
from knowhub.sources.roots import Roots
from knowhub.sources.visits import Pace
from tests.hubs import Answer, HandClock, Rig, context
from tests.integration.net.servers import PUBLIC, Names, Routes, Server, answer, serving

BUSY = answer(b"", 503)


@dataclass
class Site:
    """A site whose pages answer in turn, the last answer for good; a page that is not there is a 404."""

    server: Server
    pages: dict[str, list[bytes]] = field(default_factory=dict)
    asked: list[tuple[str, float]] = field(default_factory=list)
    names: Names = field(default_factory=lambda: Names({"a.example": [[PUBLIC]]}))

    def times(self, path: str) -> list[float]:
        return [at for asked, at in self.asked if asked == path]


@dataclass
class Pausing:
    """The clock of the pace: pausing moves it, and the hub's with it."""

    clock: HandClock
    paused: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.clock.now()

    def pause(self, seconds: float) -> None:
        self.paused.append(seconds)
        self.clock.seconds += seconds


@contextmanager
def site(hub: Rig, *, gap: float = 0.0, slow: float = 0.0) -> Iterator[tuple[Rig, Site, Pausing]]:
    """Give a hub whose addresses lead to one site; `slow` is how many seconds each answer takes on the hub's clock."""

    def reply(path: str) -> list[bytes]:
        hub.clock.seconds += slow
        found.asked.append((path, hub.clock.seconds))
        turns = found.pages.get(path, [answer(b"", 404)])
        return [turns.pop(0) if len(turns) > 1 else turns[0]]

    with serving(reply) as server:
        found = Site(server)
        pausing = Pausing(hub.clock)
        client = GuardedClient(Policy(http=True), found.names, Routes({PUBLIC: server.port}))
        sources = SourceOpener(roots=Roots(), stores={}, client=client, pace=Pace(gap, pausing, pausing.pause))
        yield Rig(replace(hub.ports, sources=sources), hub.clock, hub.folder), found, pausing


def start(hub: Rig, key: str, kb: int, *paths: str, **body: Any) -> Answer:
    source = {"type": "url", "urls": [f"http://a.example{path}" for path in paths], **body.pop("source", {})}
    started = hub.http("POST", f"/kb/{kb}/imports", {"source": source, **body}, key=key)
    assert started.status == 202, started.body
    return started


def job(hub: Rig, key: str, started: Answer) -> Any:
    return hub.http("GET", f"/jobs/{started.json['job_id']}", key=key).json


def step(hub: Rig) -> None:
    """Do the work that is there now, and nothing that is delayed."""
    serve = document_queue_gateway(hub.workshop)
    while messages := hub.ports.queue.receive(limit=10, visibility_seconds=60):
        event = {"Records": [{"messageId": one.message_id, "body": one.body} for one in messages]}
        assert serve(event, context()) == {"batchItemFailures": []}
        hub.ports.queue.delete([one.receipt for one in messages])


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_page_that_fails_once_is_read_in_the_same_import(hub: Rig, alice: str, kb: int, status: int) -> None:
    with site(hub) as (web, found, _):
        found.pages = {"/a.md": [answer(b"", status), answer(b"walrus")], "/b.md": [answer(b"narwhal")]}
        started = start(web, alice, kb, "/a.md", "/b.md")
        step(web)
        going = job(web, alice, started)
        assert (going["state"], going["done"], going["failed"]) == ("running", 1, 0)
        web.drain()
        done = job(web, alice, started)
        assert (done["state"], done["total"], done["done"], done["failed"]) == ("completed", 2, 2, 0)


def test_a_host_that_can_not_be_reached_for_a_while_is_waited_for(hub: Rig, alice: str, kb: int) -> None:
    with site(hub) as (web, found, _):
        found.pages = {"/a.md": [answer(b"walrus")]}
        found.names.table = {}
        started = start(web, alice, kb, "/a.md")
        step(web)
        assert job(web, alice, started)["state"] == "running"
        found.names.table = {"a.example": [[PUBLIC]]}
        web.drain()
        assert job(web, alice, started)["done"] == 1


def test_what_fails_for_good_is_given_up_after_some_tries_and_says_so(hub: Rig, alice: str, kb: int) -> None:
    with site(hub) as (web, found, _):
        found.pages = {"/a.md": [BUSY], "/b.md": [answer(b"narwhal")]}
        started = start(web, alice, kb, "/a.md", "/b.md", name="docs")
        web.drain()
        done = job(web, alice, started)
        assert (done["state"], done["done"], done["failed"]) == ("completed", 1, 1)
        assert done["losses"] == [
            {
                "code": "STATUS",
                "where": "http://a.example/a.md",
                "detail": f"The address answered with status 503; given up after {MOST_TRIES} tries",
            }
        ]
        times = found.times("/a.md")
        assert len(times) == MOST_TRIES
        assert all(later - earlier >= 2.5 for earlier, later in itertools.pairwise(times))
        found.pages["/a.md"] = [answer(b"walrus")]
        again = web.http("POST", f"/kb/{kb}/sources/docs/reload", key=alice)
        web.drain()
        assert job(web, alice, again)["done"] == 2


@pytest.mark.parametrize("status", [404, 410, 403, 501])
def test_what_can_not_pass_is_lost_at_once(hub: Rig, alice: str, kb: int, status: int) -> None:
    with site(hub) as (web, found, _):
        found.pages = {"/a.md": [answer(b"", status)]}
        started = start(web, alice, kb, "/a.md")
        web.drain()
        assert job(web, alice, started)["state"] == "failed"
        assert len(found.times("/a.md")) == 1


@pytest.mark.parametrize(
    ("headers", "least"),
    [
        ({"Retry_After": "700"}, 700),
        ({"Retry_After": "Fri, 15 Jan 2027 08:11:40 GMT", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"}, 700),
        ({"Retry_After": "Fri, 15 Jan 2027 08:11:40 GMT"}, 690),
        ({"Retry_After": "0"}, 2.5),
        ({"Retry_After": "-700"}, 2.5),
        ({"Retry_After": "soon"}, 2.5),
        ({"Retry_After": "Fri, 15 Jan 1999 08:00:00 GMT"}, 2.5),
        ({}, 2.5),
    ],
)
def test_a_page_is_not_asked_again_before_its_server_wants_it(
    hub: Rig, alice: str, kb: int, headers: dict[str, str], least: float
) -> None:
    # The hub's clock begins at 2027-01-15T08:00:00Z.
    with site(hub) as (web, found, _):
        found.pages = {"/a.md": [answer(b"", 503, **headers), answer(b"walrus")]}
        started = start(web, alice, kb, "/a.md")
        web.drain()
        first, second = found.times("/a.md")
        assert least <= second - first <= least + 200
        assert job(web, alice, started)["state"] == "completed"


def test_a_wait_beyond_the_budget_is_a_loss_at_once_that_says_so(hub: Rig, alice: str, kb: int) -> None:
    with site(hub) as (web, found, _):
        found.pages = {"/a.md": [answer(b"", 429, Retry_After="86400")], "/b.md": [answer(b"narwhal")]}
        started = start(web, alice, kb, "/b.md", "/a.md")
        web.drain()
        done = job(web, alice, started)
        assert (done["done"], done["failed"], len(found.times("/a.md"))) == (1, 1, 1)
        assert "given up" in done["losses"][0]["detail"]


def test_a_host_that_wants_to_be_left_alone_is_asked_for_nothing_else_meanwhile(hub: Rig, alice: str, kb: int) -> None:
    with site(hub) as (web, found, _):
        found.pages = {
            "/1.md": [answer(b"one")],
            "/2.md": [answer(b"", 429, Retry_After="120"), answer(b"two")],
            "/3.md": [answer(b"three")],
            "/4.md": [answer(b"four")],
        }
        started = start(web, alice, kb, "/1.md", "/2.md", "/3.md", "/4.md")
        web.drain()
        assert job(web, alice, started)["done"] == 4
        refused = found.times("/2.md")[0]
        assert all(at - refused >= 119 for path in ("/3.md", "/4.md") for at in found.times(path))
        assert [len(found.times(f"/{number}.md")) for number in (1, 2, 3, 4)] == [1, 2, 1, 1]


@pytest.mark.parametrize("robots", [True, False])
def test_a_host_that_is_down_is_not_tried_for_every_address(hub: Rig, alice: str, kb: int, robots: bool) -> None:
    with site(hub) as (web, found, _):
        found.names.table = {"a.example": [["93.184.216.35"]]}
        paths = [f"/{number}.md" for number in range(60)]
        started = start(web, alice, kb, *paths, source={"respect_robots": robots})
        web.drain()
        failed = job(web, alice, started)
        assert (failed["state"], failed["total"], failed["failed"]) == ("failed", 60, 60)
        assert len(found.names.asked) <= 4 * MOST_TRIES


def test_what_a_slice_has_no_time_for_is_left_to_the_next(hub: Rig, alice: str, kb: int) -> None:
    with site(hub, slow=import_runs.SLICE_SECONDS / 2) as (web, found, _):
        paths = [f"/{number}.md" for number in range(9)]
        found.pages = {path: [answer(path.encode())] for path in paths}
        started = start(web, alice, kb, *paths)
        [message] = web.ports.queue.receive(limit=1, visibility_seconds=600)
        one = {"Records": [{"messageId": message.message_id, "body": message.body}]}
        document_queue_gateway(web.workshop)(one, context())
        assert len(found.asked) <= 3
        web.drain()
        done = job(web, alice, started)
        assert (done["state"], done["total"], done["done"]) == ("completed", 9, 9)
        assert sorted(path for path, _ in found.asked if path != "/robots.txt") == paths


def test_an_import_that_is_killed_between_tries_counts_each_loss_once(hub: Rig, alice: str, kb: int) -> None:
    with site(hub) as (web, found, _):
        found.pages = {"/a.md": [BUSY], "/b.md": [answer(b"narwhal")]}
        started = start(web, alice, kb, "/a.md", "/b.md")
        for _ in range(2 * MOST_TRIES):
            step(web)
            # The slice's message comes once more, as after a kill before it was settled.
            web.ports.queue.send([_again(started, kb)])
            web.clock.seconds += 301
        web.drain()
        done = job(web, alice, started)
        assert (done["state"], done["total"], done["done"], done["failed"]) == ("completed", 2, 1, 1)


def _again(started: Answer, kb: int) -> Any:
    from knowhub.services.work import Work

    return Work("import", kb, started.json["job_id"]).message()


def test_a_page_that_has_not_changed_is_not_read_again(hub: Rig, alice: str, kb: int) -> None:
    with site(hub) as (web, found, _):
        page = answer(b"walrus", ETag='"1"')
        found.pages = {"/a.md": [page, answer(b"", 304, ETag='"1"'), answer(b"walrus again", ETag='"2"')]}
        start(web, alice, kb, "/a.md", name="docs")
        web.drain()
        revisions = []
        for _ in range(2):
            started = web.http("POST", f"/kb/{kb}/sources/docs/reload", key=alice)
            web.drain()
            assert (job(web, alice, started)["state"], job(web, alice, started)["done"]) == ("completed", 1)
            row = web.http("GET", f"/kb/{kb}/sources/docs/documents", key=alice).json["items"][0]
            revisions.append(row["revision"])
        assert revisions == [1, 2]
        assert found.server.headers()["if-none-match"] == '"1"'


def test_what_robots_txt_disallows_is_a_loss_and_is_not_asked_for(hub: Rig, alice: str, kb: int) -> None:
    with site(hub) as (web, found, _):
        robots = answer(b"User-agent: *\nDisallow: /private/\nAllow: /private/open*.md$\n")
        found.pages = {path: [answer(b"walrus")] for path in ("/a.md", "/private/b.md", "/private/open1.md")}
        found.pages["/robots.txt"] = [robots]
        started = start(web, alice, kb, "/a.md", "/private/b.md", "/private/open1.md")
        web.drain()
        done = job(web, alice, started)
        assert (done["done"], done["failed"]) == (2, 1)
        assert [(loss["code"], loss["where"]) for loss in done["losses"]] == [
            ("ROBOTS_DISALLOWED", "http://a.example/private/b.md")
        ]
        assert found.times("/private/b.md") == []
        assert len(found.times("/robots.txt")) == 1


@pytest.mark.parametrize("kind", ["url", "auto"])
def test_robots_txt_is_not_asked_for_where_an_import_says_so(hub: Rig, alice: str, kb: int, kind: str) -> None:
    with site(hub) as (web, found, _):
        found.pages = {"/robots.txt": [answer(b"User-agent: *\nDisallow: /\n")], "/a.md": [answer(b"walrus")]}
        member = "urls" if kind == "url" else "inputs"
        source = {"type": kind, member: ["http://a.example/a.md"], "respect_robots": False}
        started = web.http("POST", f"/kb/{kb}/imports", {"source": source}, key=alice)
        web.drain()
        assert job(web, alice, started)["state"] == "completed"
        assert found.times("/robots.txt") == []


@pytest.mark.parametrize("source", [{"respect_robots": "no"}, {"respect_robots": 0}])
def test_respect_robots_is_true_or_false(hub: Rig, alice: str, kb: int, source: dict[str, Any]) -> None:
    body = {"source": {"type": "url", "urls": ["https://a.example/"], **source}}
    assert hub.http("POST", f"/kb/{kb}/imports", body, key=alice).status == 422


@pytest.mark.parametrize("turns", [[BUSY], [answer(b"", 429)], [b"HTTP/1.1 200 Said\r\nContent-Length: 5\r\n\r\nx"]])
def test_a_robots_txt_that_is_not_given_now_is_waited_for(hub: Rig, alice: str, kb: int, turns: list[bytes]) -> None:
    with site(hub) as (web, found, _):
        found.pages = {"/robots.txt": [*turns, answer(b"", 404)], "/a.md": [answer(b"walrus")]}
        started = start(web, alice, kb, "/a.md")
        step(web)
        assert found.times("/a.md") == []
        web.drain()
        assert job(web, alice, started)["state"] == "completed"


def test_without_its_robots_txt_nothing_of_a_site_is_read(hub: Rig, alice: str, kb: int) -> None:
    with site(hub) as (web, found, _):
        found.pages = {"/robots.txt": [BUSY], **{f"/{number}.md": [answer(b"x")] for number in range(30)}}
        started = start(web, alice, kb, *(f"/{number}.md" for number in range(30)))
        web.drain()
        failed = job(web, alice, started)
        assert (failed["state"], failed["failed"]) == ("failed", 30)
        assert {path for path, _ in found.asked} == {"/robots.txt"}
        assert len(found.asked) <= 2 * MOST_TRIES


def test_requests_to_one_host_are_spaced_by_short_pauses(hub: Rig, alice: str, kb: int) -> None:
    with site(hub, gap=0.5) as (web, found, pausing):
        paths = [f"/{number}.md" for number in range(5)]
        found.pages = {path: [answer(path.encode())] for path in paths}
        started = start(web, alice, kb, *paths)
        web.drain()
        assert job(web, alice, started)["done"] == 5
        times = [found.times(path)[0] for path in paths]
        assert all(later - earlier >= 0.5 for earlier, later in itertools.pairwise(times))
        assert pausing.paused
        assert max(pausing.paused) <= 0.5


def test_a_crawl_delay_is_kept_without_sleeping_through_it(hub: Rig, alice: str, kb: int) -> None:
    with site(hub) as (web, found, pausing):
        paths = [f"/{number}.md" for number in range(6)]
        found.pages = {path: [answer(path.encode())] for path in paths}
        found.pages["/robots.txt"] = [answer(b"User-agent: knowhub\nCrawl-delay: 20\n")]
        started = start(web, alice, kb, *paths)
        web.drain(200)
        done = job(web, alice, started)
        assert (done["state"], done["done"], pausing.paused) == ("completed", 6, [])
        times = sorted(found.times(path)[0] for path in paths)
        assert all(later - earlier >= 19 for earlier, later in itertools.pairwise(times))


def _counts(hub: Rig, key: str, started: Answer) -> tuple[int, int, int]:
    found = job(hub, key, started)
    return found["done"], found["total"], found["failed"]


def test_an_import_tells_how_far_it_is_while_it_lists(hub: Rig, alice: str, kb: int) -> None:
    with site(hub, slow=1.0) as (web, found, _):
        paths = [f"/{number}.md" for number in range(70)]
        found.pages = {path: [answer(path.encode())] for path in paths if not path.startswith("/1")}
        started = start(web, alice, kb, *paths)
        seen = _watched(web, lambda: _counts(web, alice, started))
        assert seen == sorted(seen)
        listing = [counts for counts in seen if counts[1] < 70]
        assert any(done > 0 for done, total, _ in listing if total)
        assert seen[-1] == (59, 70, 11)


def _watched(hub: Rig, look: Callable[[], tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Work message by message, so that documents are read while the import lists; look after each."""
    serve = document_queue_gateway(hub.workshop)
    seen = []
    for _ in range(2000):
        depth = hub.ports.queue.depth()
        if not (depth.visible or depth.delayed or depth.in_flight):
            return seen
        if not depth.visible:
            hub.clock.seconds += 5
        for one in hub.ports.queue.receive(limit=10, visibility_seconds=60):
            serve({"Records": [{"messageId": one.message_id, "body": one.body}]}, context())
            hub.ports.queue.delete([one.receipt])
            seen.append(look())
    raise AssertionError("the queue does not run empty")
