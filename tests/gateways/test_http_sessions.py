"""Sessions over HTTP: what is kept, for whom, how long, and what follows up on it."""

import json
from dataclasses import replace
from typing import Any

import pytest

from knowhub.bootstrap import hub_of
from knowhub.catalog.keys import sessions, turns
from knowhub.errors import Unavailable
from knowhub.ports.generator import Generator, Prompt
from knowhub.ports.table import Query
from tests.hubs import PUBLIC_URL, Answer, Rig
from tests.scripted_generator import Scripted

DAY = 24 * 3600
TEXTS = {
    "Walrus": "The walrus sleeps on ice. The walrus eats clams. The walrus weighs 1.2 tons.",
    "Narwhal": "The narwhal has one tusk. The narwhal eats squid. The narwhal weighs 900 kilograms.",
    "海象": "海象在冰上睡觉。海象吃蛤蜊。海象的体重可达一吨。",
}


@pytest.fixture
def filled(hub: Rig, alice: str, kb: int) -> int:
    for title, text in TEXTS.items():
        hub.http("POST", f"/kb/{kb}/documents", {"title": title, "text": text, "external_id": title}, key=alice)
    hub.drain()
    return kb


@pytest.fixture
def session(hub: Rig, alice: str) -> str:
    return began(hub, alice)


def began(hub: Rig, key: str, **body: Any) -> str:
    answer = hub.http("POST", "/sessions", body, key=key)
    assert answer.status == 201
    return str(answer.json["session_id"])


def asked(hub: Rig, key: str, kb: int, question: str, **body: Any) -> Answer:
    return hub.http("POST", f"/kb/{kb}/ask", {"question": question, **body}, key=key, streaming=True)


def done_of(answer: Answer) -> Any:
    name, data = answer.events[-1]
    assert name == "done"
    return data


def messages(hub: Rig, key: str, session: str) -> list[Any]:
    return list(hub.http("GET", f"/sessions/{session}", key=key).json["messages"])


def with_generator(hub: Rig, generator: Generator) -> None:
    hub.ports = replace(hub.ports, generator=generator)
    hub.hub = hub_of(hub.ports, PUBLIC_URL)


def doc_id(hub: Rig, key: str, kb: int, title: str) -> str:
    items = hub.http("GET", f"/kb/{kb}/documents", key=key).json["items"]
    return str(next(item["doc_id"] for item in items if item["title"] == title))


class TestKeeping:
    def test_a_turn_has_what_was_asked_and_answered_and_names_what_it_cites(
        self, hub: Rig, alice: str, filled: int, session: str
    ) -> None:
        answer = asked(hub, alice, filled, "What does the walrus eat?", session_id=session)
        assert answer.events[0][1]["session_id"] == session
        done = done_of(answer)
        (message,) = messages(hub, alice, session)
        assert set(message) == {
            "message_id", "question", "answer", "withheld", "citations", "sources", "extractive", "finish_reason",
            "created_at", "feedback",
        }  # fmt: skip
        assert (message["message_id"], message["answer"]) == (done["message_id"], done["answer"])
        assert (message["question"], message["withheld"]) == ("What does the walrus eat?", False)
        assert message["citations"] == done["citations"]
        assert {source["title"] for source in message["sources"]} >= {"Walrus"}
        assert all("text" not in source for source in message["sources"])

    def test_without_a_session_nothing_is_kept(self, hub: Rig, alice: str, filled: int, session: str) -> None:
        answer = asked(hub, alice, filled, "What does the walrus eat?")
        assert answer.events[0][1]["session_id"] is None
        assert "message_id" not in done_of(answer)
        assert messages(hub, alice, session) == []

    def test_the_last_ten_turns_are_kept(self, hub: Rig, alice: str, filled: int, session: str) -> None:
        for number in range(13):
            asked(hub, alice, filled, f"What does walrus number {number} eat?", session_id=session)
        found = [message["question"] for message in messages(hub, alice, session)]
        assert found == [f"What does walrus number {number} eat?" for number in range(3, 13)]
        assert hub.http("GET", f"/sessions/{session}", key=alice).json["turn_count"] == 10

    def test_a_turn_is_kept_for_thirty_days_and_a_session_as_long_after_its_last_one(
        self, hub: Rig, alice: str, filled: int, session: str
    ) -> None:
        asked(hub, alice, filled, "What does the walrus eat?", session_id=session)
        hub.clock.seconds += 20 * DAY
        asked(hub, alice, filled, "What does the narwhal eat?", session_id=session)
        hub.clock.seconds += 11 * DAY
        assert [one["question"] for one in messages(hub, alice, session)] == ["What does the narwhal eat?"]
        hub.clock.seconds += 20 * DAY
        assert hub.http("GET", f"/sessions/{session}", key=alice).code == "SESSION_NOT_FOUND"
        assert hub.http("GET", "/sessions", key=alice).json["items"] == []
        assert asked(hub, alice, filled, "And?", session_id=session).code == "SESSION_NOT_FOUND"

    def test_a_session_without_a_title_gets_that_of_its_first_question(
        self, hub: Rig, alice: str, filled: int, session: str
    ) -> None:
        asked(hub, alice, filled, "What does the walrus eat?", session_id=session)
        asked(hub, alice, filled, "What does the narwhal eat?", session_id=session)
        assert hub.http("GET", f"/sessions/{session}", key=alice).json["title"] == "What does the walrus eat?"
        assert hub.http("GET", f"/sessions/{began(hub, alice, title='Mine')}", key=alice).json["title"] == "Mine"

    def test_an_answer_that_can_not_be_kept_is_given_all_the_same(
        self, hub: Rig, alice: str, filled: int, session: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object) -> bool:
            raise Unavailable("away")

        monkeypatch.setattr(hub.hub.sessions, "keep", fail)
        done = done_of(asked(hub, alice, filled, "What does the walrus eat?", session_id=session))
        assert done["finish_reason"] == "stop"
        assert "message_id" not in done


