"""The plan of a search: which legs run, and how much each says."""

from collections.abc import Mapping

import pytest

from knowhub.errors import InvalidRequest, SearchUnavailable
from knowhub.model.filter import Comparison
from knowhub.model.query import Mode, SearchRequest
from knowhub.retrieval.legs import EVERY, Plan, Serving, plan
from tests.embedding import WordEmbedder

ENGLISH = {1: "en"}


def planned(
    query: str, embedder: WordEmbedder | None = None, *, mode: Mode = "hybrid", languages: Mapping[int, str] = ENGLISH
) -> Plan:
    serving = Serving(None, embedder)  # type: ignore[arg-type] # planning asks no index
    return plan(SearchRequest(query, mode=mode), languages, serving)


def test_hybrid_has_every_leg_where_there_is_an_embedder() -> None:
    assert list(planned("walrus", WordEmbedder()).legs) == ["keyword", "exact", "dense"]


def test_without_an_embedder_hybrid_goes_without_the_dense_leg_and_says_so() -> None:
    found = planned("walrus")
    assert list(found.legs) == ["keyword", "exact"]
    assert found.unavailable == {"dense": "no embedder"}


def test_an_embedder_that_is_away_is_said_in_hybrid_and_fails_the_dense_mode() -> None:
    down = WordEmbedder(down=True)
    assert planned("walrus", down).unavailable == {"dense": "the embedder does not answer"}
    with pytest.raises(SearchUnavailable):
        planned("walrus", down, mode="dense")


def test_dense_alone_without_an_embedder_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        planned("walrus", mode="dense")


@pytest.mark.parametrize("mode", ["keyword", "exact"])
def test_a_mode_without_the_dense_leg_embeds_nothing(mode: Mode) -> None:
    embedder = WordEmbedder()
    assert list(planned("walrus", embedder, mode=mode).legs) == [mode]
    assert embedder.queries == []


def test_a_model_of_similarity_is_trusted_only_across_scripts() -> None:
    similar = WordEmbedder(weight=0.1, cross_language=True)
    languages = {1: "en", 2: "zh", 3: ""}
    assert planned("walrus", similar, languages=languages).weights.dense == {1: 0.1, 2: 1.0, 3: 0.1}
    assert planned("海象", similar, languages=languages).weights.dense == {1: 1.0, 2: 0.1, 3: 0.1}


def test_a_retriever_of_one_language_is_not_trusted_across_scripts() -> None:
    assert planned("海象", WordEmbedder(weight=0.4)).weights.dense == {1: 0.4}


def test_alone_the_dense_leg_is_the_whole_answer() -> None:
    assert planned("walrus", WordEmbedder(weight=0.1), mode="dense").weights.dense == {1: 1.0}


def test_a_filter_without_a_query_lists() -> None:
    asked = SearchRequest(" ", filter=Comparison("title", "eq", ("a",)))
    found = plan(asked, ENGLISH, Serving(None))  # type: ignore[arg-type] # as above
    assert list(found.legs) == [EVERY]
    assert found.lists
