"""The client keeps its manners: it pages, waits as long as it is told to, repeats safely and says what went wrong."""

import itertools
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from knowhub_cli.client import ATTEMPTS, Hub
from knowhub_cli.events import Event
from knowhub_cli.failures import Refused, Unreachable
from knowhub_cli.jobs import Patience, wait_for
from knowhub_cli.profile import Connection
from tests.integration.cli.stub_hub import KEY, Answer, StubHub, answer, error, event_stream


@contextmanager
def client(hub: StubHub, key: str = KEY) -> Iterator[tuple[Hub, list[float]]]:
    waits: list[float] = []
    with closing(Hub(Connection(hub.url, key), waits.append)) as opened:
        yield opened, waits


def test_a_list_is_read_to_its_end(hub: StubHub) -> None:
    for name in "abcde":
        hub.add_kb(name)
    with client(hub) as (opened, _):
        assert [kb["name"] for kb in opened.pages("/kb")] == list("abcde")
    assert len(hub.asked("GET /kb")) == 3


def test_a_list_is_counted_with_one_request(hub: StubHub) -> None:
    for name in "abc":
        hub.add_kb(name)
    with client(hub) as (opened, _):
        assert opened.total("/kb", {}) == 3
    assert len(hub.asked("GET /kb")) == 1


@pytest.mark.parametrize(("status", "code"), [(429, "RATE_LIMITED"), (503, "SEARCH_UNAVAILABLE")])
def test_a_busy_hub_is_asked_again_after_the_time_it_names(hub: StubHub, status: int, code: str) -> None:
    hub.script("GET /me", error(status, code, "Later", Retry_After="7"), error(status, code, "Later", Retry_After="3"))
    with client(hub) as (opened, waits):
        assert opened.get("/me") == {"username": "ada"}
    assert waits == [7, 3]


def test_a_hub_that_stays_busy_is_given_up(hub: StubHub) -> None:
    hub.script("GET /me", *itertools.repeat(error(429, "RATE_LIMITED", "Later", Retry_After="1"), ATTEMPTS))
    with client(hub) as (opened, waits), pytest.raises(Refused, match="RATE_LIMITED: Later"):
        opened.get("/me")
    assert len(waits) == ATTEMPTS - 1


def test_nobody_waits_for_an_hour(hub: StubHub) -> None:
    hub.script("GET /me", error(429, "RATE_LIMITED", "Later", Retry_After="3600"))
    with client(hub) as (opened, waits), pytest.raises(Refused, match="RATE_LIMITED"):
        opened.get("/me")
    assert waits == []


def test_other_errors_are_not_repeated(hub: StubHub) -> None:
    hub.script("GET /me", error(500, "INTERNAL", "Something failed"))
    with client(hub) as (opened, waits), pytest.raises(Refused, match=r"INTERNAL: Something failed \(request req_1\)"):
        opened.get("/me")
    assert waits == []


def test_a_repeated_creation_carries_the_same_idempotency_key(hub: StubHub) -> None:
    hub.script("POST /kb", error(503, "UNAVAILABLE", "Later", Retry_After="0"))
    with client(hub) as (opened, _):
        opened.create("/kb", {"name": "a"})
        opened.create("/kb", {"name": "b"})
    refused, repeated, other = hub.idempotency_keys
    assert refused == repeated
    assert repeated != other


def test_a_wrong_key_is_refused(hub: StubHub) -> None:
    with client(hub, "kh_wrong") as (opened, _), pytest.raises(Refused, match="UNAUTHENTICATED: Sign in"):
        opened.get("/me")


def test_a_server_that_is_no_hub_is_said_to_be_none(hub: StubHub) -> None:
    hub.script("GET /me", Answer(200, (b"<html>welcome</html>",)), Answer(502, (b"<html>bad gateway</html>",)))
    with client(hub) as (opened, _):
        with pytest.raises(Refused, match="no JSON"):
            opened.get("/me")
        with pytest.raises(Refused, match="HTTP 502"):
            opened.get("/me")


def test_a_redirect_is_not_followed_with_the_key(hub: StubHub) -> None:
    hub.script("GET /me", answer(302, {}, Location="http://127.0.0.1:1/"))
    with client(hub) as (opened, _), pytest.raises(Refused, match="HTTP 302"):
        opened.get("/me")


def test_a_closed_port_is_unreachable() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        connection = Connection(f"http://127.0.0.1:{held.getsockname()[1]}", KEY)
        with closing(Hub(connection, lambda _: None)) as opened, pytest.raises(Unreachable, match="can't be reached"):
            opened.get("/me")


def test_a_proxy_of_the_environment_is_not_used_on_this_machine(hub: StubHub, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with client(hub) as (opened, _):
        assert opened.get("/me") == {"username": "ada"}


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 1000])
def test_a_stream_gives_its_events_however_it_is_cut(hub: StubHub, size: int) -> None:
    hub.script("POST /ask", event_stream(("delta", {"text": "知识 🜚"}), ("done", {}), size=size))
    with client(hub) as (opened, _):
        assert list(opened.stream("/ask", {})) == [Event("delta", '{"text": "知识 🜚"}'), Event("done", "{}")]


def test_a_stream_that_breaks_off_is_unreachable(hub: StubHub) -> None:
    hub.script("POST /ask", event_stream(("delta", {"text": "x"}), breaks_off=True))
    with client(hub) as (opened, _):
        stream = opened.stream("/ask", {})
        assert next(stream) == Event("delta", '{"text": "x"}')
        with pytest.raises(Unreachable):
            next(stream)


def test_an_error_in_place_of_a_stream_is_read(hub: StubHub) -> None:
    hub.script("POST /ask", error(503, "SEARCH_UNAVAILABLE", "Later", Retry_After="0"), error(403, "FORBIDDEN", "No"))
    with client(hub) as (opened, waits), pytest.raises(Refused, match="FORBIDDEN: No"):
        next(opened.stream("/ask", {}))
    assert waits == [0]


def test_an_answer_that_is_no_stream_is_refused(hub: StubHub) -> None:
    hub.script("POST /ask", answer(200, {}))
    with client(hub) as (opened, _), pytest.raises(Refused, match="no event stream"):
        next(opened.stream("/ask", {}))


def test_events_arrive_before_the_stream_ends(hub: StubHub) -> None:
    last_may_go = threading.Event()

    class Held(tuple[bytes, ...]):
        __slots__ = ()

        def __iter__(self) -> Iterator[bytes]:
            yield b"event: delta\ndata: {}\n\n"
            assert last_may_go.wait(30)
            yield b"event: done\ndata: {}\n\n"

    hub.script("POST /ask", Answer(200, Held(), {"Content-Type": "text/event-stream"}))
    with client(hub) as (opened, _):
        stream = opened.stream("/ask", {})
        assert next(stream).name == "delta"
        last_may_go.set()
        assert next(stream).name == "done"


def test_waiting_for_jobs_looks_less_and_less_often_and_gives_up_in_time(hub: StubHub) -> None:
    hub.stuck = True
    hub.jobs["job_1"] = {"job_id": "job_1", "looks": 0, "state": "completed"}
    passed: list[float] = []
    with client(hub) as (opened, _):
        patience = Patience(10, passed.append, lambda: sum(passed))
        (job,) = wait_for(opened, ["job_1"], patience)
    assert job["state"] == "running"
    assert passed == sorted(passed)
    assert 10 <= sum(passed) <= 12