class TestPrincipals:
    @pytest.mark.parametrize("method", ["GET", "DELETE"])
    def test_somebody_elses_session_is_as_absent_as_one_that_never_was(
        self, hub: Rig, alice: str, bob: str, session: str, method: str
    ) -> None:
        other = hub.http(method, f"/sessions/{session}", key=bob)
        absent = hub.http(method, f"/sessions/{'ses_' + 'z' * 26}", key=bob)
        assert (other.status, absent.status) == (404, 404)
        assert shape(other, session) == shape(absent, "ses_" + "z" * 26)
        assert hub.http("GET", f"/sessions/{session}", key=alice).status == 200

    def test_nor_can_it_be_asked_or_rated(self, hub: Rig, alice: str, bob: str, filled: int, session: str) -> None:
        own = hub.http("POST", "/kb", {"name": "Own"}, key=bob).json["kb_id"]
        assert asked(hub, bob, own, "And?", session_id=session).code == "SESSION_NOT_FOUND"
        done = done_of(asked(hub, alice, filled, "What does the walrus eat?", session_id=session))
        path = f"/sessions/{session}/messages/{done['message_id']}/feedback"
        assert hub.http("POST", path, {"rating": "up"}, key=bob).code == "SESSION_NOT_FOUND"

    def test_another_key_of_the_user_sees_it_and_one_that_reaches_some_kbs_only_does_not(
        self, hub: Rig, filled: int
    ) -> None:
        wide = hub.user("carol")
        session = began(hub, wide)
        user_id = hub.hub.identity.authenticate(f"Bearer {wide}").user_id
        other = hub.hub.identity.issue_key(user_id, "other").secret
        narrow = hub.hub.identity.issue_key(user_id, "narrow", kb_ids=frozenset({filled})).secret
        assert hub.http("GET", f"/sessions/{session}", key=other).status == 200
        assert hub.http("GET", f"/sessions/{session}", key=narrow).status == 404
        assert hub.http("GET", f"/sessions/{began(hub, narrow)}", key=narrow).status == 200

    @pytest.mark.parametrize("session_id", ["x", "ses_" + "9" * 60, "%00", "a/b", "."])
    def test_an_id_in_no_known_form_is_an_absent_one(self, hub: Rig, alice: str, session_id: str) -> None:
        assert hub.http("GET", f"/sessions/{session_id}", key=alice).status == 404


