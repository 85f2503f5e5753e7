"""An engine that is asleep, slow, throttling or half there: asked again within the deadline, and never believed."""

from collections.abc import Callable
from typing import Any

import pytest

from knowhub.errors import Internal, KnowhubError, PayloadTooLarge, SearchUnavailable
from knowhub.ports.chunk_index import EveryLeg, IndexScope, KeywordLeg, LegResult
from knowhub.stores.opensearch.chunk_reader import Facts
from knowhub.stores.opensearch.index import OpenSearchChunkIndex
from knowhub.stores.opensearch.wire import Busy, Refused, meaning
from tests.contract.chunk_index_homes import indexed
from tests.opensearch.scripted import SHARDS, Answer, Script, Sent, bulk, deleted, found, hit, in_turn, multi

WORDS = KeywordLeg(("x",))
SCOPE = IndexScope(frozenset({1}))
GOOD = multi(found(hit("a:1:1")))
REFRESHED = {"_shards": SHARDS}
HALF = {"total": 2, "successful": 1, "skipped": 0, "failed": 1}
SLEEPING = Busy("ConnectionError")


def index_on(
    script: Script, *, deadline: float = 20.0, patience: float = 60.0, shards: int = 1
) -> OpenSearchChunkIndex:
    facts = Facts(2, shards)
    return OpenSearchChunkIndex(
        script.engine(deadline, patience), "hub-1", "hub-1-writes", lambda: facts, exact_scope=9
    )


def searched(script: Script) -> list[str]:
    (result,) = index_on(script).search([WORDS], SCOPE, 5)
    return [candidate.chunk_id for candidate in result.candidates]


HOLES: list[Answer] = [
    Busy("503 unavailable"),
    multi(found(status=503, error={"type": "search_phase_execution_exception"})),
    multi(found(status=429, error={"type": "rejected_execution_exception"})),
    multi(found(status=500, error={"type": "null_pointer_exception"})),
    multi(found(hit("b:1:1"), timed_out=True)),
    multi(found(hit("b:1:1"), _shards=HALF)),
    multi(found(hit("b:1:1"), _shards={"total": 0, "successful": 0, "failed": 0})),
    multi(),
    multi(GOOD["responses"][0], GOOD["responses"][0]),
    multi({"status": 200}),
    {},
    [],
    None,
    "garbage",
    {"responses": [None]},
    {"responses": [found({"sort": [1.0, "b:1:1"]})]},
]


