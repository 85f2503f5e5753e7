"""A hub on this machine that keeps its chunks in OpenSearch: indexed, found, replaced, deleted."""

import uuid
from pathlib import Path

import pytest

from knowhub.stores.opensearch.engine import Engine
from knowhub.stores.opensearch.generations import OpenSearchGenerations
from knowhub.stores.opensearch.wire import ClientWire
from tests.e2e.test_local_hub import add, all_ready, running, wait_for
from tests.opensearch.homes import indexes_of
from tests.opensearch.running import opensearch_url


@pytest.mark.parametrize("embedder", ["none", "offline"])
def test_a_local_hub_searches_an_engine(tmp_path: Path, embedder: str) -> None:
    prefix = f"local-{uuid.uuid4().hex}"
    with (
        indexes_of(prefix) as place,
        running(tmp_path / "hub", "--opensearch", f"{opensearch_url()}/{prefix}", "--embedder", embedder) as hub,
    ):
        kb = int(hub.json("POST", "/kb", json={"name": "Notes"})["kb_id"])

        def hits(query: str, mode: str = "hybrid") -> set[str]:
            body = {"query": query, "mode": mode}
            return {hit["doc_id"] for hit in hub.json("POST", f"/kb/{kb}/search", json=body)["hits"]}

        assert hits("walrus") == set()
        first, second = add(hub, kb, 1), add(hub, kb, 2)
        wait_for(lambda: all_ready(hub, kb, 2))
        assert hits("walrus", "keyword") == {first, second}
        assert hits('"walrus number1"', "exact") == {first}
        if embedder == "offline":
            assert hits("a marine mammal", "dense") == {first, second}
        assert not (tmp_path / "hub" / "chunks").exists()
        hub.json("DELETE", f"/documents/{first}")
        assert hits("walrus number1") == {second}
        engine = Engine(ClientWire(place))
        generations = OpenSearchGenerations(engine, prefix)
        serving = generations.serving()
        assert serving is not None
        wait_for(lambda: True if first not in _documents(generations, serving.number, kb) else None)
        assert _documents(generations, serving.number, kb) == {second}
        generations.close()


def _documents(generations: OpenSearchGenerations, number: int, kb: int) -> set[str]:
    from knowhub.ports.chunk_index import EveryLeg, IndexScope

    (result,) = generations.index(number).search([EveryLeg()], IndexScope(frozenset({kb})), 100)
    return {candidate.doc_id for candidate in result.candidates}