def shape(answer: Answer, session_id: str) -> str:
    error = answer.json["error"]
    return str({**error, "request_id": "", "detail": str(error["detail"]).replace(session_id, "ID")})


class TestGone:
    def test_an_answer_whose_source_is_deleted_is_withheld(
        self, hub: Rig, alice: str, filled: int, session: str
    ) -> None:
        asked(hub, alice, filled, "What does the walrus eat?", session_id=session)
        asked(hub, alice, filled, "海象吃什么？", session_id=session)
        hub.http("DELETE", f"/documents/{doc_id(hub, alice, filled, 'Walrus')}", key=alice)
        first, second = messages(hub, alice, session)
        assert (first["withheld"], first["answer"], first["citations"], first["sources"]) == (True, None, [], [])
        assert not second["withheld"]
        assert "clams" not in hub.http("GET", f"/sessions/{session}", key=alice).body.decode()

    def test_so_is_one_whose_source_says_something_else_now(
        self, hub: Rig, alice: str, filled: int, session: str
    ) -> None:
        asked(hub, alice, filled, "What does the walrus eat?", session_id=session)
        body = {"title": "Walrus", "text": "The walrus eats snails.", "external_id": "Walrus"}
        hub.http("POST", f"/kb/{filled}/documents", body, key=alice)
        hub.drain()
        assert [one["withheld"] for one in messages(hub, alice, session)] == [True]

    def test_so_is_one_from_a_kb_that_can_not_be_read_now(self, hub: Rig, alice: str, bob: str, filled: int) -> None:
        bob_id = hub.hub.identity.authenticate(f"Bearer {bob}").user_id
        hub.http("PUT", f"/kb/{filled}/members/{bob_id}", {"role": "viewer"}, key=alice)
        session = began(hub, bob)
        asked(hub, bob, filled, "What does the walrus eat?", session_id=session)
        assert [one["withheld"] for one in messages(hub, bob, session)] == [False]
        hub.http("DELETE", f"/kb/{filled}/members/{bob_id}", key=alice)
        (message,) = messages(hub, bob, session)
        assert (message["withheld"], message["answer"], message["sources"]) == (True, None, [])

    def test_an_answer_that_cites_nothing_stays(self, hub: Rig, alice: str, filled: int, session: str) -> None:
        asked(hub, alice, filled, "Who built the zeppelin?", session_id=session)
        hub.http("DELETE", f"/kb/{filled}", key=alice)
        (message,) = messages(hub, alice, session)
        assert (message["withheld"], message["finish_reason"]) == (False, "no_evidence")

    def test_a_generated_answer_rests_on_every_source_that_the_model_read(
        self, hub: Rig, alice: str, filled: int, session: str
    ) -> None:
        with_generator(hub, Scripted("The walrus eats clams [1]."))
        done = done_of(asked(hub, alice, filled, "What does the walrus or the narwhal eat?", session_id=session))
        assert (done["extractive"], [one["n"] for one in done["citations"]]) == (False, [1])
        hub.http("DELETE", f"/documents/{doc_id(hub, alice, filled, 'Narwhal')}", key=alice)
        assert [one["withheld"] for one in messages(hub, alice, session)] == [True]

    def test_deleting_a_session_removes_every_row_of_it_at_once(
        self, hub: Rig, alice: str, filled: int, session: str
    ) -> None:
        asked(hub, alice, filled, "What does the walrus eat?", session_id=session)
        assert hub.http("DELETE", f"/sessions/{session}", key=alice).status == 204
        assert hub.http("GET", f"/sessions/{session}", key=alice).code == "SESSION_NOT_FOUND"
        user_id = hub.hub.identity.authenticate(f"Bearer {alice}").user_id
        for partition in (sessions(user_id), turns(user_id, session)):
            assert hub.ports.table.query(Query(partition)).items == ()