class TestSearching:
    @pytest.mark.parametrize("holes", HOLES, ids=[str(n) for n in range(len(HOLES))])
    def test_an_answer_with_holes_is_asked_for_again(self, holes: Answer) -> None:
        assert searched(Script(in_turn(holes, holes, GOOD))) == ["a:1:1"]

    @pytest.mark.parametrize("holes", HOLES, ids=[str(n) for n in range(len(HOLES))])
    def test_an_answer_that_keeps_its_holes_is_none(self, holes: Answer) -> None:
        script = Script(in_turn(holes))
        with pytest.raises(SearchUnavailable) as failed:
            searched(script)
        assert failed.value.retry_after > 0
        assert 10 < script.time - 1_000 <= 20
        assert len(script.sent) < 30

    def test_one_leg_with_holes_keeps_the_others_back(self) -> None:
        script = Script(in_turn(multi(found(hit("a:1:1")), found(status=503, error={})), multi(found(), found())))
        assert index_on(script).search([WORDS, EveryLeg()], SCOPE, 5) == [LegResult((), 2.0), LegResult((), 2.0)]

    def test_an_engine_that_wakes_up_in_time_is_waited_for(self) -> None:
        script = Script(lambda _: SLEEPING)
        script.answering = lambda _: SLEEPING if script.time < 1_012 else GOOD
        assert searched(script) == ["a:1:1"]

    def test_an_engine_that_sleeps_for_longer_is_away(self) -> None:
        script = Script(lambda _: SLEEPING)
        with pytest.raises(SearchUnavailable):
            searched(script)
        script.answering = lambda _: GOOD
        assert searched(script) == ["a:1:1"]

    def test_a_slow_engine_is_given_up_at_the_deadline(self) -> None:
        script = Script(lambda _: GOOD, takes=100.0)
        with pytest.raises(SearchUnavailable):
            searched(script)
        assert script.time - 1_000 <= 20
        assert [one.seconds for one in script.sent] == [10.0, pytest.approx(10.0, abs=0.2)]

    def test_the_deadline_is_a_choice(self) -> None:
        script = Script(lambda _: SLEEPING)
        with pytest.raises(SearchUnavailable):
            index_on(script, deadline=3).search([WORDS], SCOPE, 5)
        assert script.time - 1_000 <= 3

    def test_pauses_grow_and_have_an_end(self) -> None:
        script = Script(lambda _: SLEEPING)
        with pytest.raises(SearchUnavailable):
            searched(script)
        assert 0.05 <= script.slept[0] <= 0.1
        assert max(script.slept) <= 2.0

    def test_what_the_engine_refuses_is_not_asked_again(self) -> None:
        script = Script(in_turn(multi(found(status=400, error={"type": "parsing_exception"}))))
        with pytest.raises(Internal):
            searched(script)
        assert len(script.sent) == 1

    @pytest.mark.parametrize(
        ("status", "error"),
        [(400, Internal), (401, SearchUnavailable), (403, SearchUnavailable), (404, SearchUnavailable),
         (413, PayloadTooLarge), (500, Internal)],
    )  # fmt: skip
    def test_a_refusal_says_what_to_do_and_not_what_was_asked(self, status: int, error: type[KnowhubError]) -> None:
        with pytest.raises(error) as failed:
            searched(Script(in_turn(Refused(status, "secret_exception"))))
        assert "secret" not in failed.value.message

    def test_a_count_of_half_the_shards_is_none(self) -> None:
        half = {"count": 1, "_shards": HALF}
        whole = {"count": 3, "_shards": SHARDS}
        assert index_on(Script(in_turn(half, whole))).count(frozenset({1})) == 3
        with pytest.raises(SearchUnavailable):
            index_on(Script(in_turn(half))).count(frozenset({1}))

    def test_a_read_that_fails_for_one_chunk_is_not_an_absent_chunk(self) -> None:
        failing = {"docs": [{"_id": "a:1:1", "error": {"type": "no_shard_available_action_exception"}}]}
        absent = {"docs": [{"_id": "a:1:1", "found": False}]}
        assert index_on(Script(in_turn(failing, absent))).fetch(["a:1:1"]) == {}
        with pytest.raises(SearchUnavailable):
            index_on(Script(in_turn(failing))).fetch(["a:1:1"])

    def test_statistics_of_several_shards_are_put_together(self) -> None:
        script = Script(in_turn(GOOD))
        index_on(script, shards=2).search([WORDS], SCOPE, 5)
        assert script.sent[0].lines[0]["search_type"] == "dfs_query_then_fetch"


