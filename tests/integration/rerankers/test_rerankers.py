"""What is sent to rerankers, and scores that are logits."""

import pytest

from knowhub.calling.keys import Key
from knowhub.choices import KeyReference
from knowhub.errors import Unavailable
from knowhub.rerankers.http import HttpReranker
from knowhub.settings import InvalidSettings
from tests.contract.reranker_homes import bench
from tests.model_servers import Pauses, Reply, Script, model_server, rerank

SECRET = "sk-made-up-0123"


def test_over_http_the_path_is_the_settings_own_and_the_key_goes_along() -> None:
    key = Key("KNOWHUB_RERANKER_KEY", KeyReference("env", "X"), {"env": lambda _: SECRET})
    with model_server(rerank) as server:
        HttpReranker(server.poster("/v2/rerank"), "m", key=key).rerank("a b", ["a", "b"], 1)
    (asked,) = server.asked
    assert (asked.path, asked.headers["authorization"]) == ("/v2/rerank", f"Bearer {SECRET}")
    assert asked.json == {"model": "m", "query": "a b", "documents": ["a", "b"], "top_n": 1}


@pytest.mark.parametrize(("home", "version"), [("cohere", {"api_version": 2}), ("amazon", {})])
def test_each_model_of_bedrock_is_asked_in_its_dialect(home: str, version: dict[str, int]) -> None:
    with bench(home) as made:
        made.reranker.rerank("a", ["a", "b", "a"], 2)
    assert made.server.asked[0].json == {"query": "a", "documents": ["a", "b", "a"], "top_n": 2, **version}


def test_logits_become_scores_between_0_and_1_in_the_same_order() -> None:
    results = [
        {"index": 0, "relevance_score": -2},
        {"index": 1, "relevance_score": 3.0},
        {"index": 2, "relevance_score": 1e9},
    ]
    with model_server(Script(Reply({"results": results}))) as server:
        ranked = HttpReranker(server.poster("/r"), "m", logits=True).rerank("q", ["a", "b", "c"], 3)
    assert [place for place, _ in ranked] == [2, 1, 0]
    assert [score for _, score in ranked] == pytest.approx([1, 0.9526, 0.1192], abs=1e-4)


def test_a_refused_key_is_unavailable_and_the_setting_is_told_in_the_cause_without_the_key() -> None:
    quoting = Reply({"error": f"bad key {SECRET}"}, 401)
    with model_server(Script(quoting)) as server:
        reranker = HttpReranker(server.poster("/r"), "m", retries=Pauses().retries())
        with pytest.raises(Unavailable) as caught:
            reranker.rerank("q", ["a"], 1)
    assert isinstance(caught.value.__cause__, InvalidSettings)
    assert "KNOWHUB_RERANKER" in str(caught.value.__cause__)
    assert SECRET not in f"{caught.value}{caught.value.__cause__}"