class TestFollowUps:
    @pytest.mark.parametrize(
        ("first", "then", "expected"),
        [
            ("What does the walrus eat?", "How much does it weigh?", "The walrus weighs 1.2 tons."),
            ("What does the narwhal eat?", "How much does it weigh?", "The narwhal weighs 900 kilograms."),
            ("海象吃什么？", "它的体重是多少？", "海象的体重可达一吨。"),
            ("海象吃什么？", "那体重呢？", "海象的体重可达一吨。"),
        ],
    )
    def test_a_question_that_follows_up_is_looked_for_with_what_it_leaves_out(
        self, hub: Rig, alice: str, filled: int, session: str, first: str, then: str, expected: str
    ) -> None:
        asked(hub, alice, filled, first, session_id=session)
        done = done_of(asked(hub, alice, filled, then, session_id=session))
        assert done["answer"].startswith(expected)
        assert [one["question"] for one in messages(hub, alice, session)] == [first, then]

    def test_a_question_of_its_own_is_left_alone(self, hub: Rig, alice: str, filled: int, session: str) -> None:
        alone = done_of(asked(hub, alice, filled, "What does the narwhal have on its head?"))
        asked(hub, alice, filled, "Who sleeps on the ice all day long?", session_id=session)
        question = "How many kilograms can a narwhal weigh in summer?"
        within = done_of(asked(hub, alice, filled, question, session_id=session))
        assert alone["finish_reason"] == "stop"
        assert "walrus" not in within["answer"]

    def test_a_session_goes_on_in_another_kb_and_widens_nothing(
        self, hub: Rig, alice: str, filled: int, session: str
    ) -> None:
        other = hub.http("POST", "/kb", {"name": "Other"}, key=alice).json["kb_id"]
        asked(hub, alice, filled, "What does the walrus eat?", session_id=session)
        answer = asked(hub, alice, other, "How much does it weigh?", session_id=session)
        assert answer.events[0][1]["sources"] == []
        assert done_of(answer)["finish_reason"] == "no_evidence"

    def test_a_model_writes_the_question_anew_and_the_rule_does_where_it_fails(
        self, hub: Rig, alice: str, filled: int, session: str
    ) -> None:
        def write(prompt: Prompt) -> str:
            if "anew" in prompt.system:
                return "How much does the narwhal weigh?"
            return "The narwhal weighs 900 kilograms [1]."

        generator = Scripted(write)
        with_generator(hub, generator)
        asked(hub, alice, filled, "What does the walrus eat?", session_id=session)
        done = done_of(asked(hub, alice, filled, "And the other one?", session_id=session))
        assert done["answer"] == "The narwhal weighs 900 kilograms [1]."
        assert len(generator.told) == 3
        assert "clams" not in generator.told[1].text
        with_generator(hub, Scripted(failure=Unavailable("away")))
        done = done_of(asked(hub, alice, filled, "How much does it weigh?", session_id=began_with(hub, alice, filled)))
        assert done["answer"].startswith("The walrus weighs 1.2 tons.")
        assert done["extractive"]


def began_with(hub: Rig, key: str, kb: int) -> str:
    session = began(hub, key)
    asked(hub, key, kb, "What does the walrus eat?", session_id=session)
    return session


class TestLists:
    def test_they_are_pages_of_ones_own_sessions_the_latest_first(self, hub: Rig, alice: str, bob: str) -> None:
        made = [began(hub, alice, title=f"number {number}") for number in range(5)]
        began(hub, bob)
        page = hub.http("GET", "/sessions", key=alice, query={"page_size": 2}).json
        assert set(page) == {"items", "total", "page", "page_size", "next_cursor"}
        assert set(page["items"][0]) == {
            "session_id", "title", "turn_count", "created_at", "updated_at", "expires_at"
        }  # fmt: skip
        seen = [one["session_id"] for one in page["items"]]
        assert page["total"] == 5
        while page["next_cursor"]:
            query = {"page_size": 2, "cursor": page["next_cursor"]}
            page = hub.http("GET", "/sessions", key=alice, query=query).json
            seen += [one["session_id"] for one in page["items"]]
        assert seen == made[::-1]
        second = hub.http("GET", "/sessions", key=alice, query={"page": 2, "page_size": 2}).json["items"]
        assert [one["session_id"] for one in second] == made[::-1][2:4]

    @pytest.mark.parametrize("query", [{"page": 0}, {"page_size": 0}, {"page_size": 201}, {"cursor": "x"}])
    def test_what_is_no_page_is_a_422(self, hub: Rig, alice: str, query: dict[str, Any]) -> None:
        assert hub.http("GET", "/sessions", key=alice, query=query).status == 422


