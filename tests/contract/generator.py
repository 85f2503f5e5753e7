"""What every generator promises: the port's text as tests, run on each home."""

import json
import threading
from collections.abc import Iterator

import pytest

from knowhub.errors import Unavailable
from knowhub.ports.generator import Ending, Piece, Prompt, Words
from knowhub.settings import InvalidSettings
from tests.contract.generator_homes import HOMES, Bench, bench
from tests.model_servers import Reply

PROMPT = Prompt("the rules", "the sources 海象 🦭", 100)
WORDS = ["The wal", "rus eats ", "clams 海", "象 🦭", "."]


@pytest.fixture(params=HOMES)
def home(request: pytest.FixtureRequest) -> Iterator[Bench]:
    with bench(request.param) as made:
        yield made


def never() -> bool:
    return False


def pieces(home: Bench, *, seconds: float = 20) -> list[Piece]:
    return list(home.generator.generate(PROMPT, seconds=seconds, stopped=never))


def words(found: list[Piece]) -> str:
    return "".join(piece.text for piece in found if isinstance(piece, Words))


class TestWords:
    def test_they_come_in_order_and_an_ending_behind_them(self, home: Bench) -> None:
        home.say(WORDS)
        found = pieces(home)
        assert words(found) == "".join(WORDS)
        assert found[-1] == Ending("stop", 11, 3)
        assert sum(isinstance(piece, Ending) for piece in found) == 1

    @pytest.mark.parametrize("cut", [1, 2, 3, 7, 64])
    def test_they_are_the_same_however_the_bytes_are_cut(self, home: Bench, cut: int) -> None:
        home.say(WORDS, cut=cut)
        assert words(pieces(home)) == "".join(WORDS)

    def test_they_come_before_the_answer_is_complete(self, home: Bench) -> None:
        home.hang(["first"])
        stream = home.generator.generate(PROMPT, seconds=20, stopped=never)
        assert next(stream) == Words("first")
        stream.close()

    def test_none_is_empty(self, home: Bench) -> None:
        home.say(["", "a", "", "b"])
        assert [piece.text for piece in pieces(home) if isinstance(piece, Words)] == ["a", "b"]

    def test_an_answer_without_words_has_an_ending(self, home: Bench) -> None:
        home.say([])
        assert pieces(home) == [Ending("stop", 11, 3)]

    def test_nothing_is_asked_before_the_first_is_taken(self, home: Bench) -> None:
        home.generator.generate(PROMPT, seconds=20, stopped=never).close()
        assert home.server.asked == []

    def test_the_model_is_told_the_prompt(self, home: Bench) -> None:
        home.say(WORDS)
        pieces(home)
        (asked,) = home.server.asked
        sent = json.dumps(asked.json, ensure_ascii=False)
        assert all(one in sent for one in (PROMPT.system, PROMPT.text, str(PROMPT.max_tokens)))


class TestEndings:
    @pytest.mark.parametrize("reason", ["stop", "length", "refused"])
    def test_the_reason_is_told(self, home: Bench, reason: str) -> None:
        home.say(WORDS, reason=reason)
        assert pieces(home)[-1] == Ending(reason, 11, 3)  # type: ignore[arg-type]  # one of them

    def test_counts_that_are_not_told_are_none(self, home: Bench) -> None:
        home.say(WORDS, usage=False)
        assert pieces(home)[-1] == Ending("stop")

    def test_an_answer_that_breaks_off_is_a_failure_behind_its_words(self, home: Bench) -> None:
        home.break_off(["The wal"])
        stream = home.generator.generate(PROMPT, seconds=20, stopped=never)
        assert next(stream) == Words("The wal")
        with pytest.raises(Unavailable):
            next(stream)
        assert len(home.server.asked) == 1

    def test_an_answer_without_a_reason_broke_off(self, home: Bench) -> None:
        home.say(WORDS, end=[])
        with pytest.raises(Unavailable):
            pieces(home)


BUSY = Reply({"message": "slow down"}, 429, {"x-amzn-ErrorType": "ThrottlingException"})
REFUSED = Reply({"message": "no"}, 403, {"x-amzn-ErrorType": "AccessDeniedException"})


class TestAway:
    @pytest.mark.parametrize("reply", [BUSY, Reply(b"", 503)], ids=["429", "503"])
    def test_a_busy_model_is_asked_again(self, home: Bench, reply: Reply) -> None:
        home.replies += [reply, reply]
        home.say(WORDS)
        assert words(pieces(home)) == "".join(WORDS)
        assert home.pauses.made == [0.25, 0.5]

    def test_a_model_that_stays_busy_is_unavailable(self, home: Bench) -> None:
        home.replies += [BUSY] * 20
        with pytest.raises(Unavailable, match="busy"):
            pieces(home)

    def test_who_is_refused_is_told_the_setting(self, home: Bench) -> None:
        home.replies.append(REFUSED)
        with pytest.raises(InvalidSettings, match="KNOWHUB_GENERATOR"):
            pieces(home)
        assert len(home.server.asked) == 1

    def test_an_answer_in_no_known_form_is_unavailable(self, home: Bench) -> None:
        home.replies.append(Reply(b"<html>hello</html>", 200, {"Content-Type": "text/html"}))
        with pytest.raises(Unavailable):
            pieces(home)


class TestLeaving:
    def test_a_model_that_hangs_is_left_when_time_is_up(self, home: Bench) -> None:
        home.hang(["first"])
        stream = home.generator.generate(PROMPT, seconds=1, stopped=never)
        assert next(stream) == Words("first")
        with pytest.raises(Unavailable, match="too long"):
            next(stream)

    def test_who_stops_waiting_gets_no_ending(self, home: Bench) -> None:
        home.hang(["first"])
        stopped = threading.Event()
        stream = home.generator.generate(PROMPT, seconds=20, stopped=stopped.is_set)
        assert next(stream) == Words("first")
        stopped.set()
        assert list(stream) == []

    @pytest.mark.parametrize("how", ["stopped", "closed"])
    def test_the_model_is_let_go(self, home: Bench, how: str) -> None:
        home.hang(["first"])
        stopped = threading.Event()
        stream = home.generator.generate(PROMPT, seconds=20, stopped=stopped.is_set)
        next(stream)
        if how == "stopped":
            stopped.set()
            assert list(stream) == []
        else:
            stream.close()
        home.let_go.set()
        assert home.server.hung_up.wait(10)

    def test_who_has_left_already_asks_nothing(self, home: Bench) -> None:
        assert list(home.generator.generate(PROMPT, seconds=20, stopped=lambda: True)) == []


def test_a_generator_names_its_model_without_asking_it(home: Bench) -> None:
    assert home.generator.identity.startswith(f"{home.home}:")
    assert home.server.asked == []