class TestWriting:
    def writing(self, *answers: Answer) -> Script:
        script = Script(in_turn(*answers))
        index_on(script).write([indexed(f"a:1:{n}", "x") for n in range(3)])
        return script

    def test_only_what_was_turned_away_is_sent_again(self) -> None:
        script = self.writing(bulk(201, 429, 503), bulk(429, 201), bulk(201))
        ids = [[line["index"]["_id"] for line in one.lines if "index" in line] for one in script.sent]
        assert ids == [["a:1:0", "a:1:1", "a:1:2"], ["a:1:1", "a:1:2"], ["a:1:1"]]
        assert len(script.slept) == 2

    def test_what_keeps_being_turned_away_is_unavailable(self) -> None:
        with pytest.raises(SearchUnavailable):
            self.writing(bulk(201, 201, 429), bulk(429))

    def test_an_answer_that_was_lost_is_asked_for_by_writing_again(self) -> None:
        script = self.writing(Busy("ConnectionTimeout"), bulk(200, 200, 200))
        assert script.sent[0].body == script.sent[1].body

    @pytest.mark.parametrize("answer", [{}, {"items": []}, {"items": [{}]}, None, bulk(201, 201)])
    def test_an_answer_with_holes_is_no_success(self, answer: Any) -> None:
        script = self.writing(answer, bulk(201, 201, 201))
        assert len(script.sent) == 2

    def test_a_chunk_that_the_engine_refuses_is_no_success(self) -> None:
        with pytest.raises(Internal):
            self.writing(bulk(201, 400, 201))

    def test_no_index_is_made_by_a_write_to_one_that_is_gone(self) -> None:
        with pytest.raises(SearchUnavailable):
            self.writing(bulk(404, 404, 404))
        (sent,) = self.writing(bulk(201, 201, 201)).sent
        assert (sent.path, sent.params["require_alias"]) == ("/hub-1-writes/_bulk", "true")

    def test_of_two_with_one_id_only_the_later_is_sent(self) -> None:
        script = Script(in_turn(bulk(201)))
        index_on(script).write([indexed("a:1:1", "one"), indexed("a:1:1", "two")])
        assert [line["terms"] for line in script.sent[0].lines if "terms" in line] == ["two"]

    def test_requests_stay_small(self) -> None:
        script = Script(lambda sent: bulk(*[201] * (len(sent.lines) // 2)))
        index_on(script).write([indexed(f"a:1:{n}", "x", text="y" * (20_000 if n < 600 else 1)) for n in range(1_200)])
        assert sum(len(one.lines) // 2 for one in script.sent) == 1_200
        assert max(len(one.body or b"") for one in script.sent) <= 5_000_000
        assert max(len(one.lines) // 2 for one in script.sent) == 500

    def test_a_refresh_that_some_shards_missed_is_repeated(self) -> None:
        script = Script(in_turn(bulk(201), {"_shards": HALF}, REFRESHED))
        index = index_on(script)
        index.write([indexed("a:1:1", "x")])
        index.refresh()
        index.refresh()
        assert len(script.of("_refresh")) == 2

    def test_a_refresh_that_failed_is_not_forgotten(self) -> None:
        script = Script(in_turn(bulk(201), SLEEPING))
        index = index_on(script)
        index.write([indexed("a:1:1", "x")])
        with pytest.raises(SearchUnavailable):
            index.refresh()
        script.answering = lambda _: REFRESHED
        before = len(script.sent)
        index.refresh()
        assert len(script.sent) == before + 1

    def test_a_change_may_take_longer_than_a_question(self) -> None:
        script = Script(lambda _: bulk(201), takes=45.0)
        index_on(script).write([indexed("a:1:1", "x")])
        assert len(script.sent) == 1


class TestDeleting:
    def deleting(self, *answers: Answer, dirty: bool = False) -> Script:
        rest = list(answers)

        def answering(sent: Sent) -> Answer:
            if sent.operation == "_bulk":
                return bulk(201)
            if sent.operation == "_refresh":
                return REFRESHED
            return rest.pop(0) if len(rest) > 1 else rest[0]

        script = Script(answering)
        index = index_on(script)
        if dirty:
            index.write([indexed("a:1:1", "x")])
        index.delete_revision("a", 1)
        return script

    def test_earlier_writes_are_made_findable_first(self) -> None:
        operations = [one.operation for one in self.deleting(deleted(1), dirty=True).sent]
        assert operations == ["_bulk", "_refresh", "_delete_by_query"]
        assert [one.operation for one in self.deleting(deleted(1)).sent] == ["_delete_by_query"]

    @pytest.mark.parametrize(
        "first",
        [deleted(3, 2, conflicts=1), deleted(3, 0, conflicts=3), deleted(3, 1, failures=[{"status": 429}]),
         deleted(3, 1, timed_out=True), deleted(5_000), SLEEPING, {}, None, "garbage"],
    )  # fmt: skip
    def test_rounds_go_on_until_one_leaves_nothing(self, first: Answer) -> None:
        script = self.deleting(first, deleted(0))
        assert len(script.of("_delete_by_query")) == 2

    def test_a_delete_that_gets_nowhere_is_unavailable(self) -> None:
        with pytest.raises(SearchUnavailable):
            self.deleting(deleted(3, 0, conflicts=3))

    def test_a_large_delete_has_a_deadline_for_each_round(self) -> None:
        script = Script(lambda _: deleted(5_000), takes=40.0)
        script.answering = lambda _: deleted(5_000) if len(script.sent) < 6 else deleted(10)
        index_on(script).delete_kb(1)
        assert len(script.sent) == 6

    def test_a_value_is_never_more_than_a_value(self) -> None:
        script = Script(in_turn(deleted(0)))
        index_on(script).delete_document('*" OR kb_id:1')
        assert script.sent[0].lines == [{"query": {"bool": {"filter": [{"terms": {"doc_id": ['*" OR kb_id:1']}}]}}}]


class TestTies:
    def test_a_tie_at_the_cut_is_asked_for_further(self) -> None:
        size = 5 + 32
        near = [hit(f"b{n:02}:1:1", 1.0 - 1e-7 * n) for n in range(size)]
        more = [*near, hit("a:1:1", 1.0 - 1e-7 * size), hit("z:1:1", 0.5)]
        script = Script(lambda sent: multi(found(*(near if sent.lines[1]["size"] == size else more))))
        assert searched(script)[0] == "a:1:1"
        assert [one.lines[1]["size"] for one in script.sent] == [37, 148]

    def test_only_the_leg_with_the_tie_is_asked_again(self) -> None:
        tied = found(*(hit(f"b{n:02}:1:1") for n in range(37)))
        script = Script(in_turn(multi(tied, found(hit("a:1:1"))), multi(found(hit("b00:1:1")))))
        index_on(script).search([WORDS, EveryLeg()], SCOPE, 5)
        assert [len(one.lines) // 2 for one in script.sent] == [2, 1]

    def test_ties_are_not_followed_for_ever(self) -> None:
        def answering(sent: Sent) -> Answer:
            return multi(found(*(hit(f"b{n:05}:1:1") for n in range(sent.lines[1]["size"]))))

        script = Script(answering)
        searched(script)
        assert script.sent[-1].lines[1]["size"] == 5 + 1_024


@pytest.mark.parametrize(
    ("status", "info", "expected"),
    [
        ("N/A", None, Busy),
        ("TIMEOUT", None, Busy),
        (429, {"error": {"type": "circuit_breaking_exception"}}, Busy),
        (502, "<html>", Busy),
        (503, "", Busy),
        (504, None, Busy),
        (400, {"error": {"type": "x", "reason": "the document says secret", "caused_by": {"type": "y"}}}, Refused),
        (404, '{"error": {"type": "index_not_found_exception"}}', Refused),
        (500, [], Refused),
    ],
)
def test_an_error_is_sorted_by_its_status_and_named_without_its_text(
    status: object, info: object, expected: type[Exception]
) -> None:
    error = meaning(status, info)
    assert type(error) is expected
    assert "secret" not in str(error)


_SHAPES: list[Callable[[], Any]] = [lambda: {"error": "plain"}, lambda: {"error": {"root_cause": []}}, lambda: 7]


@pytest.mark.parametrize("shape", _SHAPES)
def test_an_error_of_any_shape_has_a_name(shape: Callable[[], Any]) -> None:
    assert str(meaning(400, shape())) == "400 unknown"