class TestFeedback:
    def test_one_opinion_an_answer_is_kept_the_last_one(self, hub: Rig, alice: str, filled: int, session: str) -> None:
        done = done_of(asked(hub, alice, filled, "What does the walrus eat?", session_id=session))
        path = f"/sessions/{session}/messages/{done['message_id']}/feedback"
        first = hub.http("POST", path, {"rating": "down", "comment": " too short "}, key=alice)
        assert (first.status, first.json["rating"], first.json["comment"]) == (200, "down", "too short")
        hub.http("POST", path, {"rating": "up"}, key=alice)
        (message,) = messages(hub, alice, session)
        assert (message["feedback"]["rating"], message["feedback"]["comment"]) == ("up", None)

    @pytest.mark.parametrize(
        "body", [{}, {"rating": "good"}, {"rating": "up", "comment": "x" * 2001}, {"rating": "up", "more": 1}]
    )
    def test_what_is_no_opinion_is_a_422(self, hub: Rig, alice: str, session: str, body: dict[str, Any]) -> None:
        path = f"/sessions/{session}/messages/msg_1/feedback"
        assert hub.http("POST", path, body, key=alice).code == "INVALID_REQUEST"

    def test_a_message_that_is_not_there_can_not_be_rated(self, hub: Rig, alice: str, session: str) -> None:
        path = f"/sessions/{session}/messages/msg_1/feedback"
        assert hub.http("POST", path, {"rating": "up"}, key=alice).code == "MESSAGE_NOT_FOUND"


class TestRequests:
    @pytest.mark.parametrize("body", [{"title": "x" * 201}, {"title": 1}, {"kb_ids": [1]}, {"title": "a\nb"}])
    def test_a_session_that_does_not_fit_is_a_422(self, hub: Rig, alice: str, body: dict[str, Any]) -> None:
        assert hub.http("POST", "/sessions", body, key=alice).code == "INVALID_REQUEST"

    def test_a_session_is_begun_once_a_key(self, hub: Rig, alice: str) -> None:
        headers = {"Idempotency-Key": "k1"}
        first = hub.http("POST", "/sessions", {"title": "a"}, key=alice, headers=headers)
        again = hub.http("POST", "/sessions", {"title": "a"}, key=alice, headers=headers)
        assert first.json["session_id"] == again.json["session_id"]
        other = hub.http("POST", "/sessions", {"title": "b"}, key=alice, headers=headers)
        assert other.code == "CONFLICT"

    def test_each_act_leaves_one_audit_event_and_none_quotes_what_was_said(
        self, hub: Rig, alice: str, filled: int
    ) -> None:
        before = len(hub.audit_events())
        session = began(hub, alice)
        done = done_of(asked(hub, alice, filled, "What does the walrus eat?", session_id=session))
        path = f"/sessions/{session}/messages/{done['message_id']}/feedback"
        hub.http("POST", path, {"rating": "up", "comment": "canary"}, key=alice)
        hub.http("DELETE", f"/sessions/{session}", key=alice)
        events = hub.audit_events()[before:]
        assert [event["action"] for event in events] == ["session_create", "ask", "message_feedback", "session_delete"]
        assert "walrus" not in str(events)
        assert "canary" not in str(events)

    def test_mcp_follows_up_too(self, hub: Rig, alice: str, filled: int, session: str) -> None:
        questions = ("What does the walrus eat?", "How much does it weigh?")
        found = [mcp_ask(hub, alice, filled, question, session) for question in questions]
        assert [one["session_id"] for one in found] == [session, session]
        assert found[1]["answer"].startswith("The walrus weighs 1.2 tons.")
        assert len(messages(hub, alice, session)) == 2
        assert mcp_ask(hub, alice, filled, "What does the walrus eat?", "ses_nobody") == {"error": "SESSION_NOT_FOUND"}


def mcp_ask(hub: Rig, key: str, kb: int, question: str, session: str) -> Any:
    call = {"name": "ask_kb", "arguments": {"kb_id": kb, "question": question, "session_id": session}}
    answer = hub.mcp({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}, key=key)
    return json.loads(answer.json["result"]["content"][0]["text"])
