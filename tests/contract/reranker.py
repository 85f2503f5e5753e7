"""What every reranker promises: the port's text as tests, run on each home."""

from collections.abc import Iterator
from typing import Any

import pytest

from knowhub.errors import Unavailable
from tests.contract.reranker_homes import HOMES, Bench, bench
from tests.model_servers import Reply

DOCUMENTS = ["a b", "nothing", "a b c", "a", "c b a"]


@pytest.fixture(params=HOMES)
def home(request: pytest.FixtureRequest) -> Iterator[Bench]:
    with bench(request.param) as made:
        yield made


def result(*pairs: tuple[Any, Any]) -> Reply:
    return Reply({"results": [{"index": place, "relevance_score": score} for place, score in pairs]})


class TestRanking:
    def test_the_best_come_first_with_ties_by_position(self, home: Bench) -> None:
        ranked = home.reranker.rerank("a b c", DOCUMENTS, 5)
        assert [place for place, _ in ranked] == [2, 4, 0, 3, 1]
        assert [score for _, score in ranked] == pytest.approx([1, 1, 2 / 3, 1 / 3, 0])

    def test_no_more_than_wanted_come_back(self, home: Bench) -> None:
        assert [place for place, _ in home.reranker.rerank("a b c", DOCUMENTS, 2)] == [2, 4]

    def test_ties_that_the_model_gives_in_another_order_are_put_in_order(self, home: Bench) -> None:
        home.replies.append(result((3, 0.5), (0, 0.5), (1, 0.75)))
        assert home.reranker.rerank("a", DOCUMENTS, 5) == [(1, 0.75), (0, 0.5), (3, 0.5)]

    @pytest.mark.parametrize(
        ("query", "documents", "top_n"), [("a", [], 5), ("a", ["b"], 0), (" ", ["b"], 5), ("a", ["", " "], 2)]
    )
    def test_where_there_is_nothing_to_judge_nobody_is_asked(
        self, home: Bench, query: str, documents: list[str], top_n: int
    ) -> None:
        assert home.reranker.rerank(query, documents, top_n) == []
        assert home.server.asked == []

    def test_blank_documents_are_left_out_and_positions_stay(self, home: Bench) -> None:
        assert home.reranker.rerank("a b", ["", "b", "\n", "a b"], 4) == [(3, 1.0), (1, 0.5)]
        assert home.server.asked[0].json["documents"] == ["b", "a b"]

    def test_long_documents_and_queries_are_cut(self, home: Bench) -> None:
        home.reranker.rerank("word " * 5000, ["text " * 5000, "字" * 9000], 2)
        sent = home.server.asked[0].json
        assert (len(sent["query"]), [len(text) for text in sent["documents"]]) == (1000, [4000, 4000])

    def test_half_of_a_surrogate_pair_does_no_harm(self, home: Bench) -> None:
        assert home.reranker.rerank("a \ud83d", ["a \ud83d"], 1)[0][0] == 0


class TestAway:
    def test_a_busy_model_is_asked_again(self, home: Bench) -> None:
        home.replies += [Reply(b"", 503), Reply({}, 429)]
        assert home.reranker.rerank("a", ["a"], 1) == [(0, 1.0)]

    def test_a_model_that_stays_busy_is_given_up_within_seconds(self, home: Bench) -> None:
        home.replies += [Reply(b"", 503)] * 50
        with pytest.raises(Unavailable, match="busy"):
            home.reranker.rerank("a", ["a"], 1)
        assert sum(home.pauses.made) < 4

    @pytest.mark.parametrize(
        "reply",
        [
            Reply(b""), Reply(b"no"), Reply([]), Reply({}), Reply({"results": {}}), Reply({"results": []}),
            Reply({"results": [5]}), Reply({"results": [{"index": 0}]}), result((5, 0.5)), result((-1, 0.5)),
            result((True, 0.5)), result(("0", 0.5)), result((0, "0.5")), result((0, True)), result((0, float("nan"))),
            result((0, float("inf"))), result((0, 1.5)), result((0, -0.1)), result((0, 0.5), (0, 0.4)),
            result((0, None)),
        ],
    )  # fmt: skip
    def test_an_answer_that_can_not_be_read_is_unavailable_at_once(self, home: Bench, reply: Reply) -> None:
        home.replies.append(reply)
        with pytest.raises(Unavailable):
            home.reranker.rerank("a", ["a", "b"], 2)
        assert len(home.server.asked) == 1

    @pytest.mark.parametrize("status", [400, 401, 403, 404])
    def test_a_refusal_is_unavailable_too_as_a_search_goes_on_without(self, home: Bench, status: int) -> None:
        home.replies.append(Reply({"message": "no"}, status, {"x-amzn-ErrorType": "AccessDeniedException"}))
        with pytest.raises(Unavailable):
            home.reranker.rerank("a", ["a"], 1)
        assert len(home.server.asked) == 1
